"""The paired bootstrap of table rows, from predictions on disk."""

import numpy as np
import pandas as pd
import pytest

from semblance.errors import InputError
from semblance.names import TRANSFER_TASKS
from semblance.reporting.bootstrap import with_bootstrap
from semblance.reporting.build import build
from semblance.reporting.layouts import find_layout
from semblance.reporting.table import Contrast
from tests.unit.reporting.example_scores import TASKS, frame, record, runs, spec

RNG = np.random.default_rng(0)
GOLD = {task: RNG.normal(size=60) for task in TASKS}
ROWS = {"a": ("a", (1, 2)), "b": ("b", (1, 2))}
SCORES = frame(
    runs("a", {1: (0.70, 0.70), 2: (0.60, 0.60)}) + runs("b", {1: (0.90, 0.90), 2: (0.83, 0.83)})
)


def save(root, run, data):
    path = root / "scores" / run / "predictions.parquet"
    path.parent.mkdir(parents=True)
    data.to_parquet(path)


def sts(noise, shuffle=False):
    parts = [
        pd.DataFrame(
            {
                "task": task,
                "subset": "",
                "index": range(60),
                "gold": gold,
                "similarity": gold + noise * RNG.normal(size=60),
            }
        )
        for task, gold in GOLD.items()
    ]
    return pd.concat(parts).sample(frac=1, random_state=0) if shuffle else pd.concat(parts)


def written(root, noises=(2.0, 0.05), lost=False, shuffle=False):
    for method, noise in zip("ab", noises, strict=True):
        for seed in (1, 2):
            if not (lost and (method, seed) == ("b", 2)):
                save(root, f"sts/nli/tiny/{method}/seed-{seed}", sts(noise, shuffle))
    return root


@pytest.mark.parametrize(
    "layout, column", [("sts", "Average"), ("regulators", "Average"), ("seeds", "mean")]
)
def test_the_main_column_gets_the_figures_of_the_bootstrap(tmp_path, layout, column):
    table = build(spec(ROWS, control="a", layout=layout), SCORES)
    found = with_bootstrap(table, written(tmp_path), 200, 0)
    contrast = found.rows[1].cells[column].contrast
    assert contrast.bootstrap_low < contrast.difference < contrast.bootstrap_high
    assert contrast.p <= contrast.p_bootstrap < 1 and contrast.item_error > 0
    assert found.rows[0].cells[column].contrast is None
    assert "200 draws" in found.notes[-1]


def test_the_order_of_the_predictions_does_not_matter(tmp_path):
    table = build(spec(ROWS, control="a"), SCORES)
    written(tmp_path / "x", (1.0, 0.9))
    for path in (tmp_path / "x").rglob("*.parquet"):
        target = tmp_path / "y" / path.relative_to(tmp_path / "x")
        target.parent.mkdir(parents=True)
        pd.read_parquet(path).sample(frac=1, random_state=1).to_parquet(target)
    a, b = (with_bootstrap(table, tmp_path / name, 100, 0) for name in "xy")
    assert a == b and a.rows[1].cells["Average"].contrast.p_bootstrap is not None


def test_without_the_predictions_of_a_run_there_is_no_p(tmp_path):
    table = build(spec(ROWS, control="a"), SCORES)
    found = with_bootstrap(table, written(tmp_path, lost=True), 50, 0)
    assert [bool(row.items) for row in found.rows] == [True, False]
    assert found.rows[1].cells == table.rows[1].cells and found.notes == table.notes


def test_predictions_on_other_items_stop(tmp_path):
    written(tmp_path, lost=True)
    other = sts(0.1)
    other["gold"] += 1.0
    save(tmp_path, "sts/nli/tiny/b/seed-2", other)
    with pytest.raises(InputError, match="seed-2"):
        with_bootstrap(build(spec(ROWS, control="a"), SCORES), tmp_path, 50, 0)


def test_a_prediction_that_is_no_number_stops(tmp_path):
    written(tmp_path, lost=True)
    broken = sts(0.1)
    broken.iloc[3, broken.columns.get_loc("similarity")] = np.nan
    save(tmp_path, "sts/nli/tiny/b/seed-2", broken)
    with pytest.raises(InputError, match="seed-2"):
        with_bootstrap(build(spec(ROWS, control="a"), SCORES), tmp_path, 50, 0)


