"""A model with prompts scores as one without them on texts that have the prompts written into them."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from semblance.data.arrow import write_parquet
from semblance.evaluation.dev import dev_set
from semblance.evaluation.faq import FaqRun, evaluate_faq
from semblance.evaluation.scored import Target
from semblance.evaluation.texts import Texts
from semblance.models.base import BaseSettings, build_base
from semblance.models.folder import load
from semblance.provenance import write_record
from semblance.ranking.candidates import Ranking
from tests.dag.tiny import write_base
from tests.example_settings import COMPUTE

PROMPTS = {"query": "ask: ", "document": "say: "}
ANSWERS = ["a cat", "a dog", "one two three", "the sun"]
# text, part, relevant answers; part 2 is held out by neither test nor dev of fold 0
QUESTIONS = [("rain again", 0, [3]), ("two dogs", 1, [1]), ("a sun", 2, [3]), ("three", 2, [2])]


@pytest.fixture(scope="module")
def bases(tmp_path_factory):
    """The records of a model without and with prompts; their weights are the same."""
    folder = tmp_path_factory.mktemp("bases")
    write_base(folder / "raw")
    stated = {"plain": {}, "prompted": {"prompts": PROMPTS, "default_prompt": "document"}}
    for name, prompts in stated.items():
        settings = BaseSettings(48, folder=str(folder / "raw"), pooling="mean", **prompts)
        build_base(settings, folder / name / "record.json", "")
    return {name: folder / name / "record.json" for name in stated}


def written(text: str, role: str, base: str) -> str:
    """Return a text as the data of a model have it: of the one without prompts, with the prompt."""
    if base == "plain":
        return PROMPTS[role] + text
    return text


def write_bank(folder, base, part=None):
    """Write the questions of a part, or all, and the answers and candidates; return the record."""
    folder.mkdir(parents=True)
    answers = [written(text, "document", base) for text in ANSWERS]
    rows = []
    candidates = [
        {"answer": i, "kind": "answer", "text": text, "part": -1} for i, text in enumerate(answers)
    ]
    for number, (text, of_part, relevant) in enumerate(QUESTIONS):
        asked = written(text, "query", base)
        row = {"protocol": "pairs", "id": str(number), "text": asked}
        if part in (None, of_part):
            rows.append({**row, "part": of_part, "relevant": relevant})
        kept = {"answer": relevant[0], "kind": "question", "text": asked, "part": of_part}
        candidates.append(kept)
    write_parquet(pa.table({"text": answers}), folder / "answers.parquet")
    write_parquet(pa.Table.from_pylist(rows), folder / "questions.parquet")
    write_parquet(pa.Table.from_pylist(candidates), folder / "candidates.parquet")
    outputs = ["answers.parquet", "questions.parquet", "candidates.parquet"]
    write_record(folder / "record.json", "prepare_faq", outputs=outputs, started=0.0, folds=3)
    return str(folder / "record.json")


def write_pairs(folder, base):
    folder.mkdir(parents=True)
    left, right = (
        [written(text, "document", base) for text in texts]
        for texts in (ANSWERS, ["a cat sat", "rain", "two", "sun"])
    )
    columns = {"task": ["stsb-dev"] * 4, "subset": [""] * 4, "index": [1, 2, 3, 4]}
    columns |= {"sentence1": left, "sentence2": right, "score": [1.0, 4.5, 3.0, 2.0]}
    write_parquet(pa.table(columns), folder / "pairs.parquet")
    write_record(folder / "record.json", "prepare_dev", outputs=["pairs.parquet"], started=0.0)
    return str(folder / "record.json")


def test_pairs_are_read_with_the_default_prompt(bases, tmp_path):
    found = []
    for name, record in bases.items():
        score, _ = dev_set(write_pairs(tmp_path / name, name), str(record), 48)
        found.append(score(load(record.parent / "model").eval()))
    assert found[0] == found[1]


def test_dev_questions_are_queries_and_answers_are_documents(bases, tmp_path):
    found = []
    for name, record in bases.items():
        score, _ = dev_set(write_bank(tmp_path / name, name, part=2), str(record), 48)
        found.append(score(load(record.parent / "model").eval()))
    assert found[0] == found[1]


@pytest.mark.parametrize("match", ["answer", "question", "better"])
def test_known_questions_are_queries_too(bases, tmp_path, match):
    run = FaqRun(
        "bank-0", "tiny", "m", "0", "bank", 0, ("pairs",), ranking=Ranking("vectors", match)
    )
    found = []
    for name, record in bases.items():
        bank = write_bank(tmp_path / name / "bank", name)
        dev = write_bank(tmp_path / name / "dev", name, part=1)
        target = Target(tmp_path / name / "scores/record.json", COMPUTE, "0123")
        evaluate_faq(run, str(record), bank, dev, 48, target)
        found.append(pq.read_table(target.record.parent / "predictions.parquet").to_pylist())
    assert found[0] == found[1]


def test_texts_are_found_by_what_they_are_without_the_prompt(bases):
    texts = Texts(ANSWERS, bases["plain"].parent / "model/tokenizer.json", "say: ")
    prompted = Texts(
        [f"say: {text}" for text in ANSWERS], bases["plain"].parent / "model/tokenizer.json"
    )
    assert texts.numbers_of(ANSWERS) == [0, 1, 2, 3]
    assert texts.tokens.ids.tolist() == prompted.tokens.ids.tolist()
