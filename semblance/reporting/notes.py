"""The notes below a table: how it was averaged and tested, and which runs differ or are missing."""

from semblance.counts import counted
from semblance.reporting.contrasts import PAIRED
from semblance.reporting.grids import NAMES
from semblance.reporting.layouts import PREVIOUS, find_layout
from semblance.reporting.significance import smallest_p_permutation, smallest_p_signs
from semblance.reporting.stand_ins import stand_in_note
from semblance.reporting.table import Choice, Contrast, Row, Spec

ORIGIN = ("precision", "protocol", "code", "environment")
NAMED = 5  # so many missing runs are named, the rest counted


def footnotes(spec: Spec, rows: list[Row]) -> tuple[str, ...]:
    """Return the notes of a table, in the order in which they are printed."""
    notes = [
        spec.note,
        stand_in_note(rows),
        find_layout(spec.layout).notes(spec.folds),
        *_test(spec, rows),
        *_choices(rows),
        _steps(rows),
        *_mixed(spec, rows),
        _missing(rows),
    ]
    return tuple(note for note in notes if note)


def _test(spec: Spec, rows: list[Row]) -> list[str]:
    """Say what the differences, the p values and the marks are, and what the seeds could show."""
    column = find_layout(spec.layout).main_column
    tested = [row for row in rows if row.test]
    if not tested:
        return []
    contrasts = [row.cells[column].contrast for row in tested]
    known = [contrast for contrast in contrasts if contrast and contrast.p is not None]
    kinds = ", ".join(dict.fromkeys(row.test for row in tested))
    differences = (
        f"Difference: of {NAMES.get(column, column)}, from {_controls(spec, tested)}; paired by "
        f"seed where both sides have the same seeds. Its interval and p are of the {kinds}-test."
    )
    notes = [differences]
    if known:
        notes += [_of_p(spec, known), _power(known)]
    return [*notes, " ".join(sorted({_bound(row, rows) for row in tested}))]


def _of_p(spec: Spec, known: list[Contrast]) -> str:
    return (
        f"p: two-sided, corrected by Holm's method for the {counted(len(known), 'comparison')} of its "
        "column. "
        "Marks: * p < .05 and _ p < .1, for improvements over the control; each column is "
        f"corrected for itself. ≈: equal within ±{spec.margin:g} points (two one-sided tests, "
        "p < .05)."
    )


def _power(known: list[Contrast]) -> str:
    """Say which differences would have been shown."""
    least = min(contrast.detectable for contrast in known)
    most = max(contrast.detectable for contrast in known)
    size = f"{least:.2f}"
    if f"{most:.2f}" != size:
        size = f"{least:.2f} to {most:.2f}"
    return (
        f"With these seeds a test at .05, before the correction, shows a difference of {size} "
        "points with 80 % power."
    )


def _controls(spec: Spec, tested: list[Row]) -> str:
    """Name the rows that others are compared with, by their labels as the table prints them."""
    if spec.control == PREVIOUS:
        return "the trained row before"
    labels = [f"“{label}”" for label in dict.fromkeys(row.control for row in tested)]
    if len(labels) == 1:
        return labels[0]
    return f"the control on the same base ({', '.join(labels)})"


def _bound(row: Row, rows: list[Row]) -> str:
    """Return the smallest p that an exact test of a row's and its control's seeds can give."""
    peers = [peer for peer in rows if peer.protocol == row.protocol]
    control = next(peer for peer in peers if peer.label == row.control)
    ours = len(row.seeds)
    if row.test == PAIRED:
        return _bound_of_pairs(ours)
    return _bound_between(ours, len(control.seeds))


def _bound_of_pairs(pairs: int) -> str:
    if pairs < 2:
        return f"No p for {counted(pairs, 'pair')} of seeds: a t-test needs two."
    smallest = smallest_p_signs(pairs)
    return (
        f"An exact sign-flip test of {pairs} pairs of seeds cannot give a p below {smallest:.4f}."
    )


def _bound_between(ours: int, theirs: int) -> str:
    if min(ours, theirs) < 2:
        return f"No p for n = {ours} against n = {theirs}: Welch's t-test needs two seeds on each side."
    smallest = smallest_p_permutation(ours, theirs)
    return (
        f"Not paired, {ours} against {counted(theirs, 'seed')}: an exact permutation test cannot give a p below "
        f"{smallest:.4f}."
    )


def _choices(rows: list[Row]) -> list[str]:
    """Say which candidate each row shows that chooses on dev, and whether the paper's is another."""
    notes = []
    for row in rows:
        if row.choose and row.chosen:
            notes.append(_choice(row, row.choose))
    return list(dict.fromkeys(notes))  # the protocols of a row share the choice


def _choice(row: Row, choose: Choice) -> str:
    seeds: dict[tuple[str, str], list[str]] = {}
    for place, method in row.chosen.items():
        corpus, _, seed = place.rpartition("/")
        seeds.setdefault((method, corpus), []).append(seed)
    shown = [f"“{choose.labels[m]}” on {c} (seed {', '.join(s)})" for (m, c), s in seeds.items()]
    rule = (
        f"“{row.label}” shows for each seed the candidate with the highest mean dev score over the "
        "other seeds, so that no seed is tested on its own luck"
    )
    if len(row.seeds) == 1:
        rule = f"“{row.label}” shows the candidate with the highest dev score of its one seed"
    chosen = {method for method, _ in seeds}
    return f"{rule}: {'; '.join(shown)}. {_beside_paper(choose, chosen)}".strip()


def _beside_paper(choose: Choice, chosen: set[str]) -> str:
    """Say how the chosen candidates compare with the paper's choice, if it is known."""
    if choose.paper is None:
        return ""
    paper = f"“{choose.labels[choose.paper]}”"
    if choose.paper not in choose.candidates:
        return f"The paper's choice, {paper}, is no candidate here."
    if chosen == {choose.paper}:
        return "This is the paper's choice, too."
    return f"The paper's choice is another: {paper}."


def _steps(rows: list[Row]) -> str:
    """Say how many steps the training of each entropy model took until its early stopping."""
    trained = {row.label: row.steps for row in rows if row.steps}
    if not trained:
        return ""
    parts = [f"{label}: {_format_steps(list(steps.values()))}" for label, steps in trained.items()]
    return f"Steps of the entropy models, mean (range over the seeds): {'; '.join(parts)}."


def _format_steps(steps: list[float]) -> str:
    return f"{sum(steps) / len(steps):.1f} ({min(steps):.0f}–{max(steps):.0f})"


def _mixed(spec: Spec, rows: list[Row]) -> list[str]:
    """Name every property in which rows of one table differ, and which rows have which value."""
    names = list(ORIGIN)
    if len(spec.protocols) > 1:  # asked for, and printed beside each row
        names.remove("protocol")
    notes = []
    for name in names:
        holders: dict[str, list[str]] = {}
        for row in rows:
            for value in row.origin.get(name, ()):
                holders.setdefault(value, []).append(row.label)
        if len(holders) > 1:
            notes.append(f"Mixed {name}: {_format_holders(holders)}.")
    return notes


def _format_holders(holders: dict[str, list[str]]) -> str:
    parts = [f"{value} ({', '.join(dict.fromkeys(rows))})" for value, rows in holders.items()]
    return "; ".join(parts)


def _missing(rows: list[Row]) -> str:
    runs = list(dict.fromkeys(run for row in rows for run in row.missing))
    if not runs:
        return ""
    named = ", ".join(runs[:NAMED])
    if len(runs) > NAMED:
        named += f" and {len(runs) - NAMED} more"
    return f"n/a: at least one score is missing. Runs without it: {named}."
