"""The paired bootstrap of table rows, from predictions on disk."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from pytest import approx

from semblance.errors import InputError
from semblance.names import TRANSFER_TASKS
from semblance.reporting.bootstrap import _covariances, with_bootstrap
from semblance.reporting.table import BETWEEN, BY_MEAN, Contrast
from tests.unit.reporting.example_scores import FAQ, TASKS, of_fold, record, runs, table

RNG = np.random.default_rng(0)
GOLD = {task: RNG.normal(size=60) for task in TASKS}
ROWS = {"a": ("a", (1, 2)), "b": ("b", (1, 2))}
SCORES = runs("a", {1: (0.70, 0.70), 2: (0.60, 0.60)})
SCORES += runs("b", {1: (0.90, 0.90), 2: (0.83, 0.83)})
against_a = partial(table, control="a")


def save(root, run, data):
    path = root / "scores" / run / "predictions.parquet"
    path.parent.mkdir(parents=True)
    data.to_parquet(path)


def sts(noise):
    parts = []
    for task, gold in GOLD.items():
        items = {"task": task, "subset": "", "index": range(60), "gold": gold}
        parts.append(pd.DataFrame(items | {"similarity": gold + noise * RNG.normal(size=60)}))
    return pd.concat(parts)


def written(root, lost=False, **noises):
    """Write predictions of two seeds of each method, but those of b's second seed if it is lost."""
    for method, noise in (noises or {"a": 2.0, "b": 0.05}).items():
        for seed in (1, 2):
            if not (lost and (method, seed) == ("b", 2)):
                save(root, f"sts/nli/tiny/{method}/seed-{seed}", sts(noise))
    return root


@pytest.mark.parametrize(
    "layout, column", [("sts", "Average"), ("regulators", "Average"), ("seeds", "mean")]
)
def test_the_main_column_gets_the_figures_of_the_bootstrap(tmp_path, layout, column):
    made = against_a(ROWS, SCORES, layout=layout)
    found = with_bootstrap(made, written(tmp_path), 200, 0)
    contrast = found.rows[1].cells[column].contrast
    assert contrast.bootstrap_low < contrast.difference < contrast.bootstrap_high
    assert contrast.p <= contrast.p_bootstrap < 1 and contrast.item_error > 0
    assert found.rows[0].cells[column].contrast is None
    assert "200 draws" in found.notes[-1]


def of_subsets(root, lift):
    """Predictions of two seeds on two tasks: b's similarities in the second subset are higher."""
    for task_noise, method, more in ((0.5, "a", 0.0), (0.4, "b", lift)):
        for seed in (1, 2):
            found = sts(task_noise)
            second = found["index"] >= 30
            found["subset"] = np.where(second, "y", "x")
            found["similarity"] += more * second
            save(root, f"sts/nli/tiny/{method}/seed-{seed}", found)
    return root


@pytest.mark.parametrize("tasks, wider", [(["sts12", "sts13"], True), (["stsb", "own"], False)])
def test_subsets_are_drawn_first_where_the_protocol_has_some(tmp_path, monkeypatch, tasks, wider):
    monkeypatch.setattr("tests.unit.reporting.example_scores.TASKS", tasks)
    monkeypatch.setitem(globals(), "GOLD", dict(zip(tasks, GOLD.values(), strict=True)))
    scores = runs("a", {1: (0.7, 0.7), 2: (0.6, 0.6)}) + runs("b", {1: (0.9, 0.9), 2: (0.8, 0.7)})
    made = against_a(ROWS, scores, tasks=tasks)
    found = with_bootstrap(made, of_subsets(tmp_path, 3.0), 500, 0)
    contrast = found.rows[1].cells["Average"].contrast
    reach = (contrast.bootstrap_high - contrast.bootstrap_low) / 2
    assert (
        contrast.subsets_reach > 1.05 * reach if wider else contrast.subsets_reach == approx(reach)
    )
    # By the mean of subsets a shift between them costs nothing; over all pairs it costs much.
    of_b = {name: of["b"] for name, of in found.rows[1].items.items()}
    assert (of_b[BETWEEN] > 0) == wider
    assert wider or of_b[BY_MEAN] == of_b["Average"]


