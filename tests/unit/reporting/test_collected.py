"""Figures that are collected from scores and predictions, held against loops of their own."""

import json
import shutil
from dataclasses import replace

import pandas as pd
import pytest
from pytest import approx

from semblance.errors import InputError
from semblance.figures import (
    FigureModels,
    FigureSettings,
    alignment_uniformity,
    by_phi,
    by_regulators,
    collected_csv,
    contrasts,
    cosine_densities,
    curve,
)
from semblance.layout import RECORD
from semblance.names import STS_TASKS
from semblance.provenance import checked, input_digests, read_sealed
from semblance.reporting.table import from_json
from tests.scripts.flags import flags
from tests.unit.reporting import example_results, example_scores
from workflow.scripts import collect_figure

MODELS = (FigureModels("none", "tiny", "start", (0,)), FigureModels("nli", "tiny", "rcl", (1, 2)))


@pytest.fixture(scope="module")
def results(untouched):
    return untouched


def table(settings: FigureSettings, results) -> list[dict[str, str]]:
    return example_scores.csv_lines(collected_csv(settings, results))


def test_each_pair_of_stsb_stands_once_with_its_cosine_in_the_group_of_its_gold_score(results):
    settings = FigureSettings("cosine_densities", MODELS)
    expected = []
    for run, _ in settings.runs():
        place = f"scores/sts/{run.corpus}/{run.base}/{run.method}/seed-{run.seed}"
        pairs = pd.read_parquet(results / place / "predictions.parquet")
        for pair in pairs[pairs["task"] == "stsb"].to_dict("records"):
            low = next(border for border in (4, 3, 2, 1, 0) if pair["gold"] >= border)
            line = {"method": run.method, "seed": run.seed, "index": pair["index"]}
            line |= {"group": f"{low}-{low + 1}", "gold": pair["gold"]}
            expected.append(line | {"cosine": pair["similarity"]})
    found = [[row[name] for name in expected[0]] for row in table(settings, results)]
    assert sorted(found) == sorted([str(value) for value in line.values()] for line in expected)
    assert len({(method, seed) for method, seed, *_ in found}) == 3


@pytest.mark.parametrize(
    "gold, group", [(0, "0-1"), (0.99, "0-1"), (1, "1-2"), (3.5, "3-4"), (4, "4-5"), (5, "4-5")]
)
def test_a_gold_score_on_a_border_belongs_to_the_higher_group_and_five_to_the_highest(gold, group):
    assert cosine_densities.group_of(gold) == group


def scores_of(path, tasks, **geometry):
    """Write a score file with Spearman's ρ of each task, and the measures of STS-B."""
    records = [example_scores.record(task=task, value=value) for task, value in tasks.items()]
    records += [example_scores.record(task=task, value=-0.9, metric="pearson") for task in tasks]
    records += [
        example_scores.record(task="stsb", metric=metric, value=value)
        for metric, value in geometry.items()
    ]
    return example_scores.write(path, records)


def test_the_average_is_that_of_spearman_on_the_seven_tasks(tmp_path):
    values = dict(zip(STS_TASKS, (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.9), strict=True))
    geometry = {"alignment": 0.25, "uniformity": -2.5}
    path = scores_of(tmp_path / "scores.csv", values | {"stsb-dev": 0.99}, **geometry)
    [row] = alignment_uniformity.rows(path)
    assert row == geometry | {"average": approx(3.0 / 7, abs=1e-15)}


def test_without_one_of_the_seven_tasks_there_is_no_average_and_the_field_is_empty(
    results, tmp_path
):
    path = scores_of(tmp_path / "scores.csv", {"sts12": 0.5}, alignment=0.25)
    [row] = alignment_uniformity.rows(path)
    assert row == {"alignment": 0.25, "uniformity": None, "average": None}
    found = table(FigureSettings("alignment_uniformity", MODELS), results)
    assert [row["average"] for row in found] == ["", "", ""]  # its runs have two of the seven
    assert all(float(row["alignment"]) > 0 for row in found)


def test_the_record_names_what_the_figure_was_made_from_and_a_damaged_file_stops_it(
    results, tmp_path
):
    run = {"corpus": "nli", "base": "tiny", "method": "rcl", "seeds": [1]}
    settings = {"kind": "cosine_densities", "models": [run]}
    copy = tmp_path / "results"
    shutil.copytree(results, copy)
    figures = copy / "figures"
    record = figures / "records/f.json"
    given = {"settings": settings, "results": copy, "output": figures / "f.csv", "record": record}
    collect_figure.main(flags(**given))
    found = read_sealed(record)
    folder = "scores/sts/nli/tiny/rcl/seed-1"
    name = "predictions.parquet"
    digest = checked(copy / folder / RECORD)["outputs"][name]
    assert input_digests(found) == {f"../../{folder}/{name}": digest}
    assert [link["place"] for link in found["inputs"]] == [f"../../{folder}/{RECORD}"]
    assert list(found["outputs"]) == ["../f.csv"]
    assert len((figures / "f.csv").read_text().splitlines()) == 1 + 40  # pairs of STS-B
    file = copy / folder / name
    file.write_bytes(file.read_bytes() + b"\n")
    with pytest.raises(InputError, match="seed-1/predictions.parquet: damaged: expected sha256"):
        collect_figure.main(flags(**given))


