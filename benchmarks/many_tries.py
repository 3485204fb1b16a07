"""How often the judge of many tried losses errs, and how often it finds a better one.

python -m benchmarks.error_rates writes these tables into docs/statistics.md. A made-up run tries
TRIES losses of one control, one after the other; what judges them is the code of ``semblance try``.
"""

import csv
import functools
import math
from collections.abc import Iterator

import numpy as np

from semblance.provenance import ROOT
from semblance.statistics.significance import ALPHA, paired, quantile
from semblance.statistics.tries import MOST_SEEDS, judge, judge_one

RUNS, TRIES = 1000, 200
GAIN = MARGIN = 0.5  # points
LOOKS = (5, 8, 11, 14)  # seeds: three more while a try is open
WITHIN, PLACES = 7, (1, 10, 100)
LOOKED = range(2, MOST_SEEDS + 1)  # after each seed
ALONE = (f"p < .05 of {LOOKS[0]} seeds, each try alone", "higher with one seed")
# Tables of the kept runs, and the column: changes of dropout, loss, views and words, paired by seed.
KEPT = {
    "2026-11-27-rcl-gpu/rcl_table3": "Average",
    "2026-11-26-minilm-cpu/ssimcse_table1": "mean",
    "2026-11-26-simcse-gpu/simcse_table1": "stsb-dev",
    "2026-11-26-simcse-gpu/simcse_table3": "stsb-dev",
}
SHARES = (0.0, 0.5, 0.75, 0.9, 1.0)  # of the kept rows, that spread less
NOISE = {
    "each try's own": lambda rng, shape: rng.normal(size=shape),
    "half the control's": lambda rng, shape: (
        math.sqrt(0.5) * (rng.normal(size=shape) + rng.normal(size=shape[1]))
    ),
    "heavy tails": lambda rng, shape: math.sqrt(1 / 3) * rng.standard_t(3, shape),
}


@functools.cache
def spreads() -> np.ndarray:
    """Return the sds of the paired differences of the kept rows that are near their control.

    A row further than a point away is left out: what breaks a training spreads it, too.
    """
    sds = []
    for table, column in KEPT.items():
        with (ROOT / f"docs/runs/{table}.csv").open(encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["test"] == "paired t"]
        for row in rows:
            n = int(row["n"])
            gap, high = (float(row[f"{column}_control_{part}"]) for part in ("difference", "high"))
            if abs(gap) < 1:
                sds.append((high - gap) * math.sqrt(n) / quantile(0.975, n - 1))
    return np.array(sds)


def keeps(differences: np.ndarray) -> Iterator[int]:
    """Yield how many tries are kept after each look; more seeds are for those that are open."""
    seeds = np.full(len(differences), LOOKS[0])
    for n in LOOKS:
        judged = judge([row[:k] for row, k in zip(differences, seeds, strict=True)], MARGIN)
        words = np.array([each.word for each in judged])
        yield int((words == "KEEP").sum())
        seeds[words == "OPEN"] = n + LOOKS[1] - LOOKS[0]


def of_equal_losses() -> Iterator[list[str]]:
    """Yield the lines on losses of which none is better: the runs that keep one, and how many."""
    yield ["noise", *(f"{n} seeds" for n in (LOOKS[0], f"up to {LOOKS[-1]}")), *ALONE]
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
    rng, numbers = np.random.default_rng(place), np.full(len(sds), math.inf)
    for run, sd in enumerate(sds):
        differences = rng.normal(GAIN, sd, MOST_SEEDS)
        judged = ((n, judge_one(differences[:n], MARGIN, place).word) for n in LOOKED)
        n, word = next((each for each in judged if each[1] != "OPEN"), (math.inf, "OPEN"))
        numbers[run] = n if word == "KEEP" else math.inf
    return numbers


def of_better_loss() -> Iterator[list[str]]:
    """Yield the lines on one better loss: how often WITHIN seeds keep it; how many in 80 %."""
    places = [f"as try {place}" for place in PLACES]
    yield ["kept rows", "their sd", *places, *(f"80 %, {place}" for place in places)]
    kinds = [("all", "each", spreads())]
    for share in SHARES:
        sd = np.quantile(spreads(), share)
        kinds.append((f"{share:.0%} spread less", f"{sd:.3f}", sd))
    for says, sd, sds in kinds:
        numbers = [seeds_to_find(place, np.resize(sds, RUNS)) for place in PLACES]
        within = (f"{100 * np.mean(of <= WITHIN):.1f}" for of in numbers)
        most = (np.quantile(of, 0.8, method="higher") for of in numbers)
        yield [says, sd, *within, *(f"{n:g}".replace("inf", f"over {MOST_SEEDS}") for n in most)]
