"""Weights that a run deleted on purpose are told as such; weights that are lost stay a problem."""

import json
import shutil

import pytest

from semblance.audit.chain import DELETED
from semblance.audit.explain import explain, problems
from semblance.audit.findings import format_findings
from semblance.audit.origin_text import to_text
from semblance.audit.verify import verify

WEIGHTS = "models/nli/tiny/rcl/seed-2/model/model.safetensors"


@pytest.fixture
def results(untouched, tmp_path):
    """A copy of the finished folder, one of whose models has no weights any more."""
    shutil.copytree(untouched.parent, tmp_path / "copy")
    results = tmp_path / "copy" / "results"
    (results / WEIGHTS).unlink()
    return results


def note_config(results, models):
    """Leave the note that a run leaves of its config."""
    (results / "logs").mkdir(exist_ok=True)
    (results / "logs/config.json").write_text(json.dumps({"keep": {"models": models}}))


def test_weights_that_were_deleted_on_purpose_are_no_problem(results):
    note_config(results, "final")
    found = verify(results)
    assert found.problems == []
    assert f"{WEIGHTS}: {DELETED}" in format_findings(found)
    tree = explain(results, "t_sts", "rcl", "STS12")
    assert problems(tree) == 0
    assert f"{DELETED}  sha256" in to_text(tree)


@pytest.mark.parametrize("models", ["all", None])
def test_weights_that_are_lost_are_a_problem(results, models):
    if models:
        note_config(results, models)
    assert str(results / WEIGHTS) in {path for path, _ in verify(results).problems}


def test_other_files_and_weights_that_are_there_are_checked_even_if_they_may_go(results):
    note_config(results, "final")
    (results / WEIGHTS).write_bytes(b"other weights")
    tokens = results / "tokens/tiny/nli/tokens.arrow"
    tokens.unlink()
    found = {path for path, _ in verify(results).problems}
    assert {str(results / WEIGHTS), str(tokens)} <= found
