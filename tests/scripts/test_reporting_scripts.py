"""The reporting stages from score files to the comparison, through each script's main."""

import csv
import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from semblance.errors import InputError
from semblance.provenance import input_digests, write_record
from tests.recompute import main as recompute
from tests.scripts.flags import flags
from tests.unit.reporting.example_scores import TASKS, record, write
from workflow.scripts import (
    collect_scores,
    compare_published,
    judge_claims,
    render_table,
    simulate_statistics,
)

ROOT = Path(__file__).parents[2]
PUBLISHED = {"published": ROOT / "workflow/published.yaml"}
METRICS = ("acc@1", "acc@3", "acc@5", "ap")
METHODS = {"simcse": 2.0, "rcl": 0.5}  # and the noise of their similarities
SEEDS = [1, 2, 3]


@pytest.fixture
def results(tmp_path):
    """A results folder of two methods and three seeds on two STS tasks, and one bank of two folds."""
    rng = np.random.default_rng(0)
    gold = {task: rng.integers(0, 11, 80) / 2 for task in TASKS}
    scores = tmp_path / "scores"
    for method, noise in METHODS.items():
        for seed in SEEDS:
            run = {"method": method, "seed": seed}
            place = f"tiny/{method}/seed-{seed}"
            sts_run(scores / f"sts/nli/{place}", run, gold, noise, rng)
            for fold in (0, 1):
                faq_run(scores / f"faq/bank-{fold}/{place}", run, fold, rng)
    return tmp_path


def vouch(folder, *names):
    write_record(folder / "record.json", "evaluate", outputs=names, started=0.0)


def write_run(folder, frame, lines):
    """Write an evaluation: its scores, its predictions and its record."""
    write(folder / "scores.csv", lines)
    frame.to_parquet(folder / "predictions.parquet")
    vouch(folder, "scores.csv", "predictions.parquet")


def sts_run(folder, run, gold, noise, rng):
    tasks = []
    for task, values in gold.items():
        similarity = values + noise * rng.normal(size=80)
        columns = {"task": task, "subset": "", "index": range(80)}
        tasks.append(pd.DataFrame({**columns, "gold": values, "similarity": similarity}))
    frame = pd.concat(tasks)
    correlations = {
        task: spearmanr(part["gold"], part["similarity"])[0] for task, part in frame.groupby("task")
    }
    lines = [record(**run, task=task, value=repr(float(r))) for task, r in correlations.items()]
    write_run(folder, frame, lines)


def faq_run(folder, run, fold, rng):
    draws = [
        rng.choice(np.arange(1, 12), size=rng.integers(1, 4), replace=False) for _ in range(25)
    ]
    ranks = [sorted(found.tolist()) for found in draws]
    precisions = [[(i + 1) / rank for i, rank in enumerate(found)] for found in ranks]
    frame = pd.DataFrame(
        {
            "protocol": "pairs",
            "query": range(25),
            "ranks": ranks,
            **{f"acc@{k}": [float(r[0] <= k) for r in ranks] for k in (1, 3, 5)},
            "ap": [float(np.mean(each)) for each in precisions],
        }
    )
    place = {"corpus": f"bank-{fold}", "fold": str(fold), "task": "bank", "aggregation": "test"}
    means = {name: repr(float(frame[name].mean())) for name in METRICS}
    means["map"] = means.pop("ap")
    lines = [
        record(**run, **place, protocol="pairs", metric=name, value=value)
        for name, value in means.items()
    ]
    write_run(folder, frame, lines)


def settings(layout, stand_in=(), **given):
    published = {"sts": "rcl/3/RCL", "faq": "rcl/2a/RCL"}.get(layout)
    row = {"corpus": "nli", "base": "tiny", "seeds": SEEDS, "published": None, "stand_in": []}
    rows = [row | {"label": name, "method": name} for name in METHODS]
    rows[1] |= {"published": published, "stand_in": list(stand_in)}
    shape = {"tasks": list(TASKS), "dataset": None, "folds": None}
    if layout == "faq":
        shape = {"tasks": [], "dataset": "bank", "folds": 2}
    shape |= {"control": "simcse", "draws": 50}
    return {"name": layout, "title": "T", "layout": layout, "rows": rows} | shape | given