def test_the_order_of_the_predictions_does_not_matter(tmp_path):
    made = against_a(ROWS, SCORES)
    written(tmp_path / "x", a=1.0, b=0.9)
    for path in (tmp_path / "x").rglob("*.parquet"):
        target = tmp_path / "y" / path.relative_to(tmp_path / "x")
        target.parent.mkdir(parents=True)
        pd.read_parquet(path).sample(frac=1, random_state=1).to_parquet(target)
    a, b = (with_bootstrap(made, tmp_path / name, 100, 0) for name in "xy")
    assert a == b and a.rows[1].cells["Average"].contrast.p_bootstrap is not None


def test_without_the_predictions_of_a_run_there_is_no_p(tmp_path):
    made = against_a(ROWS, SCORES)
    found = with_bootstrap(made, written(tmp_path, lost=True), 50, 0)
    assert [bool(one.items) for one in found.rows] == [True, False]
    assert found.rows[1].cells == made.rows[1].cells and found.notes == made.notes


@pytest.mark.parametrize(
    "column, place, value", [("gold", slice(None), 7.0), ("similarity", 3, np.nan)]
)
def test_predictions_on_other_items_or_that_are_no_number_stop(tmp_path, column, place, value):
    broken = sts(0.1)
    broken.iloc[place, broken.columns.get_loc(column)] = value
    save(written(tmp_path, lost=True), "sts/nli/tiny/b/seed-2", broken)
    with pytest.raises(InputError, match="seed-2"):
        with_bootstrap(against_a(ROWS, SCORES), tmp_path, 50, 0)


def faq_results(root, right, alike=1):
    """Scores and predictions of two folds of 20 queries: the first ``right`` ones of a seed are right.

    ``right``: {method: the number for each seed}. Under ``annotated``, no two methods differ.
    Groups are of ``alike`` queries each.
    """
    scores = []
    for method, numbers in right.items():
        for seed, number in enumerate(numbers, 1):
            queries = pd.DataFrame({"protocol": ["pairs"] * 20 + ["annotated"] * 20})
            queries["query"] = [*range(20)] * 2
            queries["group"] = queries["query"] // alike
            for name in ("acc@1", "acc@3", "acc@5", "ap"):
                queries[name] = [1.0] * number + [0.0] * (20 - number) + [0.5] * 20
            for fold in (0, 1):
                scores += of_fold(method, seed, fold, number / 20)
                save(root, f"faq/bank-{fold}/tiny/{method}/seed-{seed}", queries)
    return scores


def faq_table(root, a, b, alike=1):
    """The table of two methods, each with its numbers of right queries."""
    rows = {"a": ("a", range(1, len(a) + 1)), "b": ("b", range(1, len(b) + 1))}
    return against_a(rows, faq_results(root, {"a": a, "b": b}, alike), **FAQ)


def test_faq_metrics_are_tested_by_query_within_their_protocol(tmp_path):
    made = faq_table(tmp_path, (0, 0), (10, 12))
    found = with_bootstrap(made, tmp_path, 4000, 0).rows[1].cells
    # Of seed 1, 10 of the 20 queries of a fold gain 1, of seed 2, 12: variances .25 and .24. With two
    # seeds the items add the mean of both, which is that of the mean and that of the seeds' own luck.
    of_items = 100 * (0.245 / 20 / 2) ** 0.5
    for cell in found.values():
        assert cell.contrast.difference == approx(55)
        assert cell.contrast.item_error == approx(of_items, rel=0.05)


