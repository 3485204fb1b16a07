"""Figures, checked against the files that they were made from."""

import pytest

from semblance.audit.findings import DIGESTS, LINKS, NUMBERS
from semblance.audit.verify import verify
from semblance.provenance import named_beside, read_records, write_record
from tests.scripts.flags import flags
from tests.unit.audit.tampering import change_record, reseal
from workflow.scripts import collect_figure, draw_figure

WEIGHTS = "model/model.safetensors"
SETTINGS = {
    "kind": "alignment_uniformity",
    "models": [
        {"corpus": "none", "base": "tiny", "method": "start", "seeds": [0]},
        {"corpus": "nli", "base": "tiny", "method": "rcl", "seeds": [1, 2]},
    ],
}


def collect(results, name, settings):
    """Collect a figure of the results; return its record."""
    record = results / f"figures/records/{name}.json"
    output = results / f"figures/{name}.csv"
    collect_figure.main(flags(settings=settings, results=results, output=output, record=record))
    return record


def draw(results):
    """Draw the collected figure f."""
    figures = results / "figures"
    given = {form: figures / f"f.{form}" for form in ("csv", "svg", "png")}
    given |= {"data": figures / "records/f.json", "record": figures / "drawings/f.json"}
    draw_figure.main(flags(settings={"kind": SETTINGS["kind"], "models": []}, **given))


@pytest.fixture(scope="module")
def finished(extended):
    """A finished folder with a collected figure, its drawing, and a measured figure."""
    results, _ = extended
    collect(results, "f", SETTINGS)
    draw(results)
    models = [results.parent / "resources/models/tiny", results / "models/nli/tiny/rcl/seed-1"]
    records = read_records(model / "record.json" for model in models)
    digests = [record["outputs"][WEIGHTS] for record in records.values()]
    read = dict(zip([f"{model}/{WEIGHTS}" for model in models], digests, strict=True))
    (results / "figures/g.csv").write_text("corpus\n")
    path = results / "figures/records/g.json"
    facts = {"inputs": named_beside(path, read), "records": named_beside(path, records)}
    write_record(path, "measure_figure", outputs=["../g.csv"], started=0.0, **facts)
    return results


def problems(results):
    return [(problem.kind, problem.path) for problem in verify(results).failures]


def test_untouched_figures_hold_and_each_changed_file_of_them_is_found(results):
    assert problems(results) == []
    files = [results / f"figures/{name}" for name in ("f.csv", "g.csv", "f.svg", "f.png")]
    for file in files:
        file.write_bytes(file.read_bytes() + b"\n")
    assert {(DIGESTS, str(file)) for file in files} <= set(problems(results))


def test_a_value_that_no_score_gives_is_found_behind_a_true_digest(results):
    file = results / "figures/f.csv"
    first, second, third, *others = file.read_text().splitlines(keepends=True)
    file.write_text("".join([first, third, second, *others]))
    reseal(results / "figures/records/f.json")
    draw(results)
    [problem] = verify(results).failures
    assert (problem.kind, problem.path) == (NUMBERS, str(file))
    assert problem.what.startswith("differs from what its settings and files give: ")


def test_a_figure_of_other_weights_and_a_drawing_of_other_data_are_found(results):
    forged = {
        "records/g.json": f"../../models/nli/tiny/rcl/seed-1/{WEIGHTS}",
        "drawings/f.json": "../f.csv",
    }

    def change(value):
        for link in value["inputs"]:
            if link["role"] in forged.values():
                link["digest"] = "0" * 64

    for record in forged:
        change_record(results / "figures" / record, change)
    failures = verify(results).failures
    assert {problem.kind for problem in failures} == {LINKS} and len(failures) == 2
    for record, role in forged.items():
        [what] = [p.what for p in failures if p.path == str(results / "figures" / record)]
        assert role in what


def test_contrasts_are_linked_to_their_tables(results):
    record = collect(results, "h", {"kind": "contrasts", "tables": ["t_sts"]})
    assert problems(results) == []
    (results / "tables/records/t_sts.json").unlink()
    assert (LINKS, str(record)) in problems(results)
