"""Two models on the wordings that neither was trained on: each is judged by what had not seen them."""

import numpy as np
import pytest

from semblance.data.bare import bare
from semblance.provenance import read_sealed, write_sealed
from semblance_faq.answer.answerer import Answerer
from semblance_faq.judge.held_out import (
    FEWEST,
    JudgedPart,
    by_answerer,
    compare_answerers,
    of_folds,
)
from tests.unit.faq.example_run import ENTRIES, write_run

KNOWN = {f"known wording {number}": 0.5 for number in range(12)}
NEW = {f"new wording {number}": 1.0 for number in range(12)}


@pytest.fixture(scope="module")
def before(tmp_path_factory, model):
    """The answerer before. It knows "forgot it" only, so that each other wording is new to it."""
    return Answerer.open(write_run(tmp_path_factory.mktemp("before") / "my-faq", model, KNOWN))


def run(tmp_path, model, asked):
    return write_run(tmp_path / "next", model, asked)


def test_the_folds_tell_of_each_wording_what_they_made_of_it(before):
    found = of_folds(before.stored.folder)
    assert found.keys() == {bare(text) for text in KNOWN}
    judged = found[bare("known wording 7")]
    assert (judged.text, judged.precision, judged.right) == ("known wording 7", 0.5, False)
    assert judged.relevant == {ENTRIES[0].answer}


def test_a_whole_model_is_asked_wordings_that_it_does_not_know(before, tmp_path, model):
    asked = of_folds(run(tmp_path, model, NEW)).values()
    found = by_answerer(before, list(asked))
    assert len(found) == len(NEW)
    for judged in found.values():
        best = before.ask(judged.text).answers[0].answer
        assert judged.right == (best == ENTRIES[0].answer)
        assert judged.precision == (1.0 if judged.right else 0.5)  # of two answers


def test_both_are_asked_the_same_questions_in_one_order_and_others_are_left_out(
    before, tmp_path, model
):
    too_long = {f"{'x' * 1_001} {number}": 1.0 for number in range(3)}
    [part], left_out = compare_answerers(before, run(tmp_path, model, too_long | NEW))
    assert left_out == 3  # all are new, so that there is one part
    assert part.now.tolist() == [1.0] * len(NEW)
    first = [before.ask(text).answers[0].answer for text in NEW]
    expected = [1.0 if answer == ENTRIES[0].answer else 0.5 for answer in first]
    assert sorted(part.before) == sorted(expected)
    assert not part.is_worse


def test_a_model_that_is_worse_on_what_was_known_before_is_worse(tmp_path, model):
    known = dict.fromkeys(KNOWN, 1.0)
    before = Answerer.open(write_run(tmp_path / "my-faq", model, known, tuple(KNOWN)))
    parts, _ = compare_answerers(before, run(tmp_path, model, dict.fromkeys(KNOWN, 0.5) | NEW))
    names = ["held-out wordings", "of these known before", "of these learned"]
    assert [part.name for part in parts] == names
    known_before = parts[1]
    assert len(known_before.now) == len(KNOWN) >= FEWEST
    assert known_before.before.mean() == 1.0 and known_before.now.mean() == 0.5
    assert known_before.is_worse
    assert "MAP 50.0, before 100.0, -50.0 points" in known_before.line()


def test_an_answerer_that_was_tested_on_other_questions_has_no_folds_to_ask(
    before, tmp_path, model
):
    folder = run(tmp_path, model, NEW)
    record = read_sealed(folder / "record.json")
    record["answerer"]["protocol"] = "pairs"
    write_sealed(folder / "record.json", record)
    assert of_folds(folder) == {}
    assert compare_answerers(before, folder) == ([], 0)


def test_worse_needs_an_interval_below_zero():
    low = JudgedPart("", np.ones(20), np.ones(20) - np.linspace(0.01, 0.2, 20), np.arange(20))
    assert low.is_worse
    mixed = np.tile([0.2, -0.21], 10)
    assert not JudgedPart("", np.ones(20), np.ones(20) - mixed, np.arange(20)).is_worse
    assert JudgedPart("", np.ones(2), np.zeros(2), np.arange(2)).interval == (-1.0, -1.0)
