"""How often the judge of many tried losses errs, and how often it finds a better one.

python -m benchmarks.error_rates writes these tables into docs/statistics.md. A made-up run tries
TRIES losses of one control, one after the other; what judges them is the code of ``semblance try``.
"""

import csv
import functools
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import numpy as np
from scipy import optimize, special, stats

from semblance.provenance import ROOT
from semblance.statistics import tries
from semblance.statistics.significance import ALPHA, Estimate, paired
from semblance.statistics.tries import ALIKE, Pool, Standing, words

RUNS, TRIES = 400, 200
DRAWS, PARTS = 10_000, 6  # made-up tries at once; and how often
FEW, MANY = 5, 14  # seeds of a try: at first, and at most
FAILING = 0.1  # share of the seeds that fail
SHIFT = 0.05  # points by which losses that are no better differ on these pairs
KEPT = {  # tables of the kept runs, and their column
    "2026-11-27-rcl-gpu/rcl_table3": "Average",
    "2026-11-27-ssimcse-cpu/ssimcse_table1": "mean",
    "2026-11-26-simcse-gpu/simcse_table1": "stsb-dev",
    "2026-11-26-simcse-gpu/simcse_table3": "stsb-dev",
}
LEAST_NEEDED = Standing(1).needed  # evidence, of any try
AIMS = ((0.3, 1.0, 5), (0.3, 0.5, 10), (0.84, 2.0, 10))  # sd of a score, gain, seeds
EARLIER = 9 * (FEW - 1)  # degrees of freedom of the first tries but one that need as much evidence


@functools.cache
def spreads() -> list[tuple[str, int, float, float]]:
    """Return of each kept row its setting, seeds, and the sds of its scores and of its differences.

    NaN: of a control. Rows that differ from it by a point or more are left out: what breaks a
    training spreads it, too.
    """
    found = []
    for table, column in KEPT.items():
        text = (ROOT / f"docs/runs/{table}.csv").read_text(encoding="utf-8")
        for row in csv.DictReader(text.splitlines()):
            gap, high = (row[f"{column}_control_{part}"] for part in ("difference", "high"))
            if not row[f"{column}_sd"] or (gap and abs(float(gap)) >= 1):
                continue
            n, sd = int(row["n"]), np.nan
            if gap:
                sd = (float(high) - float(gap)) * n**0.5 / stats.t.ppf(0.975, n - 1)
            setting = f"{table} {row['base']} {row['corpus']}"
            found.append((setting, n, float(row[f"{column}_sd"]), sd))
    return found


def freedom_of(sds: np.ndarray, n: np.ndarray, groups: np.ndarray) -> float:
    """Return how alike spreads are within their groups, as degrees of freedom (Smyth 2004, 6.2)."""
    half = (n - 1) / 2
    logs = np.log(sds**2) - special.digamma(half) + np.log(half)
    names, place = np.unique(groups, return_inverse=True)
    means = np.bincount(place, logs) / np.bincount(place)
    excess = ((logs - means[place]) ** 2).sum() / (len(logs) - len(names))
    excess -= special.polygamma(1, half).mean()
    if excess <= 0:
        return np.inf
    return 2 * optimize.brentq(lambda x: special.polygamma(1, x) - excess, 1e-3, 1e3)


def of_spreads() -> Iterator[list[str]]:
    """Yield the lines on how alike the spreads of the kept rows are."""
    yield ["sds of", "rows", "smallest", "median", "largest", "degrees of freedom"]
    settings, n, scores, gaps = map(np.array, zip(*spreads(), strict=True))
    known = ~np.isnan(gaps)
    everywhere = np.zeros(len(n))
    for says, sds, groups in (
        ("scores, within a setting", scores, settings),
        ("scores, over all settings", scores, everywhere),
        ("differences, within a setting", gaps, settings),
    ):
        among = known if sds is gaps else ~np.isnan(sds)
        ends = (f"{np.quantile(sds[among], q):.3f}" for q in (0, 0.5, 1))
        freedom = freedom_of(sds[among], n[among], groups[among])
        yield [says, str(among.sum()), *ends, "∞" if np.isinf(freedom) else f"{freedom:.1f}"]


