"""The paired bootstrap of table rows, from predictions on disk."""

import numpy as np
import pandas as pd
import pytest

from semblance.errors import InputError
from semblance.reporting.bootstrap import with_bootstrap
from semblance.reporting.build import build
from semblance.reporting.significance import smallest_p_bootstrap
from tests.unit.reporting.example_scores import TASKS, frame, record, runs, spec

RNG = np.random.default_rng(0)
GOLD = {task: RNG.normal(size=60) for task in TASKS}
ROWS = {"a": ("a", (1, 2)), "b": ("b", (1, 2))}
SCORES = frame(
    runs("a", {1: (0.7, 0.7), 2: (0.6, 0.6)}) + runs("b", {1: (0.9, 0.9), 2: (0.8, 0.8)})
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
def test_an_obvious_difference_reaches_the_smallest_p(tmp_path, layout, column):
    table = build(spec(ROWS, control="a", layout=layout), SCORES)
    found = with_bootstrap(table, written(tmp_path), 200, 0)
    assert found.rows[1].cells[column].p_bootstrap == smallest_p_bootstrap(200)
    assert found.rows[0].cells[column].p_bootstrap is None
    assert "200 draws" in found.notes[-1]


def test_the_order_of_the_predictions_does_not_matter(tmp_path):
    table = build(spec(ROWS, control="a"), SCORES)
    written(tmp_path / "x", (1.0, 0.9))
    for path in (tmp_path / "x").rglob("*.parquet"):
        target = tmp_path / "y" / path.relative_to(tmp_path / "x")
        target.parent.mkdir(parents=True)
        pd.read_parquet(path).sample(frac=1, random_state=1).to_parquet(target)
    a, b = (with_bootstrap(table, tmp_path / name, 100, 0) for name in "xy")
    assert a == b and a.rows[1].cells["Average"].p_bootstrap is not None


def test_without_the_predictions_of_a_run_there_is_no_p(tmp_path):
    table = build(spec(ROWS, control="a"), SCORES)
    assert with_bootstrap(table, written(tmp_path, lost=True), 50, 0) == table


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


def test_faq_metrics_are_tested_by_query_within_their_protocol(tmp_path):
    scores = []
    for method, level in (("a", 0.0), ("b", 1.0)):
        for fold in (0, 1):
            for metric in ("acc@1", "acc@3", "acc@5", "map"):
                scores.append(
                    record(
                        corpus=f"bank-{fold}",
                        method=method,
                        fold=str(fold),
                        task="bank",
                        metric=metric,
                        aggregation="test",
                        protocol="pairs",
                        value=level,
                    )
                )
            queries = pd.DataFrame(
                {"protocol": ["pairs"] * 20 + ["annotated"] * 20, "query": [*range(20)] * 2}
            )
            for name in ("acc@1", "acc@3", "acc@5", "ap"):
                queries[name] = [level] * 20 + [0.5] * 20
            save(tmp_path, f"faq/bank-{fold}/tiny/{method}/seed-1", queries)
    rows = {name: {"base": "tiny", "method": name, "seeds": [1]} for name in "ab"}
    table = build(
        spec(rows, layout="faq", dataset="bank", folds=2, tasks=[], control="a"), frame(scores)
    )
    found = with_bootstrap(table, tmp_path, 100, 0).rows[1].cells
    assert {cell.p_bootstrap for cell in found.values()} == {smallest_p_bootstrap(100)}
