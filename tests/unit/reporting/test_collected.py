"""Figures that are collected from scores and predictions, held against loops of their own."""

import csv
import io
import shutil

import numpy as np
import pandas as pd
import pytest

from semblance.errors import InputError
from semblance.figures import FigureModels, FigureSettings
from semblance.layout import RECORD
from semblance.names import STS_TASKS
from semblance.provenance import checked, read_sealed
from semblance.reporting.collected import collected_csv, file_digests
from semblance.reporting.figures import alignment_uniformity, cosine_densities, curve
from tests.unit.reporting import example_results, example_scores
from workflow.scripts import collect_figure

MODELS = (
    FigureModels("none", "tiny", "start", (0,)),
    FigureModels("nli", "tiny", "rcl", (1, 2)),
)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A small results folder, which no test changes."""
    return example_results.build(tmp_path_factory.mktemp("project"))


def table(settings: FigureSettings, results) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(collected_csv(settings, results))))


def test_each_pair_of_stsb_stands_once_with_its_cosine_in_the_group_of_its_gold_score(results):
    settings = FigureSettings("cosine_densities", MODELS)
    found = table(settings, results)
    expected = []
    for run in settings.runs():
        place = f"scores/sts/{run.corpus}/{run.base}/{run.method}/seed-{run.seed}"
        pairs = pd.read_parquet(results / place / "predictions.parquet")
        for pair in pairs[pairs["task"] == "stsb"].to_dict("records"):
            low = next(border for border in (4, 3, 2, 1, 0) if pair["gold"] >= border)
            key = (run.method, str(run.seed), str(pair["index"]))
            expected.append((*key, f"{low}-{low + 1}", pair["gold"], pair["similarity"]))
    shown = [
        (
            r["method"],
            r["seed"],
            r["index"],
            r["group"],
            float(r["gold"]),
            float(r["cosine"]),
        )
        for r in found
    ]
    assert sorted(shown) == sorted(expected) and len({row[:2] for row in shown}) == 3


@pytest.mark.parametrize(
    "gold, group", [(0, "0-1"), (0.99, "0-1"), (1, "1-2"), (3.5, "3-4"), (4, "4-5"), (5, "4-5")]
)
def test_a_gold_score_on_a_border_belongs_to_the_higher_group_and_five_to_the_highest(
    gold, group, tmp_path
):
    assert cosine_densities.group_of(gold, tmp_path) == group


@pytest.mark.parametrize("gold", [-0.1, 5.1])
def test_a_gold_score_outside_of_the_scale_is_refused(gold, tmp_path):
    with pytest.raises(InputError, match=f"a gold score is {gold}, outside of 0 to 5"):
        cosine_densities.group_of(gold, tmp_path / "predictions.parquet")


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
    path = scores_of(
        tmp_path / "scores.csv", values | {"stsb-dev": 0.99}, alignment=0.25, uniformity=-2.5
    )
    [row] = alignment_uniformity.rows(path)
    assert row == {
        "alignment": 0.25,
        "uniformity": -2.5,
        "average": pytest.approx(3.0 / 7, abs=1e-15),
    }


def test_without_one_of_the_seven_tasks_there_is_no_average_and_the_field_is_empty(
    results, tmp_path
):
    path = scores_of(tmp_path / "scores.csv", {"sts12": 0.5}, alignment=0.25)
    [row] = alignment_uniformity.rows(path)
    assert row == {"alignment": 0.25, "uniformity": None, "average": None}
    settings = FigureSettings("alignment_uniformity", MODELS)
    found = table(settings, results)  # its runs have two of the seven tasks
    assert [row["average"] for row in found] == ["", "", ""]
    assert all(float(row["alignment"]) > 0 for row in found)


def test_a_damaged_score_file_stops_the_figure(results, tmp_path):
    copy = tmp_path / "results"
    shutil.copytree(results, copy)
    path = copy / "scores/sts/nli/tiny/rcl/seed-2/scores.csv"
    path.write_text(path.read_text() + "\n")
    settings = FigureSettings("alignment_uniformity", MODELS)
    with pytest.raises(InputError, match="seed-2/scores.csv: damaged: expected sha256"):
        file_digests(settings, copy)


def test_the_record_names_the_files_and_the_records_that_the_figure_was_made_from(
    results, tmp_path
):
    copy = tmp_path / "results"
    shutil.copytree(results, copy)
    settings = (
        '{"kind":"cosine_densities","models":'
        '[{"corpus":"nli","base":"tiny","method":"rcl","seeds":[1]}]}'
    )
    record = copy / "figures/records/f.json"
    collect_figure.main(
        ["--settings", settings, "--results", str(copy), "--record", str(record)]
        + ["--output", str(copy / "figures/f.csv")]
    )
    found = read_sealed(record)
    folder = "../../scores/sts/nli/tiny/rcl/seed-1"
    source = checked(copy / "scores/sts/nli/tiny/rcl/seed-1" / RECORD)
    name = "predictions.parquet"
    assert found["inputs"] == {f"{folder}/{name}": source["outputs"][name]}
    assert list(found["records"]) == [f"{folder}/{RECORD}"]
    assert list(found["outputs"]) == ["../f.csv"]
    rows = np.loadtxt(copy / "figures/f.csv", delimiter=",", skiprows=1, dtype=str)
    assert len(rows) > 10


def test_the_rows_of_a_curve_are_its_measured_steps(tmp_path):
    path = tmp_path / "dev.csv"
    path.write_text("step,alignment,uniformity\n0,0.25,-1.5\n10,0.125,-2.25\n")
    assert list(curve.rows(path)) == [
        {"step": 0, "alignment": 0.25, "uniformity": -1.5},
        {"step": 10, "alignment": 0.125, "uniformity": -2.25},
    ]


@pytest.mark.parametrize("line", ["10,0.125", "10,no,-2.25", "1.5,0.125,-2.25"])
def test_a_row_of_a_curve_that_is_no_measurement_is_refused_with_its_line(line, tmp_path):
    path = tmp_path / "dev.csv"
    path.write_text(f"step,alignment,uniformity\n0,0.25,-1.5\n{line}\n")
    with pytest.raises(InputError, match=r"dev\.csv:3: no step with alignment and uniformity"):
        list(curve.rows(path))
