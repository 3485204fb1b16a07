"""The evaluation on one fold of a FAQ bank: its scores, and what prompts change of them."""

import pyarrow.parquet as pq
import pytest

from semblance.errors import InputError
from semblance.evaluation.dev import dev_set
from semblance.evaluation.faq import FaqRun, evaluate_faq
from semblance.evaluation.prepared import Texts
from semblance.models.folder import load
from semblance.provenance import input_digests, outputs_digest, read_sealed, record_digest
from semblance.ranking.candidates import Ranking
from tests.unit.evaluation.prepared import lines, target, write_bank, write_pairs
from tests.unit.models.tiny_models import built

ANSWERS = ["a cat", "a dog", "one two three", "the sun"]
TEST = [("rain again", 0, [3]), ("a cat sat", 0, [0]), ("two dogs", 1, [1])]
DEV = [("three", 1, [2])]
ANSWER = Ranking()


def scores(demo, folder, dev_questions=DEV, dev_answers=ANSWERS, ranking=ANSWER):
    """Evaluate fold 0 into a folder; return the lines of the scores by protocol and metric."""
    bank = write_bank(folder / "bank", ANSWERS, TEST)
    dev = write_bank(folder / "dev", dev_answers, dev_questions)
    run = FaqRun("bank-0", "tiny", "start", "0", "bank", 0, ("pairs",), ranking)
    evaluate_faq(run, str(demo / "base/record.json"), bank, dev, 32, target(folder))
    found = [line for line in lines(folder) if line["aggregation"] != "ceiling"]
    return {(line["protocol"], line["metric"]): line for line in found}


def test_the_dev_scores_are_those_that_choose_a_checkpoint(demo, tmp_path):
    found = scores(demo, tmp_path, [*DEV, ("my dog", 1, [1])])
    record = read_sealed(tmp_path / "record.json")
    base = demo / "base/record.json"
    score, read = dev_set(str(tmp_path / "dev/record.json"), str(base), 32)
    line = found["dev", "map"]
    expected = score(load(base.parent / "model").eval())
    assert float(line["value"]) == pytest.approx(expected, abs=1e-12)
    assert (line["aggregation"], line["n"], line["task"]) == ("dev", "2", "bank")
    assert line["data"] == outputs_digest(read) == input_digests(record)["dev"]
    assert record_digest(read) in [link["record"] for link in record["inputs"]]
    assert line["data"] != found["pairs", "map"]["data"] == input_digests(record)["data"]


def test_the_test_scores_do_not_depend_on_the_dev_questions(demo, tmp_path):
    one = scores(demo, tmp_path / "one")
    other = scores(demo, tmp_path / "other", [("my dog", 1, [1]), ("a sun and a star", 1, [3])])
    for key, line in one.items():
        if key[0] == "pairs":
            assert line == other[key] and line["aggregation"] == "test" and line["n"] == "2"
    assert {protocol for protocol, _ in one} == {"pairs", "dev"}


def test_dev_questions_about_another_bank_are_refused(demo, tmp_path):
    with pytest.raises(InputError, match="dev/record.json: its answers are not those of the bank"):
        scores(demo, tmp_path, dev_answers=ANSWERS[::-1])


@pytest.mark.parametrize("by", ["vectors", "words", "hybrid"])
@pytest.mark.parametrize("match", ["question", "better"])
def test_no_question_is_compared_with_itself(demo, tmp_path, by, match):
    """The fold holds out parts 0 and 1, and so all wordings: each match equals that of answers."""
    found = []
    for ranking in (Ranking(by, match), Ranking(by, "answer")):
        folder = tmp_path / ranking.match
        scores(demo, folder, ranking=ranking)
        assert read_sealed(folder / "record.json")["settings"]["ranking"]["by"] == by
        found.append(pq.read_table(folder / "predictions.parquet").to_pylist())
    assert found[0] == found[1]


PROMPTS = {"query": "ask: ", "document": "say: "}
# text, part, relevant answers; part 2 is held out by neither test nor dev of fold 0
QUESTIONS = [("rain again", 0, [3]), ("two dogs", 1, [1]), ("a sun", 2, [3]), ("three", 2, [2])]
BASES = {"plain": {}, "prompted": {"prompts": PROMPTS, "default_prompt": "document"}}


@pytest.fixture(scope="module")
def bases(demo, tmp_path_factory):
    """The records of a model without and with prompts; their weights are the same."""
    folder = tmp_path_factory.mktemp("bases")
    for name, prompts in BASES.items():
        built(demo / "raw", folder / name, limit=48, **prompts)
    return {name: folder / name / "record.json" for name in BASES}


def written(texts, role: str, base: str) -> list[str]:
    """Return texts as the data of a model have them: of the one without prompts, with the prompt."""
    prompt = PROMPTS[role] if base == "plain" else ""
    return [prompt + text for text in texts]


def bank(folder, base: str, part: int | None = None) -> str:
    """Write the questions of a part, or all; return the record."""
    texts = written([text for text, *_ in QUESTIONS], "query", base)
    rows = [(text, *row[1:]) for text, row in zip(texts, QUESTIONS, strict=True)]
    chosen = [row for row in rows if part in (None, row[1])]
    return write_bank(folder, written(ANSWERS, "document", base), chosen)


def pairs(folder, base: str) -> str:
    texts = (written(t, "document", base) for t in (ANSWERS, ["a cat sat", "rain", "two", "sun"]))
    return write_pairs(folder, *texts, [1.0, 4.5, 3.0, 2.0])


@pytest.mark.parametrize("data", [pairs, lambda folder, base: bank(folder, base, part=2)])
def test_dev_pairs_are_read_with_the_default_prompt_and_questions_as_queries(bases, tmp_path, data):
    found = []
    for name, record in bases.items():
        score, _ = dev_set(data(tmp_path / name, name), str(record), 48)
        found.append(score(load(record.parent / "model").eval()))
    assert found[0] == found[1]


@pytest.mark.parametrize("match", ["answer", "question", "better"])
def test_known_questions_are_queries_too(bases, tmp_path, match):
    ranking = Ranking("vectors", match)
    run = FaqRun("bank-0", "tiny", "m", "0", "bank", 0, ("pairs",), ranking)
    found = []
    for name, record in bases.items():
        read = (bank(tmp_path / name / "bank", name), bank(tmp_path / name / "dev", name, part=1))
        evaluate_faq(run, str(record), *read, 48, target(tmp_path / name))
        found.append(pq.read_table(tmp_path / name / "predictions.parquet").to_pylist())
    assert found[0] == found[1]


def test_texts_are_found_by_what_they_are_without_the_prompt(bases):
    tokenizer = bases["plain"].parent / "model/tokenizer.json"
    texts = Texts(ANSWERS, tokenizer, "say: ")
    prompted = Texts([f"say: {text}" for text in ANSWERS], tokenizer)
    assert texts.numbers_of(ANSWERS) == [0, 1, 2, 3]
    assert texts.tokens.ids.tolist() == prompted.tokens.ids.tolist()
