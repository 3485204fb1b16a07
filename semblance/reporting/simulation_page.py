"""The simulated error rates and power of the tests, as CSV (unrounded) and as a page to read."""

from semblance.csv_rows import rows_csv
from semblance.reporting.formats import markdown_line
from semblance.reporting.simulation import RUNS, Rates, Simulated

COLUMNS = tuple(
    "table rows n margin sd sd_ours sd_control correlation item_error detectable equal "
    "equal_wrongly false_stars false_stars_holm test error error_items power".split()
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
    "margin |",
    "| --- | --- | ---: | ---: | ---: |",
]
ABOUT_TESTS = (
    "How often p < .05. Without a difference this should be 5 % at most: with other seeds and the same "
    "test items, or with other seeds and other test items. With a difference as large as the margin it "
    "should be much."
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
    of_items = "" if rates.error_items is None else _percent(rates.error_items)
    measured = one.measured
    shown = f"{_percent(rates.power)} of ±{measured.margin:g}"
    return markdown_line([measured.table, rates.test, _percent(rates.error), of_items, shown])


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