def faq_results(root, right):
    """Scores and predictions of two folds of 20 queries: the first ``right`` ones of a seed are right.

    ``right``: {method: {seed: number}}. Under ``annotated``, no two methods differ.
    """
    scores = []
    for method, by_seed in right.items():
        for seed, number in by_seed.items():
            for fold in (0, 1):
                run = {"corpus": f"bank-{fold}", "method": method, "seed": seed}
                for metric in ("acc@1", "acc@3", "acc@5", "map"):
                    more = {"metric": metric, "aggregation": "test", "protocol": "pairs"}
                    value = number / 20
                    scores.append(record(**run, **more, fold=str(fold), task="bank", value=value))
                protocols = ["pairs"] * 20 + ["annotated"] * 20
                queries = pd.DataFrame({"protocol": protocols, "query": [*range(20)] * 2})
                for name in ("acc@1", "acc@3", "acc@5", "ap"):
                    queries[name] = [1.0] * number + [0.0] * (20 - number) + [0.5] * 20
                save(root, f"faq/bank-{fold}/tiny/{method}/seed-{seed}", queries)
    return scores


def test_faq_metrics_are_tested_by_query_within_their_protocol(tmp_path):
    scores = faq_results(tmp_path, {"a": {1: 0, 2: 0}, "b": {1: 10, 2: 12}})
    rows = {name: {"base": "tiny", "method": name, "seeds": [1, 2]} for name in "ab"}
    settings = spec(rows, layout="faq", dataset="bank", folds=2, tasks=[], control="a")
    found = with_bootstrap(build(settings, frame(scores)), tmp_path, 4000, 0).rows[1].cells
    # Of seed 1, 10 of the 20 queries of a fold gain 1, of seed 2, 12: variances .25 and .24. With two
    # seeds the items add the mean of both, which is that of the mean and that of the seeds' own luck.
    of_items = 100 * (0.245 / 20 / 2) ** 0.5
    for cell in found.values():
        assert cell.contrast.difference == pytest.approx(55)
        assert cell.contrast.item_error == pytest.approx(of_items, rel=0.05)


def test_with_one_seed_there_is_no_p(tmp_path):
    scores = faq_results(tmp_path, {"a": {1: 0}, "b": {1: 20}})
    rows = {name: {"base": "tiny", "method": name, "seeds": [1]} for name in "ab"}
    settings = spec(rows, layout="faq", dataset="bank", folds=2, tasks=[], control="a")
    table = build(settings, frame(scores))
    assert with_bootstrap(table, tmp_path, 50, 0).rows[1].cells == table.rows[1].cells
    assert table.rows[1].cells["map"].contrast == Contrast(difference=100.0)


def test_a_difference_that_other_items_would_not_show_gets_a_large_p(tmp_path):
    """Two seeds that agree on half a query: the seeds alone call it sure, the queries do not."""
    scores = faq_results(tmp_path, {"a": {1: 10, 2: 10, 3: 9}, "b": {1: 11, 2: 11, 3: 10}})
    rows = {name: {"base": "tiny", "method": name, "seeds": [1, 2, 3]} for name in "ab"}
    settings = spec(rows, layout="faq", dataset="bank", folds=2, tasks=[], control="a")
    assert build(settings, frame(scores)).rows[1].cells["map"].contrast.p is None  # no spread
    scores = faq_results(tmp_path / "x", {"a": {1: 2, 2: 2, 3: 2}, "b": {1: 3, 2: 3, 3: 4}})
    table = with_bootstrap(build(settings, frame(scores)), tmp_path / "x", 1000, 0)
    contrast = table.rows[1].cells["map"].contrast
    assert contrast.p < 0.06 < 0.09 < contrast.p_bootstrap


def test_a_row_does_not_change_with_the_other_rows_of_its_table(tmp_path):
    written(tmp_path, (1.0, 0.9))
    for seed in (1, 2):
        save(tmp_path, f"sts/nli/tiny/c/seed-{seed}", sts(0.5))
    scores = [*SCORES.to_dict("records"), *runs("c", {1: (0.80, 0.80), 2: (0.75, 0.75)})]
    few = build(spec(ROWS, control="a"), SCORES)
    more = build(spec({**ROWS, "c": ("c", (1, 2))}, control="a"), frame(scores))
    alone, beside = (
        with_bootstrap(table, tmp_path, 100, 0).rows[1].cells["Average"].contrast
        for table in (few, more)
    )
    assert alone.p_bootstrap == pytest.approx(beside.p_bootstrap, rel=1e-9)


