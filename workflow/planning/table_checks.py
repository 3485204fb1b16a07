"""Cross-checks of what a run makes: the tables, figures and answerers of a config."""

import functools
from collections.abc import Iterator
from functools import partial

from semblance.config.model import Config
from semblance.config.outputs import (
    Answerer,
    Figure,
    FigureOfCollection,
    FigureOfModels,
    FigureOfTables,
    Rows,
    Table,
)
from semblance.config.trainings import Entropies
from semblance.errors import InputError
from semblance.figures import package_of
from semblance.named_modules import module_file
from semblance.names import START, STS_TASKS, WITH_DEV_PAIRS
from semblance.reporting.layouts import PREVIOUS, Layout, find_layout
from semblance.reporting.published import Published, read_published
from semblance.settings import check_keywords
from workflow.planning.checks import (
    Check,
    check_known,
    check_models,
    check_spelling,
)
from workflow.planning.methods import (
    PAIRS,
    TARGET,
    answerer_protocol,
    entropy_parts,
    holds_out_wordings,
    is_untrained,
    model_of,
    ranking,
    whitening,
)
from workflow.planning.signatures import required_signature

OTHER_TABLES = ("scores", "published", "claims", "report")  # their files


def table_checks(config: Config) -> Iterator[Check]:
    """Yield a check of each table, figure and answerer, and of their parts."""
    for name, table in config.tables.items():
        where = f"config.tables.{name}"
        yield partial(_check_table, config, name, table)
        yield partial(_check_tasks, config, where, table)
        for i, row in _rows(table):
            yield partial(_check_row, config, f"{where}.rows[{i}]", table, row)
        for named in table.labels or ():
            yield partial(_check_method_name, config, f"{where}.labels", _method_of(named))
        yield partial(_check_control, config, f"{where}.control", table)
        yield partial(_check_controls, f"{where}.controls", table)
        for ours, theirs in (table.published or {}).items():
            yield partial(_check_published, config, f"{where}.published.{ours}", ours, theirs)
    for name, figure in config.figures.items():
        where = f"config.figures.{name}"
        yield partial(_check_kind, config, where, figure)
        yield partial(_check_trained, config, where, figure)
        for i, row in _rows(figure):
            yield partial(_check_shown, config, f"{where}.rows[{i}]", figure, row)
    for name, answerer in config.answerers.items():
        where = f"config.answerers.{name}"
        yield partial(_check_answerer, config, where, answerer)
        yield partial(_check_ways, config, f"{where}.methods", answerer)


def _rows(shown: object) -> Iterator[tuple[int, Rows]]:
    """Yield number and value of each group of rows; nothing where there is no list of them."""
    if isinstance(rows := getattr(shown, "rows", None), list):
        yield from enumerate(rows)


# --- tables ------------------------------------------------------------------------------------


def _check_table(config: Config, name: str, table: Table) -> None:
    where = f"config.tables.{name}"
    if name in OTHER_TABLES:
        raise InputError(where, "another file beside the tables has this name", "choose another")
    check_known(f"{where}.seeds", table.seeds, config.seeds, "list of seeds")
    layout = find_layout(table.layout, f"{where}.layout")
    banks = sorted({corpus for row in table.rows for corpus in row.corpora})
    if layout.over_folds and len(banks) > 1:
        problem = f"layout {layout.name!r} shows one bank, and the rows name {', '.join(banks)}"
        raise InputError(f"{where}.rows", problem, "make a table for each bank")


def _check_tasks(config: Config, where: str, table: Table) -> None:
    """Raise InputError for a table whose own list of tasks it cannot show."""
    if table.tasks is None:
        return
    layout = find_layout(table.layout, f"{where}.layout")
    where = f"{where}.tasks"
    if layout.over_folds or layout.tasks is not None:
        raise InputError(where, "has no effect here", f"layout {layout.name} has tasks of its own")
    tests = config.sts.datasets
    known = dict.fromkeys([*STS_TASKS, *(n for n in tests if n not in WITH_DEV_PAIRS)])
    for task in table.tasks:
        if task not in known:
            raise InputError(where, f"there is no task {task!r}", f"known are {', '.join(known)}")


