"""The notes below a table: how it was averaged and tested, and which runs differ or are missing."""

from itertools import product

from semblance.counts import counted
from semblance.reporting.contrasts import PAIRED
from semblance.reporting.grids import NAMES
from semblance.reporting.layouts import PREVIOUS, find_layout
from semblance.reporting.significance import smallest_p_permutation, smallest_p_signs
from semblance.reporting.table import Row, Spec

ORIGIN = ("precision", "protocol", "code", "environment")
NAMED = 5  # so many missing runs are named, the rest counted
ORIENTATION = (
    "Their published values are for orientation only. The report, and stand_in in the CSV, say in "
    "what they differ."
)


def footnotes(spec: Spec, rows: list[Row], ceilings: dict[tuple, float]) -> tuple[str, ...]:
    """Return the notes in order; ``ceilings``: of a perfect model, by protocol and metric."""
    notes = [
        spec.note,
        stand_in_note(rows),
        find_layout(spec.layout).notes(spec.folds),
        _ceiling(spec, ceilings),
        *_test(spec, rows),
        _steps(rows),
        _unmoved(rows),
        *_mixed(spec, rows),
        _missing(rows),
    ]
    return tuple(note for note in notes if note)


def stand_in_note(rows: list[Row]) -> str:
    """Say how many rows are stand-ins, and where it stands in what they differ; empty without one."""
    number = sum(bool(row.stand_in) for row in rows)
    if not number:
        return ""
    return f"Stand-ins: {number} of {counted(len(rows), 'row')}. {ORIENTATION}"


def _ceiling(spec: Spec, ceilings: dict[tuple, float]) -> str:
    """Name the scores that no model can exceed, where they are not 100."""
    shown = product(spec.protocols, find_layout(spec.layout).metrics)
    known = {(p, m): ceilings.get((p, m), 100) for p, m in shown}
    below = [f"{NAMES[m]} {value:.1f} ({p})" for (p, m), value in known.items() if value < 100]
    why = "where several queries have one text, each counts its own answers alone as right."
    return f"A perfect model has {', '.join(below)}: {why}" if below else ""


def _test(spec: Spec, rows: list[Row]) -> list[str]:
    """Say what the differences, the p values and the marks are, and what the seeds could show."""
    column = find_layout(spec.layout).main_column
    tested = [row for row in rows if row.test]
    if not tested:
        return []
    controls = "the trained row before"
    if spec.control != PREVIOUS:
        labels = dict.fromkeys(row.control for row in tested)
        controls = ", ".join(f"“{label}”" for label in labels)
        if len(labels) > 1:
            controls = f"the control on the same base ({controls})"
    kinds = ", ".join(dict.fromkeys(row.test for row in tested))
    notes = [
        f"Difference: of {NAMES.get(column, column)}, from {controls}; paired by "
        f"seed where both sides have the same seeds. Its interval and p are of the {kinds}-test."
    ]
    contrasts = [row.contrast(column) for row in tested]
    known = [contrast for contrast in contrasts if contrast and contrast.p is not None]
    if known:
        sizes = [contrast.detectable for contrast in known]
        least, most = f"{min(sizes):.2f}", f"{max(sizes):.2f}"
        size = least if least == most else f"{least} to {most}"
        notes += [
            f"p: two-sided, corrected by Holm's method for the "
            f"{counted(len(known), 'comparison')} of its column. "
            "Marks: * p < .05 and _ p < .1, for improvements over the control; each column is "
            f"corrected for itself. ≈: equal, the interval of three seeds or more lies within "
            f"±{spec.margin:g} points.",
            f"With these seeds a test at .05, before the correction, shows a difference of {size} "
            "points with 80 % power.",
        ]
    return [*notes, " ".join(sorted({_bound(row, rows) for row in tested}))]


def _bound(row: Row, rows: list[Row]) -> str:
    """Return the smallest p that an exact test of a row's and its control's seeds can give."""
    place = (row.control, row.protocol)
    control = next(peer for peer in rows if (peer.label, peer.protocol) == place)
    ours, theirs = len(row.seeds), len(control.seeds)
    if row.test == PAIRED:
        if ours < 2:
            return f"No p for {counted(ours, 'pair')} of seeds: a t-test needs two."
        smallest = f"{smallest_p_signs(ours):.4f}"
        return f"An exact sign-flip test of {ours} pairs of seeds cannot give a p below {smallest}."
    if min(ours, theirs) < 2:
        sizes = f"n = {ours} against n = {theirs}"
        return f"No p for {sizes}: Welch's t-test needs two seeds on each side."
    return (
        f"Not paired, {ours} against {counted(theirs, 'seed')}: an exact permutation test cannot "
        f"give a p below {smallest_p_permutation(ours, theirs):.4f}."
    )


def _steps(rows: list[Row]) -> str:
    """Say how many steps the training of each entropy model took until its early stopping."""
    found = {row.label: list(row.steps.values()) for row in rows if row.steps}
    if not found:
        return ""
    texts = [
        f"{label}: {sum(steps) / len(steps):.1f} ({min(steps):.0f}–{max(steps):.0f})"
        for label, steps in found.items()
    ]
    return f"Steps of the entropy models, mean (range over the seeds): {'; '.join(texts)}."


def _unmoved(rows: list[Row]) -> str:
    """Name the rows with teachers in which nothing of Eq. 2 shows."""
    labels = [f"“{row.label}” ({row.unmoved} of a training)" for row in rows if row.unmoved]
    if not labels:
        return ""
    return (
        "Teachers that have not moved from their start (no window of their training had a lower loss "
        f"than the first): {', '.join(labels)}. So φ is not asked of these rows."
    )


def _mixed(spec: Spec, rows: list[Row]) -> list[str]:
    """Name every property in which rows of one table differ, and which rows have which value."""
    names = list(ORIGIN)
    if len(spec.protocols) > 1:  # then each row's label names its own
        names.remove("protocol")
    notes = []
    for name in names:
        holders: dict[str, list[str]] = {}
        for row in rows:
            for value in row.origin.get(name, ()):
                holders.setdefault(value, []).append(row.label)
        if len(holders) > 1:
            texts = [f"{value} ({', '.join(dict.fromkeys(h))})" for value, h in holders.items()]
            notes.append(f"Mixed {name}: {'; '.join(texts)}.")
    return notes


def _missing(rows: list[Row]) -> str:
    runs = list(dict.fromkeys(run for row in rows for run in row.missing))
    if not runs:
        return ""
    named = ", ".join(runs[:NAMED])
    if len(runs) > NAMED:
        named += f" and {len(runs) - NAMED} more"
    return f"n/a: at least one score is missing. Runs without it: {named}."
