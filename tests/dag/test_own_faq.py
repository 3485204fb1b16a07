"""A user's own FAQ with one model of random weights: models go after their use."""

import os
from pathlib import Path

import pytest

from semblance.layout import WEIGHTS
from tests.dag.far import FOLDS

pytestmark = pytest.mark.dag


def test_the_weights_of_the_folds_are_gone_and_those_of_the_whole_bank_stay(far):
    results = far.results
    models = {record.parent for record in results.glob("models/*/*/*/*/record.json")}
    whole = results / "models/mine-all/tiny/tuned/seed-1"
    assert len(models) == FOLDS + 1
    assert [model for model in models if (model / WEIGHTS).exists()] == [whole]
    assert all((model / "dev.csv").exists() for model in models)
    assert (
        len(list(results.rglob("model.safetensors"))) == 3
    )  # with a second copy, and the answerer's
    assert (results / "answerers/mine" / WEIGHTS).exists()


def test_other_content_with_an_older_date_is_noticed(far):
    file = far.project.folder / "library.csv"
    with far.project.edited({file: file.read_bytes()}):
        replace_content(file, file.read_text().swapcase())
        planned = far.project.planned()
    assert planned["prepare_faq"] == 1 and planned["build_answerer"] == 1


def test_a_stage_that_needs_the_weights_has_them_trained_again(far):
    score = f"{far.results}/scores/faq/mine-0/tiny/tuned/seed-1/scores.csv"
    planned = far.project.planned(score, "--forcerun", "evaluate_faq")
    assert (planned["train"], planned["evaluate_faq"]) == (1, 1)


def replace_content(file: Path, text: str) -> None:
    """Put other content of the same size and an older date in the place of a file, as ``cp -p`` may."""
    before = file.stat()
    file.write_text(text)
    assert file.stat().st_size == before.st_size
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns - 10**12))
