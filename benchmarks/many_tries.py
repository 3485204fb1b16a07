"""How often the judge of many tried losses errs, and how often it finds a better one.

python -m benchmarks.error_rates writes these tables into docs/statistics.md. A made-up run tries
TRIES losses of one control, one after the other; what judges them is the code of ``semblance try``.
"""

import csv
import functools
from collections.abc import Iterator

import numpy as np

from semblance.provenance import ROOT
from semblance.statistics.significance import ALPHA, paired, quantile
from semblance.statistics.tries import MOST_SEEDS, judge, judge_one

RUNS, TRIES = 1000, 200
GAIN = MARGIN = 0.5  # points
LOOKS = (5, 8, 11, 14)  # seeds of a try: three more while it is open
WITHIN, PLACES = 7, (1, 10, 100)
QUANTILES = {"smallest": 0, "median": 0.5, "upper quarter": 0.75, "upper tenth": 0.9, "largest": 1}
KEPT = {  # tables of the kept runs, and their column
    "2026-11-27-rcl-gpu/rcl_table3": "Average",
    "2026-11-27-ssimcse-cpu/ssimcse_table1": "mean",
    "2026-11-26-simcse-gpu/simcse_table1": "stsb-dev",
    "2026-11-26-simcse-gpu/simcse_table3": "stsb-dev",
}
NOISE = {
    "each try's own": lambda rng, shape: rng.normal(size=shape),
    "half the control's": lambda rng, shape: (
        (rng.normal(size=shape) - rng.normal(size=shape[1])) * 0.5**0.5
    ),
    "heavy tails": lambda rng, shape: rng.standard_t(3, shape) / 3**0.5,
}


@functools.cache
def spreads() -> np.ndarray:
    """Return the sd of the differences of each kept row that is within a point of its control."""
    sds = []
    for table, column in KEPT.items():
        text = (ROOT / f"docs/runs/{table}.csv").read_text(encoding="utf-8")
        rows = [row for row in csv.DictReader(text.splitlines()) if row["test"] == "paired t"]
        for row in rows:
            n = int(row["n"])
            gap, high = (float(row[f"{column}_control_{part}"]) for part in ("difference", "high"))
            if abs(gap) < 1:  # what breaks a training spreads it, too
                sds.append((high - gap) * n**0.5 / quantile(0.975, n - 1))
    return np.array(sds)


def keeps(differences: np.ndarray) -> Iterator[int]:
    """Yield how many tries are kept at each of LOOKS."""
    seeds = np.full(len(differences), LOOKS[0])
    for n in LOOKS:
        judged = judge([row[:k] for row, k in zip(differences, seeds, strict=True)], MARGIN)
        words = np.array([each.word for each in judged])
        yield int((words == "KEEP").sum())
        seeds[words == "OPEN"] = n + 3


def of_equal_losses() -> Iterator[list[str]]:
    """Yield the lines on losses of which none is better: the runs that keep one, and how many."""
    yield ["noise", "judge, 5 seeds", "judge, up to 14", "t-test of 5", "one seed is higher"]
    for says, draw in NOISE.items():
        rng, counts = np.random.default_rng(TRIES), []
        for _ in range(RUNS):
            drawn = draw(rng, (TRIES, LOOKS[-1])) * rng.choice(spreads(), (TRIES, 1))
            first, *_, last = keeps(drawn)
            few = paired(drawn[:, : LOOKS[0]])
            by_t = (few.p() < ALPHA) & (few.value > 0)
            counts.append((first, last, by_t.sum(), (drawn[:, 0] > 0).sum()))
        ever, mean = 100 * np.mean(np.array(counts) > 0, axis=0), np.mean(counts, axis=0)
        yield [says, *(f"{share:.1f} ({m:.3g})" for share, m in zip(ever, mean, strict=True))]


def seeds_to_find(place: int, sds: np.ndarray) -> np.ndarray:
    """Return after how many seeds a loss better by GAIN is kept as the try of a place; or inf."""
    rng, numbers = np.random.default_rng(place), np.full(len(sds), np.inf)
    for run, sd in enumerate(sds):
        differences = rng.normal(GAIN, sd, MOST_SEEDS)
        for n in range(2, MOST_SEEDS + 1):
            word = judge_one(differences[:n], MARGIN, place).word
            if word == "KEEP":
                numbers[run] = n
            if word != "OPEN":
                break
    return numbers


def of_better_loss() -> Iterator[list[str]]:
    """Yield the lines on one better loss: how often WITHIN seeds keep it; how many in 80 %."""
    heads = (*(f"as try {place}" for place in PLACES), *(f"80 % as {place}" for place in PLACES))
    yield ["spread of the kept rows", "sd", *heads]
    kinds = {("each of them", ""): spreads()}
    for name, share in QUANTILES.items():
        sd = np.quantile(spreads(), share)
        kinds[name, f"{sd:.3f}"] = sd
    for says, sds in kinds.items():
        numbers = [seeds_to_find(place, np.resize(sds, RUNS)) for place in PLACES]
        within = (f"{100 * np.mean(of <= WITHIN):.1f}" for of in numbers)
        most = (np.quantile(of, 0.8, method="higher") for of in numbers)
        yield [*says, *within, *(f"{n:.0f}" if n < np.inf else f"> {MOST_SEEDS}" for n in most)]