# --- losses of which none is better ---------------------------------------------------------------


def alike(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Return scores whose sds are those of kept rows."""
    sds = np.array([row[2] for row in spreads()])
    return rng.normal(size=shape) * rng.choice(sds, (shape[0], 1))


def narrow(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Return scores whose seeds hardly differ."""
    return rng.normal(0, 0.02, shape)


def skewed(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Return scores of which a few are far lower: 1 less an exponential law."""
    return (1 - rng.exponential(size=shape)) * 0.14


def failing(rng: np.random.Generator, shape: tuple[int, int], lost: float = 1.0) -> np.ndarray:
    """Return scores with a mean of 0, of which those of failing seeds are lower by some points."""
    return rng.normal(0, 0.05, shape) - lost * ((rng.random(shape) < FAILING) - FAILING)


Law = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]
LAWS: dict[str, tuple[Law, float]] = {  # of the scores, and the sd of the control's
    "spreads of the kept rows": (alike, 0.14),
    "one sd, .3": (lambda rng, shape: rng.normal(0, 0.3, shape), 0.3),
    "heavy tails": (lambda rng, shape: 0.14 * rng.standard_t(3, shape) / 3**0.5, 0.14),
    "one seed in ten loses a point": (failing, 0.05),
    "one seed in ten loses 3 points": (lambda rng, shape: failing(rng, shape, 3.0), 0.05),
    "skewed to the left": (skewed, 0.14),
    "a tenth has three times the spread": (
        lambda rng, shape: rng.normal(0, 0.14, shape) * rng.choice([3] + [1] * 9, (shape[0], 1)),
        0.14,
    ),
    "all have three times that of the control": (
        lambda rng, shape: rng.normal(0, 0.42, shape),
        0.14,
    ),
}


def found_words(ours: np.ndarray, theirs: np.ndarray, items: float, kept: int = 0) -> np.ndarray:
    """Return the words (tries, seeds) on tries of one control, its scores (seeds,), in their order."""
    count = len(ours)
    own = tries.squares(ours[:, :FEW])[:, -1:]
    freedom = (FEW - 1) * np.arange(count)[:, None]
    before = np.cumsum(own, axis=0) - own
    known = np.where(freedom > 0, before / np.maximum(freedom, 1), 1)
    pool = Pool(known, freedom * ALIKE / (freedom + ALIKE))
    standing = SimpleNamespace(pool=pool, needed=needed(count, kept))
    theirs = np.broadcast_to(theirs, ours.shape)
    return words(ours, theirs, standing, np.full(ours.shape, items))


def ever(evidence: np.ndarray, enough: float | np.ndarray = LEAST_NEEDED) -> np.ndarray:
    """Tell of each try whether its evidence (tries, n) was enough after two seeds or more."""
    return (evidence[:, 1:] >= enough).any(axis=1)


def needed(count: int, kept: int) -> np.ndarray:
    """Return the evidence (tries, 1) that keeps each, so many distinct losses kept before."""
    return np.array([[Standing(place, kept).needed] for place in range(1, count + 1)])


def of_equal_losses() -> Iterator[list[str]]:
    """Yield the lines on losses of which none is better: the runs that keep one, and how many."""
    heads = ("judge, 5 seeds", "judge, up to 14", "own spread alone, up to 14")
    yield ["scores", *heads, "t-test of 5", "one seed is higher"]
    for says, (law, sd) in LAWS.items():
        yield [says, *rates(law, sd)]
    law, sd = LAWS["one sd, .3"]
    yield ["better by luck on these pairs, which are held fixed", *rates(law, sd, shift=SHIFT)]
    yield ["the same, of an sd of .02", *rates(narrow, 0.02, shift=SHIFT)]
    yield [
        "the same, the error of the pairs known",
        *rates(narrow, 0.02, shift=SHIFT, items=SHIFT),
    ]
    yield ["after ten variants of a kept loss", *rates(law, sd, kept=1)]
    yield ["the same, each counted", *rates(law, sd, kept=10)]
    yield ["20 ledgers of ten", *rates(law, sd, ledgers=20)]


def rates(
    law: Law, sd: float, shift: float = 0.0, items: float = 0.0, kept: int = 0, ledgers: int = 1
) -> Iterator[str]:
    """Yield the percent of runs in which each rule keeps a loss, and how many it keeps on average."""
    rng, found = np.random.default_rng(TRIES), []
    for _ in range(RUNS):
        ours, theirs = law(rng, (TRIES, MANY)), rng.normal(0, sd, (ledgers, MANY))
        ours = ours + shift * rng.normal(size=(TRIES, 1))
        parts = zip(np.split(ours, ledgers), theirs, strict=True)
        keeps = np.concatenate([found_words(*part, items, kept) for part in parts]) == "KEEP"
        gaps = ours - np.repeat(theirs, TRIES // ledgers, axis=0)
        few = paired(gaps[:, :FEW])
        by_t = (few.p() < ALPHA) & (few.value > 0)
        n = tries.counts(gaps)
        alone = tries.of_own_spread(n, np.cumsum(gaps, axis=1) / n, tries.squares(gaps))
        by_own = ever(alone, np.tile(needed(TRIES // ledgers, kept), (ledgers, 1)))
        counts = by_own.sum(), by_t.sum(), (gaps[:, 0] > 0).sum()
        found.append((*keeps[:, [FEW - 1, -1]].sum(axis=0), *counts))
    shares, means = 100 * np.mean(np.array(found) > 0, axis=0), np.mean(found, axis=0)
    return (f"{share:.1f} ({mean:.3g})" for share, mean in zip(shares, means, strict=True))


# --- a loss that is better ------------------------------------------------------------------------


def pools(rng: np.random.Generator, sd: float) -> dict[str, Pool]:
    """Return what is known of the spread: nothing, that of nine tries of five seeds, or all."""
    earlier = sd**2 * rng.chisquare(EARLIER, (DRAWS, 1)) / EARLIER
    return {
        "first in a ledger": Pool(),
        "tenth": Pool(earlier, EARLIER * ALIKE / (EARLIER + ALIKE)),
        "spread known": Pool(sd**2, 1e4),
    }


def of_better_loss() -> Iterator[list[str]]:
    """Yield the lines on one better loss: how often each rule keeps it, looked at after each seed."""
    names = pools(np.random.default_rng(0), 1.0)
    heads = ("own spread alone", *names, "share of the oracle's", "oracle", "t-test of its level")
    yield ["sd of a score", "gain", "seeds", *heads]
    for sd, gain, n in AIMS:
        rng = np.random.default_rng([n, round(100 * sd)])
        ours, theirs = rng.normal(gain, sd, (DRAWS, n)), rng.normal(0, sd, (DRAWS, n))
        gaps, count = ours - theirs, tries.counts(ours)
        means = np.cumsum(gaps, axis=1) / count
        own = ever(tries.of_own_spread(count, means, tries.squares(gaps)))
        best = ever(np.exp(count * gain * (means - gain / 2) / (2 * sd**2)))
        lent = [ever(tries.evidence(ours, theirs, pool)) for pool in pools(rng, sd).values()]
        t = paired(gaps)
        by_t = (t.p() < 2 / LEAST_NEEDED) & (t.value > 0)
        cells = [f"{100 * rule.mean():.0f}" for rule in (own, *lent)]
        of_best = " / ".join(f"{100 * rule.mean() / best.mean():.0f}" for rule in lent)
        last = (f"{100 * rule.mean():.0f}" for rule in (best, by_t))
        yield [f"{sd:g}", f"{gain:+.1f}", str(n), *cells, of_best, *last]


def of_unlike_spreads() -> Iterator[list[str]]:
    """Yield the lines on one loss that is no better: how often it is kept, in shares of its level."""
    yield ["spread of the try", *pools(np.random.default_rng(0), 1.0)]
    for says, ours_sd, theirs_sd, alike in (
        ("as all others", 1, 1, 0.0),
        ("as all others, each seed's luck shared by half", 1, 1, 0.5),
        ("as all others, each seed's luck contrary by a third", 1, 1, -0.3),
        ("twice that of the others and of the control", 2, 1, 0.0),
        ("three times that of the others and of the control", 3, 1, 0.0),
        ("three times that of the others, as the control's", 3, 3, 0.0),
    ):
        rng = np.random.default_rng([ours_sd, theirs_sd])
        kept = {name: 0.0 for name in pools(rng, 1.0)}
        for _ in range(PARTS):
            theirs, own = rng.normal(size=(2, DRAWS, MANY))
            ours = ours_sd * (alike * theirs + (1 - alike**2) ** 0.5 * own)
            for name, pool in pools(rng, 1.0).items():
                found = ever(tries.evidence(ours, theirs_sd * theirs, pool))
                kept[name] += found.mean() / PARTS * LEAST_NEEDED
        yield [says, *(f"{ratio:.1f}" for ratio in kept.values())]


# --- six rules for keeping a loss -----------------------------------------------------------------

SD, GAIN = 0.3, 0.5  # of a score; of a better loss: points
PLAIN = 5  # seeds


def greedy(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Tell of each try whether its first seed is higher than that of all kept before it."""
    best = np.maximum.accumulate(np.append(theirs[0], ours[:-1, 0]))
    return ours[:, 0] > best


def by_z(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Tell of each try whether the mean of its seeds lies 1.96 known errors above the control's."""
    gaps = (ours - theirs)[:, :PLAIN].mean(axis=1)
    return gaps > stats.norm.ppf(1 - ALPHA / 2) * SD * (2 / PLAIN) ** 0.5


def by_t_test(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Tell of each try whether a paired t-test of its seeds has p < .05, and it is higher."""
    few = paired((ours - theirs)[:, :PLAIN])
    return (few.p() < ALPHA) & (few.value > 0)


RULES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "the words of semblance try, up to 14 seeds": lambda ours, theirs: (
        found_words(ours, theirs, 0.0)[:, -1] == "KEEP"
    ),
    "whatever is the highest so far, one seed": greedy,
    "five seeds, a t-test, p < .05": by_t_test,
    "the best of five seeds is higher than the control's best": lambda ours, theirs: (
        ours[:, :PLAIN].max(axis=1) > theirs[:PLAIN].max()
    ),
    "one seed, +.3 is a gain": lambda ours, theirs: ours[:, 0] - theirs[0] >= 0.3,
    "five seeds, a z-test whose spread is known, p < .05": by_z,
}


def of_keep_rules() -> Iterator[list[str]]:
    """Yield the lines on six rules: how often they keep one of 200 equal losses, and a better one."""
    heads = (
        "of 10 tries",
        "of 200 tries",
        "kept of 200",
        f"keeps a loss that is better by {GAIN:g}",
    )
    yield ["a loss is kept if", *heads]
    for says, rule in RULES.items():
        rng, found = np.random.default_rng(TRIES), []
        for _ in range(RUNS):
            ours, theirs = rng.normal(0, SD, (TRIES, MANY)), rng.normal(0, SD, MANY)
            keeps = rule(ours, theirs)
            better = rule(ours[:1] + GAIN, theirs)[0]
            found.append((keeps[:10].any(), keeps.any(), keeps.sum(), better))
        few, many, count, better = np.mean(found, axis=0)
        cells = f"{100 * few:.1f}", f"{100 * many:.1f}", f"{count:.3g}", f"{100 * better:.0f}"
        yield [says, *cells]


def of_queries() -> Iterator[list[str]]:
    """Yield the lines on NanoBEIR's shape: the difference that its queries show in 80 % of cases."""
    yield ["sd of a query's difference", "one set of 50 queries", "the average of 13"]
    for sd in (5, 10, 20, 30):
        shown = (Estimate(0.0, sd / n**0.5, n - 1).detectable() for n in (50, 13 * 50))
        yield [str(sd), *(f"{points:.1f}" for points in shown)]