@pytest.mark.parametrize("layout", ["sts", "faq"])
def test_two_rows_of_the_same_predictions_are_both_tested(tmp_path, layout):
    """A row that chooses on dev shows the runs of one of its candidates."""
    choose = {"candidates": ["b"], "labels": {"b": "b"}}
    if layout == "sts":
        written(tmp_path)
        dev = [record(method="b", seed=seed, task="stsb-dev", value=0.8) for seed in (1, 2)]
        scores, more = [*SCORES.to_dict("records"), *dev], {}
        rows = {name: {"corpus": "nli", "method": name} for name in ("a", "b")}
    else:
        scores = faq_results(tmp_path, {"a": {1: 8, 2: 9}, "b": {1: 10, 2: 12}})
        scores += [dev_of_fold(fold, seed) for fold in (0, 1) for seed in (1, 2)]
        more = {"dataset": "bank", "folds": 2, "tasks": []}
        rows = {name: {"method": name} for name in ("a", "b")}
    rows["chosen"] = {**rows["b"], "method": "chosen", "choose": choose}
    rows = {label: {"base": "tiny", "seeds": [1, 2], **row} for label, row in rows.items()}
    settings = spec(rows, layout=layout, control="a", **more)
    found = with_bootstrap(build(settings, frame(scores)), tmp_path, 100, 0)
    b, chosen = (row.cells[find_layout(layout).main_column].contrast for row in found.rows[1:])
    assert b.p_bootstrap == chosen.p_bootstrap is not None


def dev_of_fold(fold, seed):
    run = {"corpus": f"bank-{fold}", "method": "b", "seed": seed, "fold": str(fold)}
    return record(**run, task="bank", metric="map", aggregation="dev", protocol="dev", value=0.5)


def labels(right: float, rng: np.random.Generator) -> pd.DataFrame:
    """Return predictions of 60 test items of each transfer task, a share of them right."""
    parts = []
    for task in TRANSFER_TASKS:
        gold = rng.integers(0, 2, 60)
        said = np.where(rng.random(60) < right, gold, 1 - gold)
        columns = {"task": task, "part": "test", "index": range(60), "gold": gold}
        parts.append(pd.DataFrame(columns | {"predicted": said}))
    dev = parts[0].assign(part="dev", predicted=0)
    return pd.concat([*parts, dev])


def test_the_average_of_accuracies_gets_a_bootstrap_over_items_within_each_task(tmp_path):
    rng = np.random.default_rng(4)
    frames = {method: labels(right, rng) for method, right in (("a", 0.6), ("b", 0.9))}
    scores = []
    for method, found in frames.items():
        test = found[found["part"] == "test"]
        for seed in (1, 2):
            save(tmp_path, f"transfer/nli/tiny/{method}/seed-{seed}", found)
            for task, items in test.groupby("task"):
                value = (items["gold"] == items["predicted"]).mean() + 0.001 * seed * (
                    method == "b"
                )
                place = {"task": task, "metric": "accuracy", "aggregation": "test"}
                scores.append(record(method=method, seed=seed, value=value, **place))
    settings = spec(ROWS, control="a", layout="transfer", tasks=[])
    contrast = with_bootstrap(build(settings, frame(scores)), tmp_path, 4000, 0).rows[1]
    contrast = contrast.cells["Average"].contrast
    variances = []  # of the mean difference of each task: items are paired, tasks independent
    for task in TRANSFER_TASKS:
        right = [
            (f["gold"] == f["predicted"])[(f["task"] == task) & (f["part"] == "test")].to_numpy()
            for f in frames.values()
        ]
        variances.append(np.var(right[1].astype(float) - right[0]) / 60)
    expected = 100 * np.sqrt(sum(variances)) / len(TRANSFER_TASKS)
    assert contrast.item_error == pytest.approx(expected, rel=0.05)
    assert contrast.bootstrap_low < contrast.difference < contrast.bootstrap_high