def test_queries_of_one_group_count_as_one(tmp_path):
    """Groups of four copies: 8 and 12 of 20 queries are 2 and 3 of 5 groups."""
    made = faq_table(tmp_path, (0, 0), (8, 12), alike=4)
    found = with_bootstrap(made, tmp_path, 4000, 0).rows[1].cells
    # Of seed 1, 2 of the 5 groups of a fold gain 1, of seed 2, 3: both variances are .24.
    for cell in found.values():
        assert cell.contrast.item_error == approx(100 * (0.24 / 5 / 2) ** 0.5, rel=0.05)


def test_with_one_seed_there_is_no_p(tmp_path):
    made = faq_table(tmp_path, (0,), (20,))
    assert with_bootstrap(made, tmp_path, 50, 0).rows[1].cells == made.rows[1].cells
    assert made.rows[1].cells["map"].contrast == Contrast(difference=100.0)


def test_a_difference_that_other_items_would_not_show_gets_a_large_p(tmp_path):
    """Three seeds that agree on few queries: the seeds alone call it sure, the queries do not."""
    made = faq_table(tmp_path / "x", (10, 10, 9), (11, 11, 10))
    assert made.rows[1].cells["map"].contrast.p is None  # no spread
    made = faq_table(tmp_path / "y", (2, 2, 2), (3, 3, 4))
    contrast = with_bootstrap(made, tmp_path / "y", 1000, 0).rows[1].cells["map"].contrast
    assert contrast.p < 0.06 < 0.09 < contrast.p_bootstrap


def test_a_row_does_not_change_with_the_other_rows_of_its_table(tmp_path):
    written(tmp_path, a=1.0, b=0.9, c=0.5)
    scores = SCORES + runs("c", {1: (0.80, 0.80), 2: (0.75, 0.75)})
    alone, beside = (
        with_bootstrap(against_a(rows, scores), tmp_path, 100, 0).rows[1]
        for rows in (ROWS, {**ROWS, "c": ("c", (1, 2))})
    )
    alone, beside = (found.cells["Average"].contrast.p_bootstrap for found in (alone, beside))
    assert alone == approx(beside, rel=1e-9)


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
    scores = []
    right = {}  # of each method and task: whether each item is right
    for method, share in (("a", 0.6), ("b", 0.9)):
        found = labels(share, rng)
        for seed in (1, 2):
            save(tmp_path, f"transfer/nli/tiny/{method}/seed-{seed}", found)
        for task, items in found[found["part"] == "test"].groupby("task"):
            right[method, task] = (items["gold"] == items["predicted"]).to_numpy(float)
            place = {"task": task, "metric": "accuracy", "aggregation": "test", "method": method}
            for seed in (1, 2):
                value = right[method, task].mean() + 0.001 * seed * (method == "b")
                scores.append(record(**place, seed=seed, value=value))
    made = against_a(ROWS, scores, layout="transfer", tasks=[])
    contrast = with_bootstrap(made, tmp_path, 4000, 0).rows[1].cells["Average"].contrast
    # of the mean difference of each task: items are paired, tasks independent
    variances = [np.var(right["b", task] - right["a", task]) / 60 for task in TRANSFER_TASKS]
    expected = 100 * np.sqrt(sum(variances)) / len(TRANSFER_TASKS)
    assert contrast.item_error == approx(expected, rel=0.05)
    assert contrast.bootstrap_low < contrast.difference < contrast.bootstrap_high


def test_the_error_of_items_of_two_nearly_equal_rows_is_that_of_their_difference():
    """A difference of a thousandth of the rows' own spread leaves a millionth of the covariances."""
    ours = RNG.normal(50, 1, size=(200, 1))
    gap = RNG.normal(0, 0.001, size=(200, 1))
    rows = [SimpleNamespace(label="a", seeds=(1,)), SimpleNamespace(label="b", seeds=(1,))]
    kept = _covariances(rows, {"Average": np.hstack([ours, ours + gap])})
    of_a, of_b = kept["a"]["Average"], kept["b"]["Average"]
    found = of_a["a"] + of_b["b"] - 2 * of_b["a"]
    assert found == approx(np.var(gap, ddof=1), rel=1e-4)
