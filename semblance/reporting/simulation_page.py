"""The simulated error rates and power of the tests, as CSV (unrounded) and as a page to read."""

from semblance.csv_rows import rows_csv
from semblance.reporting.formats import markdown_line
from semblance.reporting.simulation import LOSS, RUNS, Rates, Simulated

COLUMNS = tuple(
    "table rows n margin sd sd_ours sd_control correlation item_error detectable equal "
    "equal_wrongly false_stars false_stars_holm test error error_items power better".split()
)
READING = (
    f"Simulated at the spread of the seeds that each table measured ({RUNS} runs, normal law, in "
    "points). n: seeds. sd: of the differences between seeds of one row and its control, and in "
    "brackets of the seeds of either side; their correlation is what pairing takes away. items: the "
    "standard error that the test items cause. detectable: the difference that n seeds show with 80 % "
    "power."
)
OF_SPREAD = [
    "| table | rows | n | sd (row, control) | correlation | items | detectable | equal methods found "
    "equal | methods at the margin found equal | tables with a false star (Holm) |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
]
OF_TESTS = [
    "| table | test | errs, other seeds | errs, other seeds and items | shows a difference of the "
    "margin | calls the row better |",
    "| --- | --- | ---: | ---: | ---: | ---: |",
]
ABOUT_TESTS = (
    "How often p < .05. Without a difference this should be 5 % at most: with other seeds and the same "
    "test items, or with other seeds and other test items. With a difference as large as the margin it "
    "should be much. “Seeds fail”: one in ten, of the row or of its control alone, loses "
    f"{LOSS:g} points, and the others gain as much, so that there is no difference over all seeds."
)
NOTHING = "No table compares two rows with the same seeds, so nothing was simulated."


def simulation_csv(found: list[Simulated]) -> str:
    """Return one line for each table and test, unrounded; empty: not measured."""
    return rows_csv(COLUMNS, (_csv_row(one, rates) for one in found for rates in one.rates))


def _csv_row(one: Simulated, rates: Rates) -> dict[str, object]:
    found = vars(one) | vars(one.measured) | vars(rates)
    found["correlation"] = one.measured.correlation
    found["false_stars"], found["false_stars_holm"] = one.false_stars
    return {name: found[name] for name in COLUMNS}


def simulation_markdown(found: list[Simulated]) -> str:
    """Return what was measured in each table, and how the tests do at that spread."""
    if not found:
        return f"# The tests at the measured spread\n\n{NOTHING}\n"
    spreads = "\n".join([*OF_SPREAD, *map(_spread_line, found)])
    lines = (_test_line(one, rates) for one in found for rates in one.rates)
    tests = "\n".join([*OF_TESTS, *lines])
    parts = ["# The tests at the measured spread", READING, spreads, ABOUT_TESTS, tests]
    return "\n\n".join(parts) + "\n"


def _spread_line(one: Simulated) -> str:
    measured = one.measured
    without, corrected = one.false_stars
    cells = [
        measured.table,
        str(measured.rows),
        str(measured.n),
        f"{measured.sd:.3f} ({measured.sd_ours:.3f}, {measured.sd_control:.3f})",
        f"{measured.correlation:.2f}",
        "" if measured.item_error is None else f"{measured.item_error:.3f}",
        f"{one.detectable:.2f}",
        _percent(one.equal),
        _percent(one.equal_wrongly),
        f"{_percent(without)} ({_percent(corrected)})",
    ]
    return markdown_line(cells)


def _test_line(one: Simulated, rates: Rates) -> str:
    shown = _percent(rates.power)
    if shown:
        shown += f" of ±{one.measured.margin:g}"
    others = map(_percent, (rates.error, rates.error_items))
    better = _percent(rates.better)
    return markdown_line([one.measured.table, rates.test, *others, shown, better])


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"
