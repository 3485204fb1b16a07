"""A model with prompts scores as one without them on texts that have the prompts written into them."""

import pyarrow.parquet as pq
import pytest

from semblance.evaluation.dev import dev_set
from semblance.evaluation.faq import FaqRun, evaluate_faq
from semblance.evaluation.texts import Texts
from semblance.models.base import BaseSettings, build_base
from semblance.models.folder import load
from semblance.ranking.candidates import Ranking
from tests.unit.evaluation.prepared import target, write_bank, write_pairs

PROMPTS = {"query": "ask: ", "document": "say: "}
ANSWERS = ["a cat", "a dog", "one two three", "the sun"]
# text, part, relevant answers; part 2 is held out by neither test nor dev of fold 0
QUESTIONS = [("rain again", 0, [3]), ("two dogs", 1, [1]), ("a sun", 2, [3]), ("three", 2, [2])]
BASES = {"plain": {}, "prompted": {"prompts": PROMPTS, "default_prompt": "document"}}


@pytest.fixture(scope="module")
def bases(demo, tmp_path_factory):
    """The records of a model without and with prompts; their weights are the same."""
    folder = tmp_path_factory.mktemp("bases")
    for name, prompts in BASES.items():
        settings = BaseSettings(48, folder=str(demo / "raw"), pooling="mean", **prompts)
        build_base(settings, folder / name / "record.json", "")
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
