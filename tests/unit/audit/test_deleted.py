"""Weights that a run deleted on purpose are named as such; weights that are lost stay a problem."""

import json

from semblance.audit.chain import DELETED, Chain
from semblance.audit.explain import explain, find_cell, problems
from semblance.audit.findings import format_findings
from semblance.audit.verify import verify
from workflow.scripts.explain import to_text

WEIGHTS = "models/nli/tiny/rcl/seed-2/model/model.safetensors"


def test_weights_that_a_run_has_deleted_are_no_problem_and_lost_ones_are(results):
    (results / WEIGHTS).unlink()
    (results / "logs").mkdir()
    assert str(results / WEIGHTS) in dict(verify(results).problems)
    for models in ("all", "final"):  # the note that a run leaves of its config
        note = json.dumps({"keep": {"models": models}})
        (results / "logs/config.json").write_text(note)
        found = verify(results)
        assert (str(results / WEIGHTS) in dict(found.problems)) == (models == "all")
    assert found.problems == []
    assert f"{WEIGHTS}: {DELETED}" in format_findings(found)
    chain = Chain(results)
    tree = explain(chain, find_cell(chain, "t_sts", "rcl", "STS12"))
    assert problems(tree) == 0
    assert f"{DELETED}  sha256" in to_text(tree)

    # other files, and weights that are there, are checked all the same
    (results / WEIGHTS).write_bytes(b"other weights")
    tokens = results / "tokens/tiny/nli/tokens.arrow"
    tokens.unlink()
    assert {str(results / WEIGHTS), str(tokens)} <= dict(verify(results).problems).keys()
