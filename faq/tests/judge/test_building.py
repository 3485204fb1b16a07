"""From evaluations on folds to the folder of an answerer, and what its record and summary say."""

from itertools import product

import numpy as np
import pytest

from faq.tests.example_run import ENTRIES, STATED, write_bank, write_evaluation
from semblance.errors import InputError
from semblance.provenance import beside, input_digests, read_sealed, record_digest
from semblance.settings import decode
from semblance_faq.answer.answerer import Answerer
from semblance_faq.answer.folder import check_answerer, read_answerer
from semblance_faq.judge.building import AnswererSettings, Sources, build_answerer
from semblance_faq.judge.evaluations import read_evaluations

QUESTIONS = 40  # of a fold
WORDS = {"method": "bm25", "seeds": [0], "ranking": {"of": "start", "by": "words"}}
START = {"method": "start", "seeds": [0], "ranking": {}}
WANTED = STATED | {"name": "mine", "protocol": "pairs", "ways": [START, WORDS]}


def evaluation(folder, method, fold, right, queries=None):
    """Write an evaluation in which a share of the answers is right; return the record's path."""
    first = np.arange(QUESTIONS) < right * QUESTIONS
    columns = {
        "protocol": "pairs",
        "ap": np.where(first, 1.0, 0.5),
        "acc@1": first,
        "confidence": np.where(first, 0.9, 0.3),
        "without": [0.3] * QUESTIONS,
    }
    queries = queries or [f"{fold}-{number}" for number in range(QUESTIONS)]
    run = {"corpus": f"faq-{fold}", "method": method}
    return write_evaluation(folder, run, queries, columns)


def evaluations(folder):
    """Write the evaluations of two ways on three folds, of which BM25 is the better one."""
    return [
        evaluation(folder / method / str(fold), method, fold, right)
        for method, right in (("start", 0.25), ("bm25", 0.75))
        for fold in range(3)
    ]


def prepared(folder):
    """Write a prepared bank whose questions have nothing in common."""
    questions = [
        {
            "protocol": "pairs",
            "id": f"{fold}-{number}",
            "text": f"{fold} {number}",
            "group": f"{fold} {number}",
            "relevant": [place],
        }
        for place, (fold, number) in enumerate(product(range(3), range(QUESTIONS)))
    ]
    return write_bank(folder, ENTRIES, questions)


@pytest.fixture(scope="module")
def built(tmp_path_factory, model):
    """The folder of the results, and what was found."""
    root = tmp_path_factory.mktemp("built")
    records = tuple(evaluations(root / "scores"))
    sources = Sources(prepared(root / "faq"), (str(model.record_path),), records)
    wanted = decode(AnswererSettings, WANTED)
    record = root / "answerers/mine/record.json"
    return root, sources, build_answerer(wanted, sources, record, 0, "0123")


def test_the_folder_answers_by_the_way_that_is_best(built):
    root, _, found = built
    assert found.chosen == "bm25"
    stored = read_answerer(root / "answerers/mine")
    assert (stored.settings.ranking, stored.settings.match) == ("words", "answer")
    assert stored.entries == ENTRIES
    assert stored.settings.threshold.score == 0.9  # three quarters are right, and have it
    assert 0 < stored.settings.floor == found.floor.score <= 0.9
    assert check_answerer(root / "answerers/mine").problems == []
    assert Answerer.open(root / "answerers/mine").ask("two days").answers[0].id == "ship"


def test_the_record_names_each_file_and_each_record_that_was_read(built):
    root, sources, found = built
    path = root / "answerers/mine/record.json"
    record = read_sealed(path)
    assert record["stage"] == "build_answerer" and record["code"] == "0123"
    said = {link["place"]: link["record"] for link in record["inputs"]}
    for read_record in (sources.bank, *sources.models, *sources.evaluations):
        name = beside(path, read_record)
        assert said[name] == record_digest(read_sealed(read_record))
    for source in sources.evaluations:
        name = beside(path, source).replace("record.json", "predictions.parquet")
        assert input_digests(record)[name] == read_sealed(source)["outputs"]["predictions.parquet"]
    assert record["evidence"]["chosen"] == found.chosen
    text = (root / "answerers/mine/summary.md").read_text()
    assert "summary.md" in record["outputs"] and "VERDICT: better than the start model" in text
    assert "The model (folder model) is the start model as it is, from the base tiny." in text


def test_evaluations_of_other_questions_are_refused(tmp_path):
    clusters = {f"0-{number}": number for number in range(QUESTIONS)} | {"x": 0}
    one = evaluation(tmp_path / "one", "start", 0, 0.5)
    other = evaluation(tmp_path / "other", "bm25", 0, 0.5, ["x"] * QUESTIONS)
    with pytest.raises(InputError, match="asks other questions"):
        read_evaluations([one, other], "pairs", clusters)
