"""Figures, checked against the files that they were made from."""

import shutil

import pytest

from semblance.audit.findings import DIGESTS, FORMS, LINKS
from semblance.audit.verify import verify
from semblance.layout import RECORD
from semblance.provenance import (
    canonical,
    digests,
    named_beside,
    read_sealed,
    record_digests,
    write_record,
    write_sealed,
)
from workflow.scripts import collect_figure

SETTINGS = {
    "kind": "alignment_uniformity",
    "models": [
        {"corpus": "none", "base": "tiny", "method": "start", "seeds": [0]},
        {"corpus": "nli", "base": "tiny", "method": "rcl", "seeds": [1, 2]},
    ],
}


@pytest.fixture
def results(untouched, tmp_path):
    """A copy of the finished folder with one collected and one measured figure."""
    shutil.copytree(untouched.parent, tmp_path / "copy")
    folder = tmp_path / "copy/results"
    record = folder / "figures/records/f.json"
    collect_figure.main(
        ["--settings", canonical(SETTINGS), "--results", str(folder), "--record", str(record)]
        + ["--output", str(folder / "figures/f.csv")]
    )
    _measured(folder, tmp_path / "copy/resources/models/tiny")
    return folder


def _measured(folder, base):
    """Write a figure that was measured on a base and a trained model, and its record."""
    models = [base, folder / "models/nli/tiny/rcl/seed-1"]
    read = {
        str(model / "model/model.safetensors"): read_sealed(model / RECORD)["outputs"][
            "model/model.safetensors"
        ]
        for model in models
    }
    path = folder / "figures/records/g.json"
    (folder / "figures/g.csv").write_text("corpus\n")
    write_record(
        path,
        "measure_figure",
        outputs=["../g.csv"],
        started=0.0,
        inputs=named_beside(path, read),
        records=named_beside(path, record_digests(model / RECORD for model in models)),
    )


def test_untouched_figures_hold(results):
    assert verify(results).problems == []


def test_a_value_that_no_score_gives_is_found_behind_a_true_digest(results):
    file = results / "figures/f.csv"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join([lines[0], lines[2], lines[1], *lines[3:]]))
    record = results / "figures/records/f.json"
    value = read_sealed(record)
    write_sealed(record, value | {"outputs": digests(record.parent, ["../f.csv"])})
    found = verify(results).failures
    assert [(problem.kind, problem.path) for problem in found] == [(FORMS, str(file))]
    assert found[0].what == "differs from what its settings and files give"


@pytest.mark.parametrize("name", ["f", "g"])
def test_a_changed_file_of_a_figure_is_found(results, name):
    file = results / f"figures/{name}.csv"
    file.write_text(file.read_text() + "x\n")
    assert (DIGESTS, str(file)) in [(p.kind, p.path) for p in verify(results).failures]


def test_a_figure_that_was_measured_on_other_weights_is_found(results):
    record = results / "figures/records/g.json"
    value = read_sealed(record)
    name = "../../models/nli/tiny/rcl/seed-1/model/model.safetensors"
    write_sealed(record, value | {"inputs": value["inputs"] | {name: "0" * 64}})
    [problem] = verify(results).failures
    assert (problem.kind, problem.path) == (LINKS, str(record)) and name in problem.what
