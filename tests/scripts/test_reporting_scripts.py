"""The reporting stages from score files to the comparison, through each script's main."""

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from semblance.errors import InputError
from semblance.provenance import checked, input_digests, write_json, write_record
from tests.unit.reporting.example_scores import TASKS, record, write
from workflow.scripts import (
    collect_scores,
    compare_overlap,
    compare_published,
    judge_claims,
    render_table,
    simulate_statistics,
)

ROOT = Path(__file__).parents[2]
METRICS = ("acc@1", "acc@3", "acc@5", "ap")
METHODS = ("simcse", "rcl")


@pytest.fixture
def results(tmp_path):
    """A results folder of two methods and three seeds on two STS tasks, and one bank of two folds."""
    rng = np.random.default_rng(0)
    gold = {task: rng.integers(0, 11, 80) / 2 for task in TASKS}
    for method, noise in (("simcse", 2.0), ("rcl", 0.5)):
        for seed in (1, 2, 3):
            sts_run(
                tmp_path / f"scores/sts/nli/tiny/{method}/seed-{seed}",
                method,
                seed,
                gold,
                noise,
                rng,
            )
            for fold in (0, 1):
                faq_run(
                    tmp_path / f"scores/faq/bank-{fold}/tiny/{method}/seed-{seed}",
                    method,
                    seed,
                    fold,
                    rng,
                )
    return tmp_path


def vouch(folder, *names):
    write_record(folder / "record.json", "evaluate", outputs=names, started=0.0)


def sts_run(folder, method, seed, gold, noise, rng):
    frame = pd.concat(
        [
            pd.DataFrame(
                {
                    "task": task,
                    "subset": "",
                    "index": range(80),
                    "gold": values,
                    "similarity": values + noise * rng.normal(size=80),
                }
            )
            for task, values in gold.items()
        ]
    )
    write(
        folder / "scores.csv",
        [
            record(
                method=method,
                seed=seed,
                task=task,
                value=repr(float(spearmanr(part["gold"], part["similarity"])[0])),
            )
            for task, part in frame.groupby("task")
        ],
    )
    frame.to_parquet(folder / "predictions.parquet")
    vouch(folder, "scores.csv", "predictions.parquet")


def faq_run(folder, method, seed, fold, rng):
    ranks = [
        sorted(rng.choice(np.arange(1, 12), size=rng.integers(1, 4), replace=False).tolist())
        for _ in range(25)
    ]
    frame = pd.DataFrame(
        {
            "protocol": "pairs",
            "query": range(25),
            "ranks": ranks,
            **{f"acc@{k}": [float(r[0] <= k) for r in ranks] for k in (1, 3, 5)},
            "ap": [float(np.mean([(i + 1) / rank for i, rank in enumerate(r)])) for r in ranks],
        }
    )
    write(
        folder / "scores.csv",
        [
            record(
                corpus=f"bank-{fold}",
                method=method,
                seed=seed,
                fold=str(fold),
                task="bank",
                aggregation="test",
                protocol="pairs",
                metric="map" if name == "ap" else name,
                value=repr(float(frame[name].mean())),
            )
            for name in METRICS
        ],
    )
    frame.to_parquet(folder / "predictions.parquet")
    vouch(folder, "scores.csv", "predictions.parquet")


def settings(layout, stand_in=(), **given):
    published = {"sts": "rcl/3/RCL", "faq": "rcl/2a/RCL"}.get(layout)
    rows = [
        {
            "label": name,
            "corpus": "nli",
            "base": "tiny",
            "method": name,
            "seeds": [1, 2, 3],
            "published": published if name == "rcl" else None,
            "stand_in": list(stand_in) if name == "rcl" else [],
        }
        for name in ("simcse", "rcl")
    ]
    tasks = [] if layout == "faq" else list(TASKS)
    return {
        "name": layout,
        "title": "T",
        "layout": layout,
        "rows": rows,
        "tasks": tasks,
        "control": "simcse",
        "dataset": "bank" if layout == "faq" else None,
        "folds": 2 if layout == "faq" else None,
        "draws": 50,
    } | given


def collected(results):
    output, vouched = results / "tables/scores.csv", results / "tables/records/scores.json"
    paths = sorted(map(str, results.glob("scores/*/*/*/*/*/scores.csv")))
    assert len(paths) == 2 * 3 * (1 + 2)
    collect_scores.main(["--scores", *paths, "--output", str(output), "--record", str(vouched)])
    return output