def test_the_rows_of_a_curve_are_its_steps_with_its_numbers_and_no_others(tmp_path):
    path = tmp_path / "dev.csv"
    path.write_text("step,alignment,uniformity,more\n0,0.25,-1.5,x\n10,0.5,-2.0,x\n")
    assert list(curve.rows(path)) == [
        {"step": 0, "alignment": 0.25, "uniformity": -1.5},
        {"step": 10, "alignment": 0.5, "uniformity": -2.0},
    ]


@pytest.mark.parametrize("kind", [by_regulators, by_phi])
def test_the_settings_of_a_method_are_columns_beside_its_average(kind, results):
    name = kind.__name__.rpartition(".")[2]
    columns = [*kind.COLUMNS][:-1]
    given = {column: str(place) for place, column in enumerate(columns)}
    models = (FigureModels("nli", "tiny", "rcl", (1, 2), given),)
    shown = table(FigureSettings(name, models), results)
    assert [row["seed"] for row in shown] == ["1", "2"]
    assert all({column: row[column] for column in columns} == given for row in shown)
    path = results / "scores/sts/nli/tiny/rcl/seed-1/scores.csv"
    [expected] = alignment_uniformity.rows(path)
    [found] = kind.rows(path)
    assert found == {"average": expected["average"]}


def rendered(name, results):
    """Return the JSON of a rendered table, as it stands there."""
    return json.loads((results / f"tables/json/{name}.json").read_text())


@pytest.mark.parametrize("name", example_results.TABLES)
def test_contrasts_are_those_that_the_tables_state(name, results):
    shown = table(FigureSettings("contrasts", tables=(name,)), results)
    [column] = {row["column"] for row in shown}
    rows = rendered(name, results)["rows"]
    compared = [row for row in rows if row["cells"].get(column, {}).get("contrast")]
    means = [row for row in shown if not row["seed"]]
    assert len(means) == len(compared) > 0
    for row, line in zip(compared, means, strict=True):
        cell = row["cells"][column]
        expected = {"label": row["label"], "control": row["control"], "n": str(cell["n"])}
        for name_of_value in ("difference", *contrasts.INTERVALS):
            value = cell["contrast"][name_of_value]
            expected[name_of_value] = "" if value is None else repr(value)
        assert {key: line[key] for key in expected} == expected


def test_the_difference_of_each_seed_is_that_of_its_two_cells(results):
    shown = table(FigureSettings("contrasts", tables=("t_sts",)), results)
    averages = {
        row["label"]: row["cells"]["Average"]["values"]
        for row in rendered("t_sts", results)["rows"]
    }
    of_seeds = [row for row in shown if row["seed"]]
    assert {row["seed"] for row in of_seeds} == {"1", "2", "3"}
    for line in of_seeds:
        ours, control = (averages[line[side]][line["seed"]] for side in ("label", "control"))
        assert float(line["difference"]) == approx(ours - control)
        assert line["n"] == line["low"] == line["published"] == ""


def with_published(results, stand_in=()):
    """Return a table whose RCL and SimCSE have printed values of 80.5 and 79.25."""
    shown = from_json((results / "tables/json/t_sts.json").read_text())
    printed = {"rcl": 80.5, "simcse": 79.25}
    rows = []
    for row in shown.rows:
        cell = replace(row.cells["Average"], published=printed.get(row.method))
        row = replace(row, cells=row.cells | {"Average": cell}, stand_in=())
        if row.method == "simcse":
            row = replace(row, stand_in=stand_in)
        rows.append(row)
    return replace(shown, rows=tuple(rows))


@pytest.mark.parametrize(
    "stand_in, published", [((), 80.5 - 79.25), (("another base", "fewer steps"), None)]
)
def test_the_papers_difference_is_that_of_its_two_values_unless_a_row_stands_in(
    results, stand_in, published
):
    rows = contrasts.contrast_rows(with_published(results, stand_in))
    [line] = [row for row in rows if row["method"] == "rcl" and row["seed"] is None]
    assert (line["published"], line["stand_in"]) == (published, "; ".join(stand_in))


def test_a_table_without_contrasts_has_no_rows(results):
    shown = with_published(results)
    bare = replace(shown, rows=tuple(replace(row, control=None) for row in shown.rows))
    assert contrasts.contrast_rows(bare) == []