def _check_control(config: Config, where: str, table: Table) -> None:
    control = table.control or PREVIOUS
    methods = {name for row in table.rows for name in row.method_names}
    if is_untrained(config, control):
        named = "the untrained base" if control == START else f"the untrained {control!r}"
        problem = f"{named} is no control: every training would differ from it"
        raise InputError(where, problem, "name a method that is trained, such as Eq. 1 alone")
    if control not in {PREVIOUS, *methods}:
        raise InputError(where, f"no row has method {control!r}")


def _check_controls(where: str, table: Table) -> None:
    """Check that the control of each row that has one of its own is in the table, too."""
    methods = {name for row in table.rows for name in row.method_names}
    for method, control in table.controls.items():
        if method in methods and control not in methods - {START}:
            raise InputError(f"{where}.{method}", f"no row of a model has method {control!r}")


def _check_row(config: Config, where: str, table: Table, row: Rows) -> None:
    layout = find_layout(table.layout, f"{where.partition('.rows')[0]}.layout")
    banks = config.faq.banks
    for corpus in row.corpora:
        places = {**config.corpora, **banks}
        check_known(f"{where}.corpora", corpus, places, "corpus or bank")
        if layout.over_folds != (corpus in banks):
            problem = f"{corpus!r} does not suit layout {layout.name!r}"
            raise InputError(f"{where}.corpora", problem)
    for base in row.bases:
        check_known(f"{where}.bases", base, config.bases, "base")
    where = f"{where}.methods"
    for entry in row.methods:
        if isinstance(entry, Entropies):
            check_models(config, where, entry)
        else:
            _check_method_name(config, where, entry)
            _check_suits(config, where, layout, entry)
            _check_matched(config, where, row.corpora, entry)


def _check_suits(config: Config, where: str, layout: Layout, method: str) -> None:
    """Check that a layout shows tests on which a method can be fitted or rank."""
    if whitening(config, method) == TARGET and layout.tests != "sts":
        problem = (
            f"{method!r} is fitted on the STS tests, which layout {layout.name!r} does not show"
        )
        raise InputError(where, problem, "name it in a table of the layout sts or dev")
    if ranking(config, method) and not layout.over_folds:
        problem = f"{method!r} ranks answers, of which layout {layout.name!r} has none"
        raise InputError(where, problem, "name it in a table of a FAQ bank")


def _check_matched(config: Config, where: str, banks: list[str], method: str) -> None:
    """Check that banks hold out users' wordings where a method compares a query with questions."""
    stated = ranking(config, method)
    if stated is None or stated.match in (None, "answer"):
        return
    for bank in banks:
        if not holds_out_wordings(config, bank):
            problem = f"{method!r} matches questions, and bank {bank!r} tests its own ones"
            raise InputError(where, problem, "give the bank `hold_out: wordings`")


def _check_method_name(config: Config, where: str, method: str) -> None:
    """Raise InputError for a name that no model has."""
    if not entropy_parts(config, method):
        check_known(where, method, [*config.methods, START], "method")
    check_spelling(config, where, method)


def _method_of(name: str) -> str:
    """Return the method of a key that names METHOD, BASE/METHOD or CORPUS/METHOD.

    A base or a corpus before the method may be unknown: another config may have removed it.
    """
    return name.rpartition("/")[2]


def _check_published(config: Config, where: str, ours: str, theirs: str) -> None:
    """Check that ``published:`` names a method of ours and a row that a paper prints."""
    _check_method_name(config, where, _method_of(ours))
    rows = {entry.name for entry in published().entries}
    if theirs not in rows:
        paper = theirs.rpartition("/")[0]
        near = sorted(row for row in rows if row.rpartition("/")[0] == paper)
        advice = f"that table has {', '.join(near)}" if near else "see papers/"
        raise InputError(where, f"there is no published row {theirs!r}", advice)


@functools.cache
def published() -> Published:
    """Return the papers' numbers."""
    return read_published()


# --- figures -----------------------------------------------------------------------------------


