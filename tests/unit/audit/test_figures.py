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
    read_records,
    read_sealed,
    write_record,
    write_sealed,
)
from workflow.scripts import collect_figure, draw_figure

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


def drawn(folder):
    """Draw the collected figure; return the record of the drawing."""
    record = folder / "figures/drawings/f.json"
    draw_figure.main(
        ["--settings", canonical({"kind": SETTINGS["kind"], "models": []})]
        + ["--csv", str(folder / "figures/f.csv"), "--data", str(folder / "figures/records/f.json")]
        + ["--svg", str(folder / "figures/f.svg"), "--png", str(folder / "figures/f.png")]
        + ["--record", str(record)]
    )
    return record


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
        records=named_beside(path, read_records(model / RECORD for model in models)),
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
    [link] = [link for link in value["inputs"] if link["role"] == name]
    link["digest"] = "0" * 64
    write_sealed(record, value)
    [problem] = verify(results).failures
    assert (problem.kind, problem.path) == (LINKS, str(record)) and name in problem.what


def test_an_untouched_drawing_holds(results):
    drawn(results)
    assert verify(results).problems == []


@pytest.mark.parametrize("form", ["svg", "png"])
def test_a_changed_drawing_is_found(form, results):
    drawn(results)
    file = results / f"figures/f.{form}"
    file.write_bytes(file.read_bytes() + b"\n")
    assert (DIGESTS, str(file)) in [(p.kind, p.path) for p in verify(results).failures]


def test_a_drawing_of_other_data_is_found(results):
    record = drawn(results)
    value = read_sealed(record)
    value["inputs"][0]["digest"] = "0" * 64
    write_sealed(record, value)
    [problem] = verify(results).failures
    assert (problem.kind, problem.path) == (LINKS, str(record)) and "../f.csv" in problem.what


def test_contrasts_are_linked_to_their_tables(results):
    record = results / "figures/records/h.json"
    settings = {"kind": "contrasts", "tables": ["t_sts"]}
    collect_figure.main(
        ["--settings", canonical(settings), "--results", str(results), "--record", str(record)]
        + ["--output", str(results / "figures/h.csv")]
    )
    assert verify(results).problems == []
    (results / "tables/records/t_sts.json").unlink()
    found = [(p.kind, p.path) for p in verify(results).failures]
    assert (LINKS, str(record)) in found