def rendered(results, layout, **given):
    published = str(ROOT / "workflow/published.yaml")
    render(results, layout, "--published", published, **given)
    return results / "tables" / layout


def runs_of(layout):
    """Return the runs of a table, with their seeds."""
    corpora = ["faq/bank-0", "faq/bank-1"] if layout == "faq" else ["sts/nli"]
    return {f"{corpus}/tiny/{method}": [1, 2, 3] for corpus in corpora for method in METHODS}


def render(results, layout, *more, runs=None, **given):
    """Render a table from its own runs, or from other ones."""
    tables = results / "tables"
    stem = tables / layout
    render_table.main(
        [
            "--settings",
            json.dumps(settings(layout, **given)),
            "--runs",
            json.dumps(runs or runs_of(layout)),
            "--results",
            str(results),
            *more,
            "--csv",
            f"{stem}.csv",
            "--markdown",
            f"{stem}.md",
            "--latex",
            f"{stem}.tex",
            "--json",
            f"{tables}/json/{layout}.json",
            "--record",
            f"{tables}/records/{layout}.json",
        ]
    )


def json_of(stem):
    return stem.parent / "json" / f"{stem.name}.json"


def recompute(results):
    command = [sys.executable, str(ROOT / "tests/recompute.py"), str(results)]
    return subprocess.run(command, capture_output=True, text=True)


def test_both_ways_to_name_score_files_give_the_same_csv(results):
    expected = collected(results).read_bytes()
    runs = {
        f"{kind}/tiny/{method}": [3, 1, 2]
        for kind in ("sts/nli", "faq/bank-0", "faq/bank-1")
        for method in METHODS
    }
    collect_scores.main(
        [
            "--root",
            str(results / "scores"),
            "--runs",
            json.dumps(runs),
            "--output",
            str(results / "again.csv"),
            "--record",
            str(results / "again.json"),
        ]
    )
    assert (results / "again.csv").read_bytes() == expected


@pytest.mark.parametrize("runs", ["{", "[1]", '{"a": 1}', '{"a": ["x"]}'])
def test_a_malformed_json_of_runs_stops(results, runs):
    with pytest.raises(InputError, match="--runs"):
        collect_scores.main(
            [
                "--runs",
                runs,
                "--output",
                str(results / "x.csv"),
                "--record",
                str(results / "x.json"),
            ]
        )
    assert not (results / "x.csv").exists()


def test_a_bad_score_leaves_no_output(results):
    bad = write(results / "bad.csv", [record(value="nan")])
    vouch(results, "bad.csv")
    with pytest.raises(InputError, match="bad.csv:2"):
        collect_scores.main(
            [
                "--scores",
                str(bad),
                "--output",
                str(results / "out.csv"),
                "--record",
                str(results / "out.json"),
            ]
        )
    assert not list(results.glob("*out.csv*"))


def test_settings_that_are_not_json_stop(results):
    with pytest.raises(InputError, match="--settings"):
        render_table.main(
            [
                "--settings",
                "{",
                "--runs",
                "{}",
                "--results",
                "r",
                "--csv",
                "c",
                "--markdown",
                "m",
                "--latex",
                "l",
                "--json",
                "j",
                "--record",
                "r",
            ]
        )


def test_a_table_needs_its_own_runs_and_no_others(results):
    shutil.rmtree(results / "scores/faq")
    stem = rendered(results, "sts")
    assert not (results / "tables/scores.csv").exists()
    sources = input_digests(json.loads((results / "tables/records/sts.json").read_text()))
    expected = {
        f"../../scores/sts/nli/tiny/{method}/seed-{seed}/{name}"
        for method in METHODS
        for seed in (1, 2, 3)
        for name in ("scores.csv", "predictions.parquet")
    }
    assert set(sources) == expected | {"published"}
    assert "n/a" not in stem.with_suffix(".csv").read_text()


def test_a_run_without_scores_stops_its_table(results):
    shutil.rmtree(results / "scores/sts/nli/tiny/rcl/seed-2")
    with pytest.raises(InputError, match="rcl/seed-2/record.json: no such file"):
        render(results, "sts")
    assert not (results / "tables").exists()


