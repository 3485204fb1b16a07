"""How often `semblance compare` errs, by simulation: the table of docs/statistics.md.

python -m benchmarks.compare_errors

Each line is 2,000 made-up pairs of sets of 200 items. An item has a score that both sets share, and an
error of sd 1 in each; a seed moves all items of its set.
"""

import numpy as np

from semblance.reporting.compared import Difference, compare
from semblance.score_sets import ScoreSet

RUNS = 2000
ITEMS = 200
MARGIN = 0.5
SETTINGS = ((1, 0.0), (3, 0.02), (3, 0.2), (5, 0.02), (5, 0.2))  # seeds, and their sd


def main() -> None:
    heads = ["seeds", "sd of the seeds"]
    heads += ["of two equal sets: p < .05", "of two that differ by the margin: equal"]
    print(f"| {' | '.join(heads)} |\n|{' ---: |' * len(heads)}")
    for seeds, sd in SETTINGS:
        rng = np.random.default_rng([seeds, round(1000 * sd)])
        equal = [trial(rng, seeds, sd, 0.0) for _ in range(RUNS)]
        apart = [trial(rng, seeds, sd, MARGIN) for _ in range(RUNS)]
        shares = (
            np.mean([one.p < 0.05 for one in equal]),
            np.mean([one.verdict == "no difference" for one in apart]),
        )
        print(f"| {seeds} | {sd:g} | " + " | ".join(f"{share:.1%}" for share in shares) + " |")


def trial(rng: np.random.Generator, seeds: int, sd: float, difference: float) -> Difference:
    """Return the difference that is found between two sets of a true difference."""
    items = 9 + rng.normal(size=ITEMS)
    sets = []
    for name, shift in (("a", difference), ("b", 0.0)):
        own = items + shift + rng.normal(size=ITEMS)
        scores = own + rng.normal(scale=sd, size=(seeds, 1))
        by_seed = {
            f"{k}": {f"{i}": score for i, score in enumerate(row)} for k, row in enumerate(scores)
        }
        sets.append(ScoreSet(name, name, {"": by_seed}))
    return compare(sets, MARGIN, draws=500).by_column()["all items"]


if __name__ == "__main__":
    main()