def collected(results):
    paths = sorted(map(str, results.glob("scores/*/*/*/*/*/scores.csv")))
    assert len(paths) == 2 * 3 * (1 + 2)
    output = results / "tables/scores.csv"
    collect_scores.main(flags(scores=paths, output=output, record=results / "tables/s.json"))
    return output


def rendered(results, layout, **given):
    render(results, layout, **PUBLISHED, settings=settings(layout, **given))
    return results / "tables" / layout


def runs_of(layout):
    """Return the runs of a table, with their seeds."""
    corpora = ["faq/bank-0", "faq/bank-1"] if layout == "faq" else ["sts/nli"]
    return {f"{corpus}/tiny/{method}": SEEDS for corpus in corpora for method in METHODS}


def render(results, layout, **changes):
    """Render a table from its own runs; some flags may have other values."""
    tables = results / "tables"
    forms = {"csv": "csv", "markdown": "md", "latex": "tex"}
    given = {form: tables / f"{layout}.{ending}" for form, ending in forms.items()}
    given |= {"json": json_of(tables / layout), "record": tables / f"records/{layout}.json"}
    given |= {"settings": settings(layout), "runs": runs_of(layout), "results": results}
    render_table.main(flags(**given | changes))


def json_of(stem):
    return stem.parent / "json" / f"{stem.name}.json"


def lines_of(path):
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_both_ways_to_name_score_files_give_the_same_csv(results):
    runs = {run: [3, 1, 2] for layout in ("sts", "faq") for run in runs_of(layout)}
    again = {"output": results / "again.csv", "record": results / "again.json"}
    collect_scores.main(flags(root=results / "scores", runs=runs, **again))
    assert (results / "again.csv").read_bytes() == collected(results).read_bytes()


@pytest.mark.parametrize(
    "given, words",
    [
        *(({"runs": runs}, "--runs") for runs in ("{", "[1]", '{"a": 1}', '{"a": ["x"]}')),
        ({"scores": ["bad.csv"]}, "bad.csv:2"),
        ({}, "--scores, --runs: give one of the two"),
        ({"scores": ["bad.csv"], "runs": "{}"}, "--scores, --runs: give one of the two"),
    ],
)
def test_scores_that_cannot_be_collected_leave_no_output(tmp_path, monkeypatch, given, words):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "bad.csv", [record(value="nan")])
    vouch(tmp_path, "bad.csv")
    with pytest.raises(InputError, match=words):
        collect_scores.main(flags(**given, output="out.csv", record="out.json"))
    assert not list(tmp_path.glob("*out.*"))


def test_settings_that_are_not_json_stop(results):
    with pytest.raises(InputError, match="--settings"):
        render(results, "sts", settings="{")


def test_a_table_needs_its_own_runs_and_no_others(results):
    shutil.rmtree(results / "scores/faq")
    stem = rendered(results, "sts")
    assert not (results / "tables/scores.csv").exists()
    sources = input_digests(json.loads((results / "tables/records/sts.json").read_text()))
    expected = {
        f"../../scores/sts/nli/tiny/{method}/seed-{seed}/{name}"
        for method in METHODS
        for seed in SEEDS
        for name in ("scores.csv", "predictions.parquet")
    }
    assert set(sources) == expected | {"published"}
    assert "n/a" not in stem.with_suffix(".csv").read_text()


def test_a_run_without_scores_stops_its_table(results):
    shutil.rmtree(results / "scores/sts/nli/tiny/rcl/seed-2")
    with pytest.raises(InputError, match="rcl/seed-2/record.json: no such file"):
        render(results, "sts")
    assert not (results / "tables").exists()


