"""Recompute the cells of the rendered tables from the predictions, with nothing of the project.

`python tests/recompute.py RESULTS` reads the tables RESULTS/**/*.csv of any layout, and
RESULTS/scores/{sts,faq}/**/predictions.parquet; exits 1 if a cell differs by more than 1e-9 points.
"""

import csv
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import pearsonr, spearmanr

METRICS = {"spearman": spearmanr, "pearson": pearsonr, "": None}
root, checked, wrong = Path(sys.argv[1]), 0, []
runs_root = root / "scores"


def predictions(folder, row, seed):
    return pd.read_parquet(
        folder / row["base"] / row["method"] / f"seed-{seed}/predictions.parquet"
    )


def sts(row, seed):
    frame, found = predictions(runs_root / "sts" / row["corpus"], row, seed), {}
    for task in row["tasks"].split():
        part = frame[frame["task"] == task]
        parts = (
            [part]
            if row["aggregation"] == "all"
            else [group for _, group in part.groupby("subset")]
        )
        weights = [len(group) if row["aggregation"] == "wmean" else 1 for group in parts]
        scores = [METRICS[row["metric"]](group["gold"], group["similarity"])[0] for group in parts]
        found[task] = 100 * np.average(scores, weights=weights)
    return found | {"Average": np.mean(list(found.values()))}


def faq(row, seed):
    folds = []
    for fold in range(int(row["folds"])):
        frame = predictions(runs_root / "faq" / f"{row['dataset']}-{fold}", row, seed)
        ranks = [np.sort(r) for r in frame.loc[frame["protocol"] == row["protocol"], "ranks"]]
        accuracy = [np.mean([r[0] <= k for r in ranks]) for k in (1, 3, 5)]
        folds.append([*accuracy, np.mean([np.mean(np.arange(1, len(r) + 1) / r) for r in ranks])])
    return dict(zip(("acc@1", "acc@3", "acc@5", "map"), 100 * np.mean(folds, axis=0), strict=True))


def expected(row):
    runs = {
        seed: (faq if row["layout"] == "faq" else sts)(row, seed) for seed in row["seeds"].split()
    }
    cells = {name: [run[name] for run in runs.values()] for name in next(iter(runs.values()))}
    if row["layout"] == "seeds":
        best, each = (
            sorted(cells["Average"]),
            {f"seed {seed}": [run["Average"]] for seed, run in runs.items()},
        )
        cells = {"mean": cells["Average"], "max": best[-1:], **each} | (
            {"top3": best[-3:]} if len(best) > 2 else {}
        )
    spread = {
        f"{name}_sd": np.std(values, ddof=1) for name, values in cells.items() if len(values) > 1
    }
    return {name: np.mean(values) for name, values in cells.items()} | spread


tables = [
    path for path in root.rglob("*.csv") if path.open(encoding="utf-8").read(13) == "table,layout,"
]
for row in [
    row for path in tables for row in csv.DictReader(path.open(encoding="utf-8", newline=""))
]:
    if row["metric"] in METRICS:
        try:
            cells = expected(row)
        except FileNotFoundError:  # a run is missing, so the row's summary must be missing too
            cells = {name: None for name in ("Average", "mean", "map") if name in row}
        for name, value in ((n, v) for n, v in cells.items() if n in row):
            checked, absent = checked + 1, row[name] in ("", "n/a")
            if not absent if value is None else absent or not abs(float(row[name]) - value) <= 1e-9:
                wrong.append(
                    f"{row['table']}, {row['label']}, {name}: {row[name]!r}, recomputed {value!r}"
                )
print(*wrong, f"{checked} cells recomputed, {len(wrong)} differ", sep="\n")
sys.exit(bool(wrong) or not checked)
