"""The small print under a table: what was averaged, which test, what it could show at best, what is amiss."""

from semblance.reporting.layouts import PREVIOUS, find_layout
from semblance.reporting.significance import smallest_p_permutation, smallest_p_signs
from semblance.reporting.table import UNTRAINED, Row, Spec

ORIGIN = ("precision", "protocol", "code", "environment")
NAMED = 5  # so many missing runs are named, the rest counted


def footnotes(spec: Spec, rows: list[Row]) -> tuple[str, ...]:
    """Return the notes of a table, in the order in which they are printed."""
    notes = [
        spec.note,
        _stand_in(spec),
        find_layout(spec.layout).notes(spec.folds),
        _test(spec, rows),
        *_mixed(spec, rows),
        *_missing(rows),
    ]
    return tuple(note for note in notes if note)


def _stand_in(spec: Spec) -> str:
    if not spec.stand_in:
        return ""
    return (
        "Stand-in: made with other data or models than the paper's; published values are shown for "
        "orientation and cannot be compared."
    )


def _test(spec: Spec, rows: list[Row]) -> str:
    tested = [row for row in rows if row.test]
    if not tested:
        return ""
    against = "the row before" if spec.reference == PREVIOUS else f"“{spec.reference}”"
    bounds = sorted({_bound(row, rows) for row in tested})
    return (
        f"Marks: * p < .05 and _ p < .1 for improvements over {against}; two-sided, on the seeds, not corrected "
        f"for the number of comparisons. " + " ".join(bounds)
    )


def _bound(row: Row, rows: list[Row]) -> str:
    other = next(
        peer for peer in rows if peer.label == row.reference and peer.protocol == row.protocol
    )
    n, m = len(row.seeds), len(other.seeds)
    if UNTRAINED in (row.method, other.method):
        seeds = m if row.method == UNTRAINED else n
        return (
            f"One-sample t of {seeds} seeds against an untrained model, which has none (its exact sign-flip "
            f"counterpart reaches at best p = {smallest_p_signs(seeds):.4f})."
        )
    if min(n, m) < 2:
        return f"No p between {n} and {m} seeds: Welch's t needs two on each side."
    return (
        f"Welch's t of {n} against {m} seeds: its p has no lower bound of its own; an exact permutation test "
        f"of these seeds reaches at best p = {smallest_p_permutation(n, m):.4f}."
    )


def _mixed(spec: Spec, rows: list[Row]) -> list[str]:
    """Name every property in which rows of one table differ, and which rows have which value."""
    notes = []
    for name in ORIGIN:
        if name == "protocol" and len(spec.protocols) > 1:
            continue  # asked for, and printed beside each row
        holders: dict[str, list[str]] = {}
        for row in rows:
            for value in row.origin.get(name, ()):
                holders.setdefault(value, []).append(row.label)
        if len(holders) > 1:
            told = "; ".join(
                f"{value} ({', '.join(dict.fromkeys(labels))})" for value, labels in holders.items()
            )
            notes.append(f"Mixed {name}: {told}.")
    return notes


def _missing(rows: list[Row]) -> list[str]:
    runs = list(dict.fromkeys(run for row in rows for run in row.missing))
    if not runs:
        return []
    more = f" and {len(runs) - NAMED} more" if len(runs) > NAMED else ""
    return [f"n/a: no complete scores of {', '.join(runs[:NAMED])}{more}."]