def _check_kind(config: Config, where: str, figure: Figure) -> None:
    """Check a figure's module and options, and that its seeds, tables and collection exist."""
    path = module_file(package_of(figure.kind), figure.kind, f"{where}.kind")
    signature = required_signature(path, "rows")
    if isinstance(figure, FigureOfCollection):
        check_known(f"{where}.collection", figure.collection, config.corpora, "corpus")
    if isinstance(figure, FigureOfModels):
        check_known(f"{where}.seeds", figure.seeds, config.seeds, "list of seeds")
    if isinstance(figure, FigureOfTables):
        for table in figure.tables or ():
            check_known(f"{where}.tables", table, config.tables, "table")
    check_keywords(signature, figure.options, f"{where}.options")


def _check_trained(config: Config, where: str, figure: Figure) -> None:
    """Check that each method of a curve is one of ``methods`` that has a training."""
    if figure.source != "curve":
        return
    for i, row in _rows(figure):
        key = f"{where}.rows[{i}].methods"
        for name in row.method_names:
            check_known(key, name, config.methods, "method")
            if whitening(config, name) is not None:
                problem = f"{name!r} whitens a base and has no training"
                raise InputError(key, problem, "name a method that is trained")
            if ranking(config, name):
                problem = f"{name!r} ranks with the model of another method"
                raise InputError(key, problem, "name that method")


def _check_shown(config: Config, where: str, figure: Figure, row: Rows) -> None:
    """Check a group of rows of a figure."""
    for corpus in row.corpora:
        check_known(f"{where}.corpora", corpus, config.corpora, "corpus")
    for base in row.bases:
        check_known(f"{where}.bases", base, config.bases, "base")
    where = f"{where}.methods"
    for entry in row.methods:
        if isinstance(entry, Entropies):
            check_models(config, where, entry)
        else:
            _check_method_name(config, where, entry)


# --- answerers ---------------------------------------------------------------------------------


def _check_answerer(config: Config, where: str, answerer: Answerer) -> None:
    bank = answerer.bank
    check_known(f"{where}.bank", bank, config.faq.banks, "bank")
    check_known(f"{where}.base", answerer.base, config.bases, "base")
    check_known(f"{where}.seeds", answerer.seeds, config.seeds, "list of seeds")
    judged_by_pairs = answerer_protocol(config, bank) == PAIRS
    if judged_by_pairs and PAIRS not in config.evaluate_faq.protocols:
        problem = f"an answerer of bank {bank!r} is judged by {PAIRS}"
        raise InputError("config.evaluate_faq.protocols", problem, f"add {PAIRS}")


def _check_ways(config: Config, where: str, answerer: Answerer) -> None:
    """Check the methods of an answerer: each model can be trained on a whole bank, and is evaluated."""
    for method in answerer.methods:
        check_known(where, method, [*config.methods, START], "method")
        used = model_of(config, method)
        if used != START:
            check_known(where, used, config.methods, "method")
            if whitening(config, used):
                advice = "an answerer cannot use that yet; name another method"
                raise InputError(where, f"{used!r} whitens its embeddings", advice)
        _check_evaluated(config, where, answerer, method)


def _check_evaluated(config: Config, where: str, answerer: Answerer, method: str) -> None:
    """Check that tables of the bank evaluate a method with the base and the seeds of an answerer."""
    wanted = set(config.seeds.get(answerer.seeds, ()))
    seeds: list[set[int]] = []
    for table in config.tables.values():
        if not find_layout(table.layout).over_folds:
            continue
        for row in table.rows:
            on_bank = answerer.bank in row.corpora and answerer.base in row.bases
            if on_bank and method in row.method_names:
                seeds.append(set(config.seeds.get(table.seeds, ())))
    if not seeds or not is_untrained(config, method) and not wanted <= set().union(*seeds):
        problem = (
            f"no table of bank {answerer.bank!r} evaluates {method!r} with base"
            f" {answerer.base!r} and the seeds {answerer.seeds!r}"
        )
        raise InputError(where, problem, "name it in a row of a table")
