"""Weights that a run deleted on purpose are named as such; weights that are lost stay a problem."""

import json

import pytest

from semblance.audit.chain import DELETED
from semblance.audit.explain import explain, problems
from semblance.audit.findings import format_findings
from semblance.audit.origin_text import to_text
from semblance.audit.verify import verify

WEIGHTS = "models/nli/tiny/rcl/seed-2/model/model.safetensors"


@pytest.fixture
def results(results):
    """A copy of the finished folder, one of whose models has no weights any more."""
    (results / WEIGHTS).unlink()
    return results


def note_config(results, models):
    """Leave the note that a run leaves of its config."""
    (results / "logs").mkdir(exist_ok=True)
    (results / "logs/config.json").write_text(json.dumps({"keep": {"models": models}}))


def test_of_a_run_that_deletes_models_other_files_and_weights_that_are_there_are_still_checked(
    results,
):
    note_config(results, "final")
    found = verify(results)
    assert found.problems == []
    assert f"{WEIGHTS}: {DELETED}" in format_findings(found)
    tree = explain(results, "t_sts", "rcl", "STS12")
    assert problems(tree) == 0
    assert f"{DELETED}  sha256" in to_text(tree)

    (results / WEIGHTS).write_bytes(b"other weights")
    tokens = results / "tokens/tiny/nli/tokens.arrow"
    tokens.unlink()
    assert {str(results / WEIGHTS), str(tokens)} <= dict(verify(results).problems).keys()


@pytest.mark.parametrize("models", ["all", None])
def test_weights_that_are_lost_are_a_problem(results, models):
    if models:
        note_config(results, models)
    assert str(results / WEIGHTS) in dict(verify(results).problems)