# Of a row: 2 tasks and Average, each with sd; 4 metrics with sd; mean, top3 with sd, max and 3 seeds.
CELLS = {"sts": 6, "faq": 8, "seeds": 8}


@pytest.mark.parametrize(
    "layout, column", [("sts", "sts13"), ("sts", "Average_sd"), ("faq", "map"), ("seeds", "top3")]
)
def test_every_cell_can_be_recomputed_and_one_changed_by_a_millionth_is_found(
    results, capsys, layout, column
):
    path = rendered(results, layout).with_suffix(".csv")
    assert recompute(results) == 0
    assert capsys.readouterr().out.strip() == f"{2 * CELLS[layout]} cells recomputed, 0 differ"
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    table.loc[1, column] = repr(float(table.loc[1, column]) + 1e-6)
    table.to_csv(path, index=False)
    assert recompute(results) == 1 and f"rcl, {column}" in capsys.readouterr().out


def test_a_missing_run_shows_as_n_a_and_the_recomputation_agrees(results):
    shutil.rmtree(results / "scores/sts/nli/tiny/rcl/seed-2")
    render(results, "sts", runs={"sts/nli/tiny/simcse": SEEDS, "sts/nli/tiny/rcl": [1, 3]})
    assert lines_of(results / "tables/sts.csv")[1]["Average"] == "n/a"
    assert recompute(results) == 0


def test_recomputing_without_any_table_fails(tmp_path):
    assert recompute(tmp_path) == 1


def test_the_bootstrap_p_reaches_the_csv_and_the_json(results):
    stem = rendered(results, "sts")
    row = lines_of(stem.with_suffix(".csv"))[1]
    cell = json.loads(json_of(stem).read_text())["rows"][1]["cells"]["Average"]
    contrast = cell["contrast"]
    assert float(row["Average_p_bootstrap"]) == contrast["p_bootstrap"] >= contrast["p"]
    assert float(row["Average_item_error"]) == contrast["item_error"] > 0
    assert float(row["Average"]) == cell["mean"] and cell["n"] == 3


def records_of(results, *names):
    return [results / f"tables/records/{name}.json" for name in names]


def beside_the_tables(results, script, **more):
    """Run a script that reads the tables `sts` and `faq`; return the two files that it writes."""
    for name in ("sts", "faq"):
        rendered(results, name)
    name = script.__name__.rpartition(".")[2]
    table, page = (results / f"tables/{name}.{ending}" for ending in ("csv", "md"))
    [own] = records_of(results, name)
    tables = records_of(results, "sts", "faq")
    script.main(flags(**more, tables=tables, csv=table, markdown=page, record=own))
    return table, page


CLAIMS = """\
claims:
  ours-is-better:
    says: The made-up rcl is better than simcse
    source: this test
    table: rcl_table3
    columns: [Average]
    rows:
      rcl-8: {weight: 1, published: rcl/3/RCL}
      attention-dropout-0.1: {weight: -1, published: "rcl/3/Attention dropout (p=0.1)"}
"""
COLUMNS = "columns: [Average]"


@pytest.mark.parametrize(
    "change, found",
    [
        (("table: rcl_table3", "table: rcl_table9"), r":5: there is no table 'rcl_table9'"),
        (("      rcl-8:", "      rcl-99:"), r":8: there is no method 'rcl-99'"),
        (("{weight: 1,", "{weight: 1, base: bort,"), r":8: there is no base 'bort'"),
        ((COLUMNS, f"{COLUMNS}\n    base: bort"), r":7: there is no base 'bort'"),
        (("rcl/3/RCL", "rcl/3/RLC"), r":8: 'rcl/3/RLC': no such published row"),
        ((COLUMNS, "columns: [Mean]"), r":8: 'rcl/3/RCL' has no column 'Mean'"),
        ((", published: rcl/3/RCL", ""), r":2: only some of its rows name a row of the paper"),
        (("weight: 1,", "weight: -3,"), r":2: the paper's numbers give -"),
        (("source:", "sauce:"), r"claims.yaml.claims.ours-is-better.sauce: unknown key"),
    ],
)
def test_a_claim_with_an_unknown_name_stops_at_its_line(tmp_path, change, found):
    path = tmp_path / "claims.yaml"
    path.write_text(CLAIMS.replace(*change))
    written = dict.fromkeys(("csv", "markdown", "record"), tmp_path / "none")
    with pytest.raises(InputError, match=found) as caught:
        judge_claims.main(flags(claims=path, **PUBLISHED, tables=["none"], **written))
    assert "\n" not in str(caught.value)


