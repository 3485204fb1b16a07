"""Cross-checks of what a run makes: the tables and figures of a config."""

import functools
from collections.abc import Iterator
from functools import partial

from semblance.errors import InputError, nearest
from semblance.named_modules import FIGURES, module_file
from semblance.names import START, STS_TASKS, WITH_DEV_PAIRS
from semblance.reporting.layouts import PREVIOUS, Layout, find_layout
from semblance.reporting.published import Published, read_published
from semblance.settings import check_keywords
from workflow.checks.options import Check, check_known, check_models
from workflow.config.methods import (
    TARGET,
    holds_out_wordings,
    is_untrained,
    ranking,
    trained,
    whitening,
)
from workflow.config.model import Config
from workflow.config.outputs import Figure, Rows, Table
from workflow.config.signatures import required_signature
from workflow.config.trainings import Entropies

OTHER_TABLES = ("scores", "published", "claims", "report")  # their files


def table_checks(config: Config) -> Iterator[Check]:
    """Yield a check of each table and figure, and of their parts."""
    for name, table in config.tables.items():
        where = f"config.tables.{name}"
        yield partial(_check_table, where, name, table)
        yield partial(_check_tasks, config, where, table)
        for i, row in enumerate(table.rows):
            yield partial(_check_row, config, f"{where}.rows[{i}]", find_layout(table.layout), row)
        for named in table.labels:
            yield partial(_check_method_of, config, f"{where}.labels", named)
        yield partial(_check_controls, config, where, table)
        for ours, theirs in table.published.items():
            yield partial(_check_published, config, f"{where}.published.{ours}", ours, theirs)
    for name, figure in config.figures.items():
        where = f"config.figures.{name}"
        yield partial(_check_options, where, figure)
        for i, row in enumerate(getattr(figure, "rows", ())):
            yield partial(_check_shown, config, f"{where}.rows[{i}]", figure, row)


# --- tables ------------------------------------------------------------------------------------


def _check_table(where: str, name: str, table: Table) -> None:
    if name in OTHER_TABLES:
        raise InputError(where, "another file beside the tables has this name", "choose another")
    banks = sorted({corpus for row in table.rows for corpus in row.corpora})
    if find_layout(table.layout).over_folds and len(banks) > 1:
        problem = f"layout {table.layout!r} shows one bank, and the rows name {', '.join(banks)}"
        raise InputError(f"{where}.rows", problem, "make a table for each bank")


def _check_tasks(config: Config, where: str, table: Table) -> None:
    """Raise InputError for a table whose own list of tasks it cannot show."""
    layout = find_layout(table.layout)
    if table.tasks and (layout.over_folds or layout.tasks is not None):
        advice = f"layout {layout.name} has tasks of its own"
        raise InputError(f"{where}.tasks", "has no effect here", advice)
    tests = [name for name in config.sts.datasets if name not in WITH_DEV_PAIRS]
    for task in table.tasks or ():
        check_known(f"{where}.tasks", task, [*STS_TASKS, *tests], "task")


def _check_controls(config: Config, where: str, table: Table) -> None:
    """Check that the controls of a table are trained, and are rows of it."""
    methods = {name for row in table.rows for name in row.method_names}
    control = table.control or PREVIOUS
    if is_untrained(config, control):
        named = "the untrained base" if control == START else f"the untrained {control!r}"
        problem = f"{named} is no control: every training would differ from it"
        advice = "name a method that is trained, such as Eq. 1 alone"
        raise InputError(f"{where}.control", problem, advice)
    if control not in {PREVIOUS, *methods}:
        raise InputError(f"{where}.control", f"no row has method {control!r}")
    for method, other in table.controls.items():
        if method in methods and other not in methods - {START}:
            problem = f"no row of a model has method {other!r}"
            raise InputError(f"{where}.controls.{method}", problem)
        if is_untrained(config, other) and not is_untrained(config, method):
            problem = f"the untrained {other!r} is no control: every training would differ from it"
            raise InputError(f"{where}.controls.{method}", problem)


def _check_row(config: Config, where: str, layout: Layout, row: Rows) -> None:
    """Check that the corpora, or banks, of some rows suit the layout, and so do the methods."""
    for corpus in row.corpora:
        if layout.over_folds != (corpus in config.faq.banks):
            problem = f"{corpus!r} does not suit layout {layout.name!r}"
            raise InputError(f"{where}.corpora", problem)
    where = f"{where}.methods"
    _check_methods(config, where, row)
    for method in row.method_names:
        _check_suits(config, where, layout, row.corpora, method)


def _check_suits(
    config: Config, where: str, layout: Layout, corpora: list[str], method: str
) -> None:
    """Check that a layout, and its banks, show tests on which a method can be fitted or rank."""
    if whitening(config, method) == TARGET and layout.tests != "sts":
        named = f"layout {layout.name!r} does not show"
        problem = f"{method!r} is fitted on the STS tests, which {named}"
        raise InputError(where, problem, "name it in a table of the layout sts or dev")
    stated = ranking(config, method)
    if stated and not layout.over_folds:
        problem = f"{method!r} ranks answers, of which layout {layout.name!r} has none"
        raise InputError(where, problem, "name it in a table of a FAQ bank")
    if stated and stated.match not in (None, "answer"):
        for bank in corpora:
            if not holds_out_wordings(config, bank):
                problem = f"{method!r} matches questions, and bank {bank!r} tests its own ones"
                raise InputError(where, problem, "give the bank `hold_out: wordings`")


def _check_methods(config: Config, where: str, row: Rows) -> None:
    for entry in row.methods:
        if isinstance(entry, Entropies):
            check_models(config, where, entry)
        else:
            _check_method_of(config, where, entry)


def _check_method_of(config: Config, where: str, name: str) -> None:
    """Raise InputError for METHOD, BASE/METHOD or CORPUS/METHOD of a method that no model has.

    A base or a corpus before the method may be unknown: another config may have removed it.
    """
    check_known(where, name.rpartition("/")[2], [*config.methods, START], "method")


def _check_published(config: Config, where: str, ours: str, theirs: str) -> None:
    """Check that ``published:`` names a method of ours and a row that a paper prints."""
    _check_method_of(config, where, ours)
    rows = published_rows()
    if theirs not in rows:
        paper = theirs.rpartition("/")[0]
        near = sorted(row for row in rows if row.rpartition("/")[0] == paper)
        problem = f"there is no published row {theirs!r}"
        raise InputError(where, problem, nearest(theirs, near or rows))


@functools.cache
def published() -> Published:
    return read_published()


@functools.cache
def published_rows() -> set[str]:
    return {entry.name for entry in published().entries}


# --- figures -----------------------------------------------------------------------------------


def _check_options(where: str, figure: Figure) -> None:
    path = module_file(FIGURES, figure.kind, f"{where}.kind")
    check_keywords(required_signature(path, "rows"), figure.options, f"{where}.options")


def _check_shown(config: Config, where: str, figure: Figure, row: Rows) -> None:
    """Check a group of rows of a figure; a curve shows methods that have a training of their own."""
    for corpus in row.corpora:
        check_known(f"{where}.corpora", corpus, config.corpora, "corpus")
    where = f"{where}.methods"
    _check_methods(config, where, row)
    for name in row.method_names if figure.source == "curve" else ():
        check_known(where, name, config.methods, "method")
        if trained(config, name) is None:
            problem = f"{name!r} has no training of its own"
            raise InputError(where, problem, "name a method that is trained")
