"""The evaluation on one fold of a FAQ bank: scores of its test questions and of its dev questions."""

import csv

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from semblance.data.arrow import write_parquet
from semblance.errors import InputError
from semblance.evaluation.dev import dev_set
from semblance.evaluation.faq import FaqRun, evaluate_faq
from semblance.evaluation.scored import Target
from semblance.models.base import BaseSettings, build_base
from semblance.models.folder import load
from semblance.provenance import (
    input_digests,
    outputs_digest,
    read_sealed,
    record_digest,
    write_record,
)
from semblance.ranking.candidates import Ranking
from tests.dag.tiny import write_base
from tests.example_settings import COMPUTE

ANSWERS = ["a cat", "a dog", "one two three", "the sun"]
TEST = [("rain again", 0, [3]), ("a cat sat", 0, [0]), ("two dogs", 1, [1])]


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """The record of an untrained model."""
    folder = tmp_path_factory.mktemp("base")
    write_base(folder / "raw")
    settings = BaseSettings(32, folder=str(folder / "raw"), pooling="mean")
    build_base(settings, folder / "base/record.json", "")
    return folder / "base/record.json"


def prepared(folder, answers, questions):
    """Write a bank and its record; return the record. A question: text, part, relevant answers."""
    folder.mkdir()
    rows = [
        {"protocol": "pairs", "id": str(i), "text": text, "part": part, "relevant": relevant}
        for i, (text, part, relevant) in enumerate(questions)
    ]
    write_parquet(pa.table({"text": answers}), folder / "answers.parquet")
    candidates = [
        {"answer": i, "kind": "answer", "text": text, "part": -1} for i, text in enumerate(answers)
    ]
    candidates += [
        {"answer": relevant[0], "kind": "wording", "text": text, "part": part}
        for text, part, relevant in questions
    ]
    write_parquet(pa.Table.from_pylist(rows), folder / "questions.parquet")
    write_parquet(pa.Table.from_pylist(candidates), folder / "candidates.parquet")
    outputs = ["answers.parquet", "questions.parquet", "candidates.parquet"]
    write_record(folder / "record.json", "prepare_faq", outputs=outputs, started=0.0, folds=3)
    return str(folder / "record.json")


def scores(base, folder, dev_questions, dev_answers=ANSWERS):
    """Evaluate fold 0; return the lines of the scores by protocol and metric, and the record."""
    folder.mkdir()
    bank = prepared(folder / "bank", ANSWERS, TEST)
    dev = prepared(folder / "dev", dev_answers, dev_questions)
    run = FaqRun("bank-0", "tiny", "start", "0", "bank", 0, ("pairs",))
    record = folder / "scores/record.json"
    evaluate_faq(run, str(base), bank, dev, 32, Target(record, COMPUTE, "0123"))
    with open(record.parent / "scores.csv", newline="") as stream:
        lines = list(csv.DictReader(stream))
    return {(line["protocol"], line["metric"]): line for line in lines}, read_sealed(record)


def test_the_dev_scores_are_those_that_choose_a_checkpoint(base, tmp_path):
    found, record = scores(base, tmp_path / "run", [("three", 1, [2]), ("my dog", 1, [1])])
    score, read = dev_set(str(tmp_path / "run/dev/record.json"), str(base), 32)
    expected = score(load(base.parent / "model").eval())
    line = found["dev", "map"]
    assert float(line["value"]) == pytest.approx(expected, abs=1e-12)
    assert (line["aggregation"], line["n"], line["task"]) == ("dev", "2", "bank")
    assert line["data"] == outputs_digest(read) == input_digests(record)["dev"]
    [link] = [link for link in record["inputs"] if link["role"] == "dev"]
    assert link["record"] == record_digest(read)
    assert line["data"] != found["pairs", "map"]["data"] == input_digests(record)["data"]


def test_the_test_scores_do_not_depend_on_the_dev_questions(base, tmp_path):
    one, _ = scores(base, tmp_path / "one", [("three", 1, [2])])
    other, _ = scores(base, tmp_path / "other", [("my dog", 1, [1]), ("a sun and a star", 1, [3])])
    for key, line in one.items():
        if key[0] == "pairs":
            assert line == other[key] and line["aggregation"] == "test" and line["n"] == "2"
    assert {protocol for protocol, _ in one} == {"pairs", "dev"}


def test_dev_questions_about_another_bank_are_refused(base, tmp_path):
    with pytest.raises(InputError, match="dev/record.json: its answers are not those of the bank"):
        scores(base, tmp_path / "run", [("three", 1, [2])], dev_answers=ANSWERS[::-1])


@pytest.mark.parametrize("by", ["vectors", "words", "hybrid"])
@pytest.mark.parametrize("match", ["answer", "question", "better"])
def test_no_question_is_compared_with_itself(base, tmp_path, by, match):
    """The fold holds out parts 0 and 1, and so all wordings: each match equals that of answers."""
    run = FaqRun("bank-0", "tiny", "m", "0", "bank", 0, ("pairs",), "", Ranking(by, match))
    answers = FaqRun("bank-0", "tiny", "m", "0", "bank", 0, ("pairs",), "", Ranking(by, "answer"))
    found = [lines(base, tmp_path / name, each) for name, each in (("a", run), ("b", answers))]
    assert found[0] == found[1]


def lines(base, folder, run):
    """Evaluate a run on the bank; return its predictions."""
    folder.mkdir()
    bank = prepared(folder / "bank", ANSWERS, TEST)
    dev = prepared(folder / "dev", ANSWERS, [("three", 1, [2])])
    record = folder / "scores/record.json"
    evaluate_faq(run, str(base), bank, dev, 32, Target(record, COMPUTE, "0123"))
    assert read_sealed(record)["settings"]["ranking"]["by"] == run.ranking.by
    return pq.read_table(record.parent / "predictions.parquet").to_pylist()
