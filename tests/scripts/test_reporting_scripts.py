"""The reporting stages from score files to the comparison, through each script's main."""

import csv
import json
import shutil
from pathlib import Path

import pytest

from semblance.errors import InputError
from semblance.provenance import input_digests, read_sealed, write_record
from semblance.reporting.published import PAPERS
from tests.files import flip
from tests.scripts.flags import flags
from tests.unit.reporting import example_results
from tests.unit.reporting.example_scores import record, write
from workflow.scripts import collect_scores

LOST = "scores/sts/nli/tiny/rcl/seed-2"


@pytest.fixture
def results(untouched, tmp_path) -> Path:
    """A copy of the small results folder."""
    return shutil.copytree(untouched.parent, tmp_path / "copy") / "results"


def lines_of(path):
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def cell_of(results, table, row, column):
    shown = json.loads((results / f"tables/json/{table}.json").read_text())
    return next(one for one in shown["rows"] if one["label"] == row)["cells"][column]


@pytest.mark.parametrize(
    "runs, words",
    [
        *((text, "--runs") for text in ("{", "[1]", '{"a": 1}', '{"a": ["x"]}')),
        ('{"bad": [1]}', "bad/seed-1/scores.csv:2"),
    ],
)
def test_scores_that_cannot_be_collected_leave_no_output(tmp_path, monkeypatch, runs, words):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "bad/seed-1"
    folder.mkdir(parents=True)
    write(folder / "scores.csv", [record(value="nan")])
    write_record(folder / "record.json", "evaluate", outputs=["scores.csv"], started=0.0)
    with pytest.raises(InputError, match=words):
        collect_scores.main(flags(root=".", runs=runs, output="out.csv", record="out.json"))
    assert not list(tmp_path.glob("*out.*"))


def test_a_table_needs_its_own_runs_and_no_others(results):
    for place in ("tables", "scores/faq"):
        shutil.rmtree(results / place)
    example_results.render(results, "t_regulators")
    expected = {
        f"../../scores/{run}/seed-{seed}/{name}"
        for run, seeds in example_results.runs_of(results, "t_regulators").items()
        for seed in seeds
        for name in ("scores.csv", "predictions.parquet")
    }
    sources = input_digests(read_sealed(results / "tables/records/t_regulators.json"))
    assert len(expected) == 7 * 2 and set(sources) == expected | {path.stem for path in PAPERS}
    assert "n/a" not in (results / "tables/t_regulators.csv").read_text()


def test_a_run_without_scores_stops_its_table(results):
    runs = example_results.runs_of(results, "t_sts")
    for place in ("tables", LOST):
        shutil.rmtree(results / place)
    with pytest.raises(InputError, match="rcl/seed-2/record.json: no such file"):
        example_results.render(results, "t_sts", runs=runs)
    assert not (results / "tables").exists()


def test_the_bootstrap_p_reaches_the_csv_and_the_json(untouched):
    [row] = [line for line in lines_of(untouched / "tables/t_sts.csv") if line["label"] == "rcl"]
    cell = cell_of(untouched, "t_sts", "rcl", "Average")
    contrast = cell["contrast"]
    assert float(row["Average_p_bootstrap"]) == contrast["p_bootstrap"] >= contrast["p"]
    assert float(row["Average_item_error"]) == contrast["item_error"] > 0
    assert float(row["Average"]) == cell["mean"] and cell["n"] == 3


def test_the_shipped_claims_are_not_run_without_their_tables(untouched):
    lines = lines_of(untouched / "tables/claims.csv")
    assert len(lines) >= 15 and {line["verdict"] for line in lines} == {"not run"}
    page = (untouched / "tables/claims.md").read_text()
    assert f"0 verdicts: none. {len(lines)} have none." in page


STEPS = {
    "collect": example_results.collect,
    "render": lambda results: example_results.render(results, "t_sts"),
    "compare": example_results.compare,
}


@pytest.mark.parametrize(
    "name, step",
    [
        (f"{LOST}/scores.csv", "collect"),
        (f"{LOST}/scores.csv", "render"),
        (f"{LOST}/predictions.parquet", "render"),
        ("tables/json/t_sts.json", "compare"),
        (f"{LOST}/record.json", "collect"),
        ("tables/records/t_sts.json", "compare"),
    ],
)
def test_one_flipped_bit_stops_the_next_stage_with_the_name_of_the_file(results, name, step):
    path = results / name
    flip(path)
    damaged = r": damaged: expected sha256 \w+.*, found \w+"
    unreadable = r":\d+: not readable as JSON .*"  # where the flipped bit ends the JSON
    with pytest.raises(InputError, match=f"{path.name}({damaged}|{unreadable}); delete"):
        STEPS[step](results)