def test_the_shipped_claims_are_not_run_without_their_tables(results):
    claims = ROOT / "workflow/claims.yaml"
    table, page = beside_the_tables(results, judge_claims, claims=claims, **PUBLISHED)
    lines = lines_of(table)
    assert len(lines) >= 15 and {line["verdict"] for line in lines} == {"not run"}
    assert f"0 verdicts: none. {len(lines)} have none." in page.read_text()


def test_the_simulation_reads_the_spread_of_the_tables(results):
    table, page = beside_the_tables(results, simulate_statistics)
    cells = json.loads(json_of(results / "tables/sts").read_text())["rows"][1]["cells"]
    contrast = cells["Average"]["contrast"]
    of_sts = [line for line in lines_of(table) if line["table"] == "sts"]
    assert [line["n"] for line in of_sts] == ["3"] * 5
    assert float(of_sts[0]["item_error"]) == pytest.approx(contrast["item_error"])
    assert float(of_sts[0]["detectable"]) == pytest.approx(contrast["detectable"])
    assert "bootstrap of seeds and items" in page.read_text()


def test_the_same_inputs_give_the_same_bytes(results):
    def written():
        stem = rendered(results, "sts")
        forms = (json_of(stem), *map(stem.with_suffix, (".csv", ".md", ".tex")))
        return [path.read_bytes() for path in forms]

    assert written() == written()


def compare(results, *names):
    """Compare some tables with the papers' numbers; return the page."""
    page = results / "published.md"
    [own] = records_of(results, "published")
    tables = records_of(results, *names)
    compare_published.main(flags(**PUBLISHED, tables=tables, output=page, record=own))
    return page.read_text()


def test_the_comparison_page_tells_run_from_not_run_and_stand_in(results):
    rendered(results, "sts")
    rendered(results, "faq", stand_in=["data bank instead of faqir"])
    page = compare(results, "sts", "faq")
    # claimed and run: sts12, sts13 and Average of RCL's Table 3, and 4 metrics of 2a (a stand-in)
    assert page.count("stand-in, not comparable |") == 4
    assert page.count("- stand-in faq, rcl: data bank instead of faqir") == 1
    assert page.count("| sts, rcl |") == 3 and "| RCL | sts12 | \\*76.15 |" in page
    assert "“SRoBERTa base” (8 cells)" in page


STEPS = {
    "collect": collected,
    "render": lambda results: render(results, "sts"),
    "compare": lambda results: compare(results, "sts"),
}


@pytest.mark.parametrize(
    "name, step",
    [
        ("scores/sts/nli/tiny/rcl/seed-2/scores.csv", "collect"),
        ("scores/sts/nli/tiny/rcl/seed-2/scores.csv", "render"),
        ("scores/sts/nli/tiny/rcl/seed-2/predictions.parquet", "render"),
        ("tables/json/sts.json", "compare"),
        ("scores/sts/nli/tiny/rcl/seed-2/record.json", "collect"),
        ("tables/records/sts.json", "compare"),
    ],
)
def test_one_flipped_bit_stops_the_next_stage_with_the_name_of_the_file(results, name, step):
    rendered(results, "sts")
    path = results / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    damaged = r": damaged: expected sha256 \w+.*, found \w+"
    unreadable = r":\d+: not readable as JSON .*"  # where the flipped bit ends the JSON
    with pytest.raises(InputError, match=f"{path.name}({damaged}|{unreadable}); delete"):
        STEPS[step](results)