@pytest.mark.parametrize("layout", ["sts", "faq", "seeds"])
def test_every_cell_can_be_recomputed_from_the_predictions(results, layout):
    rendered(results, layout)
    done = recompute(results)
    assert done.returncode == 0, done.stdout + done.stderr
    # cells of two rows: sts (2 tasks + Average) and faq (4 metrics) with sd; seeds mean, top3 with sd, max, 3 seeds
    assert done.stdout.startswith(
        f"{2 * {'sts': 6, 'faq': 8, 'seeds': 8}[layout]} cells recomputed, 0 differ"
    )


@pytest.mark.parametrize(
    "layout, column", [("sts", "sts13"), ("sts", "Average_sd"), ("faq", "map"), ("seeds", "top3")]
)
def test_a_cell_changed_by_a_millionth_is_found(results, layout, column):
    path = rendered(results, layout).with_suffix(".csv")
    rows = list(csv.DictReader(path.open()))
    rows[1][column] = repr(float(rows[1][column]) + 1e-6)
    with path.open("w", newline="") as handle:
        writer = csv.DictWriter(handle, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    done = recompute(results)
    assert done.returncode == 1 and f"rcl, {column}" in done.stdout


def test_a_missing_run_shows_as_n_a_and_the_recomputation_agrees(results):
    for path in (results / "scores/sts/nli/tiny/rcl/seed-2").iterdir():
        path.unlink()
    render(results, "sts", runs={"sts/nli/tiny/simcse": [1, 2, 3], "sts/nli/tiny/rcl": [1, 3]})
    with open(results / "tables/sts.csv", newline="") as table:
        assert list(csv.DictReader(table))[1]["Average"] == "n/a"
    assert recompute(results).returncode == 0


def test_recomputing_without_any_table_fails(tmp_path):
    assert recompute(tmp_path).returncode == 1


def test_the_bootstrap_p_reaches_the_csv_and_the_json(results):
    stem = rendered(results, "sts")
    row = list(csv.DictReader(stem.with_suffix(".csv").open()))[1]
    cell = json.loads(json_of(stem).read_text())["rows"][1]["cells"]["Average"]
    contrast = cell["contrast"]
    assert float(row["Average_p_bootstrap"]) == contrast["p_bootstrap"] >= contrast["p"]
    assert float(row["Average_item_error"]) == contrast["item_error"] > 0
    assert float(row["Average"]) == cell["mean"] and cell["n"] == 3


def beside_the_tables(results, script, *more):
    """Run a script that reads the tables `sts` and `faq`; return the two files that it writes."""
    for name in ("sts", "faq"):
        rendered(results, name)
    stem = results / "tables" / script.__name__.rpartition(".")[2]
    records = results / "tables/records"
    script.main(
        [
            *more,
            "--tables",
            *(str(records / f"{name}.json") for name in ("sts", "faq")),
            "--csv",
            f"{stem}.csv",
            "--markdown",
            f"{stem}.md",
            "--record",
            str(records / f"{stem.name}.json"),
        ]
    )
    return stem.with_suffix(".csv"), stem.with_suffix(".md")


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


@pytest.mark.parametrize(
    "change, found",
    [
        (("table: rcl_table3", "table: rcl_table9"), r":5: there is no table 'rcl_table9'"),
        (("      rcl-8:", "      rcl-99:"), r":8: there is no method 'rcl-99'"),
        (("{weight: 1,", "{weight: 1, base: bort,"), r":8: there is no base 'bort'"),
        (
            ("columns: [Average]", "columns: [Average]\n    base: bort"),
            r":7: there is no base 'bort'",
        ),
        (("rcl/3/RCL", "rcl/3/RLC"), r":8: 'rcl/3/RLC': no such published row"),
        (("columns: [Average]", "columns: [Mean]"), r":8: 'rcl/3/RCL' has no column 'Mean'"),
        ((", published: rcl/3/RCL", ""), r":2: only some of its rows name a row of the paper"),
        (("weight: 1,", "weight: -3,"), r":2: the paper's numbers give -"),
        (("source:", "sauce:"), r"claims.yaml.claims.ours-is-better.sauce: unknown key"),
    ],
)
def test_a_claim_with_an_unknown_name_stops_at_its_line(results, change, found):
    path = results / "claims.yaml"
    path.write_text(CLAIMS.replace(*change))
    published = str(ROOT / "workflow/published.yaml")
    with pytest.raises(InputError, match=found) as caught:
        beside_the_tables(results, judge_claims, "--claims", str(path), "--published", published)
    assert "\n" not in str(caught.value)


def test_the_shipped_claims_are_not_run_without_their_tables(results):
    published = str(ROOT / "workflow/published.yaml")
    claims = str(ROOT / "workflow/claims.yaml")
    table, page = beside_the_tables(
        results, judge_claims, "--claims", claims, "--published", published
    )
    lines = list(csv.DictReader(table.open()))
    assert len(lines) >= 15 and {line["verdict"] for line in lines} == {"not run"}
    assert f"0 verdicts: none. {len(lines)} have none." in page.read_text()


def test_the_simulation_reads_the_spread_of_the_tables(results):
    table, page = beside_the_tables(results, simulate_statistics)
    lines = list(csv.DictReader(table.open()))
    cells = json.loads(json_of(results / "tables/sts").read_text())["rows"][1]["cells"]
    contrast = cells["Average"]["contrast"]
    of_sts = [line for line in lines if line["table"] == "sts"]
    assert [line["n"] for line in of_sts] == ["3"] * 5
    assert float(of_sts[0]["item_error"]) == pytest.approx(contrast["item_error"])
    assert float(of_sts[0]["detectable"]) == pytest.approx(contrast["detectable"])
    assert "bootstrap of seeds and items" in page.read_text()


def test_the_overlap_of_each_corpus_stands_beside_the_papers(tmp_path):
    records = []
    for name, value in (("qqp", 61.5), ("mine", 40.25)):
        folder = tmp_path / "corpora" / name
        write_json(folder / "overlap.json", {"pairs": 9, "overlap": value})
        write_record(folder / "record.json", "prepare", outputs=["overlap.json"], started=0.0)
        records.append(str(folder / "record.json"))
    table = tmp_path / "tables/simcse_overlap.csv"
    record_file = tmp_path / "tables/records/simcse_overlap.json"
    published = ["--published", str(ROOT / "workflow/published.yaml")]
    rows = ["--rows", '{"qqp": "simcse/text/QQP"}']
    written = ["--csv", str(table), "--record", str(record_file)]
    compare_overlap.main(["--corpora", *records, *rows, *published, *written])
    lines = list(csv.DictReader(table.open()))
    assert [line["corpus"] for line in lines] == ["qqp", "mine"]
    assert [line["overlap"] for line in lines] == ["61.5", "40.25"]
    assert [line["paper"] for line in lines] == ["60.0", ""]
    inputs = input_digests(checked(record_file))
    assert set(inputs) == {
        "published",
        "../../corpora/qqp/overlap.json",
        "../../corpora/mine/overlap.json",
    }


def test_the_same_inputs_give_the_same_bytes(results):
    def written():
        stem = rendered(results, "sts")
        return [
            path.read_bytes()
            for path in (json_of(stem), *map(stem.with_suffix, (".csv", ".md", ".tex")))
        ]

    assert written() == written()


def test_the_comparison_page_tells_run_from_not_run_and_stand_in(results):
    rendered(results, "sts")
    rendered(results, "faq", stand_in=["data bank instead of faqir"])
    tables = [str(results / f"tables/records/{name}.json") for name in ("sts", "faq")]
    output = results / "published.md"
    compare_published.main(
        [
            "--published",
            str(ROOT / "workflow/published.yaml"),
            "--tables",
            *tables,
            "--output",
            str(output),
            "--record",
            str(results / "tables/records/published.json"),
        ]
    )
    page = output.read_text()
    # claimed and run: sts12, sts13 and Average of RCL's Table 3, and 4 metrics of 2a (a stand-in)
    assert page.count("stand-in, not comparable |") == 4
    assert page.count("- stand-in faq, rcl: data bank instead of faqir") == 1
    assert page.count("| sts, rcl |") == 3 and "| RCL | sts12 | \\*76.15 |" in page
    assert "“SRoBERTa base” (8 cells)" in page


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
    flip(results / name)
    steps = {
        "collect": lambda: collected(results),
        "render": lambda: render(results, "sts"),
        "compare": lambda: compare_published.main(
            [
                "--published",
                str(ROOT / "workflow/published.yaml"),
                "--tables",
                str(results / "tables/records/sts.json"),
                "--output",
                str(results / "page.md"),
                "--record",
                str(results / "page.json"),
            ]
        ),
    }
    damaged = r": damaged: expected sha256 \w+.*, found \w+"
    unreadable = r":\d+: not readable as JSON .*"  # where the flipped bit ends the JSON
    with pytest.raises(
        InputError, match=f"{name.rpartition('/')[2]}({damaged}|{unreadable}); delete"
    ):
        steps[step]()


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
