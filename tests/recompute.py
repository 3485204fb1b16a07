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
NO_VALUE = ("", "n/a")
WITH_SUBSETS = ("sts12", "sts13", "sts14", "sts15", "sts16")  # STS-B's genres are no subsets


def predictions(folder, row, seed):
    """Return the predictions of one run."""
    run = folder / row["base"] / row["method"] / f"seed-{seed}"
    return pd.read_parquet(run / "predictions.parquet")


def correlations(root, row, seed):
    """Return the correlation on each task, and their average."""
    frame = predictions(root / "scores/sts" / row["corpus"], row, seed)
    found = {}
    for task in row["tasks"].split():
        found[task] = 100 * task_score(frame[frame["task"] == task], row)
    return found | {"Average": np.mean(list(found.values()))}


def task_score(part, row):
    """Return the correlation of a whole task, or the mean over its subsets."""
    groups = [part]
    has_subsets = part["task"].iat[0] in WITH_SUBSETS
    if has_subsets and row["aggregation"] in ("mean", "wmean"):
        groups = [group for _, group in part.groupby("subset")]
    weights = [len(group) if row["aggregation"] == "wmean" else 1 for group in groups]
    correlation = METRICS[row["metric"]]
    scores = [correlation(group["gold"], group["similarity"])[0] for group in groups]
    return np.average(scores, weights=weights)


def faq_scores(root, row, seed):
    """Return the mean over the folds of each accuracy and of MAP."""
    folds = []
    for fold in range(int(row["folds"])):
        frame = predictions(root / f"scores/faq/{row['dataset']}-{fold}", row, seed)
        ranks = [np.sort(r) for r in frame.loc[frame["protocol"] == row["protocol"], "ranks"]]
        accuracy = [np.mean([r[0] <= k for r in ranks]) for k in (1, 3, 5)]
        precision = [np.mean(np.arange(1, len(r) + 1) / r) for r in ranks]
        folds.append([*accuracy, np.mean(precision)])
    values = 100 * np.mean(folds, axis=0)
    return dict(zip(("acc@1", "acc@3", "acc@5", "map"), values, strict=True))


def expected(root, row):
    """Return the value of every column that a table of any layout may show for a row."""
    scores = faq_scores if row["dataset"] else correlations
    runs = {seed: scores(root, row, seed) for seed in row["seeds"].split()}
    cells = {}
    for name in next(iter(runs.values())):
        cells[name] = [run[name] for run in runs.values()]
    if "Average" in cells:
        best = sorted(cells["Average"])
        cells |= {"mean": best, "max": best[-1:]}
        if len(best) > 2:
            cells["top3"] = best[-3:]
        cells |= {f"seed {seed}": [run["Average"]] for seed, run in runs.items()}
    found = {name: np.mean(values) for name, values in cells.items()}
    for name, values in cells.items():
        if len(values) > 1:
            found[f"{name}_sd"] = np.std(values, ddof=1)
    return found


def cells_of(root, row):
    """Return the expected cells among those that a row shows, None for one without a value."""
    try:
        cells = expected(root, row)
    except FileNotFoundError:  # a run is missing, so the summary of the row must have no value
        cells = dict.fromkeys(("Average", "mean", "map"))
    return {name: value for name, value in cells.items() if name in row}


def agrees(shown, value):
    """Tell whether a field of the CSV shows a value, or shows that there is none."""
    if value is None or shown in NO_VALUE:
        return value is None and shown in NO_VALUE
    return abs(float(shown) - value) <= 1e-9


def table_rows(root):
    """Yield the rows of every rendered table."""
    for path in root.rglob("*.csv"):
        with path.open(encoding="utf-8", newline="") as handle:
            if handle.read(13) == "table,layout,":
                handle.seek(0)
                yield from csv.DictReader(handle)


def main(root):
    """Compare, print what differs and how many cells were compared; return the exit status."""
    compared = 0
    wrong = []
    for row in table_rows(root):
        cells = cells_of(root, row) if row["metric"] in METRICS else {}
        for name, value in cells.items():
            compared += 1
            if not agrees(row[name], value):
                place = f"{row['table']}, {row['label']}, {name}"
                wrong.append(f"{place}: {row[name]!r}, recomputed {value!r}")
    print(*wrong, f"{compared} cells recomputed, {len(wrong)} differ", sep="\n")
    return int(bool(wrong) or not compared)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
