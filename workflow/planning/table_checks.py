"""Cross-checks of the tables of a config: rows that exist and fit, a control, published rows."""

import functools
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from semblance.errors import InputError
from semblance.layout import OVERLAPS
from semblance.names import RELATEDNESS_DATASETS, START
from semblance.reporting.layouts import PREVIOUS, Layout, find_layout
from semblance.reporting.published import Published, read_published
from workflow.planning import mined, part_checks, rankings, word_vectors
from workflow.planning.checks import check_known, check_models
from workflow.planning.collecting import entries, items
from workflow.planning.methods import (
    TARGET,
    check_spelling,
    entropy_parts,
    is_untrained,
    model_names,
    whitening,
)
from workflow.planning.scored_pairs import check_tasks

PUBLISHED = Path(__file__).parents[1] / "published.yaml"
OTHER_TABLES = (
    "scores",
    "published",
    "claims",
    "statistics",
    "report",
    OVERLAPS,
)  # files that lie beside the tables


def table_checks(config: dict) -> Iterator[Callable[[], None]]:
    """Yield checks that raise InputError, with the key, for what a table cannot mean."""
    for name, table in entries(config, "tables"):
        where = f"tables.{name}"
        yield partial(_check_table, config, name, table)
        if "tasks" in table:
            yield partial(check_tasks, config, name, table)
        for i, row in items(table, "rows"):
            yield partial(_check_row, config, f"{where}.rows[{i}]", table, row)
        for named, _ in entries(table, "labels"):
            yield partial(check_method_name, config, f"{where}.labels", _method_of(named))
        yield partial(_check_control, config, f"config.{where}.control", table)
        yield partial(_check_controls, f"config.{where}.controls", table)
        for ours, theirs in entries(table, "published"):
            place = f"{where}.published.{ours}"
            yield partial(_check_published, config, place, ours, theirs)


def _check_table(config: dict, name: str, table: dict) -> None:
    where = f"tables.{name}"
    if name in OTHER_TABLES:
        problem = "another file beside the tables has this name"
        raise InputError(f"config.{where}", problem, "choose another")
    check_known(f"{where}.seeds", table["seeds"], config["seeds"], "list of seeds")
    layout = find_layout(table["layout"], f"config.{where}.layout")
    banks = sorted({corpus for row in table["rows"] for corpus in row["corpora"]})
    if layout.over_folds and len(banks) > 1:
        problem = f"layout {layout.name!r} shows one bank, and the rows name {', '.join(banks)}"
        raise InputError(f"config.{where}.rows", problem, "make a table for each bank")
    _check_relatedness(config, layout)


def _check_relatedness(config: dict, layout: Layout) -> None:
    """Check that a layout with a regressor has a test with pairs to train it on."""
    named = set(config["sts"]["datasets"])
    if layout.tests == "relatedness" and named.isdisjoint(RELATEDNESS_DATASETS):
        problem = f"none has pairs to train the regressor of layout {layout.name!r} on"
        advice = f"add one of {', '.join(RELATEDNESS_DATASETS)}, or remove the table"
        raise InputError("config.sts.datasets", problem, advice)


def _check_control(config: dict, where: str, table: dict) -> None:
    control = table.get("control", PREVIOUS)
    methods = {name for row in table["rows"] for name in _methods_of(row)}
    if is_untrained(config, control):
        problem = f"{_named(control)} is no control: every training would differ from it"
        raise InputError(where, problem, "name a method that is trained, such as Eq. 1 alone")
    if control not in {PREVIOUS, *methods}:
        raise InputError(where, f"no row has method {control!r}")


def _methods_of(row: dict) -> list[str]:
    """Return the methods of a row; an entry with several φ is one for each."""
    return [name for entry in row["methods"] for name in model_names(entry)]


def _check_controls(where: str, table: dict) -> None:
    """Check that the control of each row that has one of its own is in the table, too."""
    methods = {name for row in table["rows"] for name in _methods_of(row)}
    for method, control in table.get("controls", {}).items():
        if method in methods and control not in methods - {START}:
            raise InputError(f"{where}.{method}", f"no row of a model has method {control!r}")


def _named(control: str) -> str:
    if control == START:
        return "the untrained base"
    return f"the untrained {control!r}"


def _check_row(config: dict, where: str, table: dict, row: dict) -> None:
    layout = find_layout(table["layout"], f"config.{where.partition('.rows')[0]}.layout")
    banks = config["faq"]["banks"]
    for corpus in row["corpora"]:
        places = {**config["corpora"], **banks}
        check_known(f"{where}.corpora", corpus, places, "corpus or bank")
        if layout.over_folds != (corpus in banks):
            raise InputError(
                f"config.{where}.corpora", f"{corpus!r} does not suit layout {layout.name!r}"
            )
    for base in row["bases"]:
        check_known(f"{where}.bases", base, config["bases"], "base")
        if layout.over_folds:
            word_vectors.check_transformer(config, f"config.{where}.bases", base)
        for name in _methods_of(row):
            word_vectors.check_method(config, f"config.{where}.bases", base, name)
    for entry in row["methods"]:
        if isinstance(entry, dict):
            check_models(config, f"{where}.methods", entry)
        else:
            check_method_name(config, f"{where}.methods", entry)
            _check_chooses(config, f"config.{where}.methods", layout, entry)
            _check_target(config, f"config.{where}.methods", layout, entry)
            place = f"config.{where}.methods"
            mined.check_only_on_banks(config, place, layout.over_folds, entry)
            part_checks.check_on_folds(config, place, layout.over_folds, entry)
            rankings.check_ranked(config, f"config.{where}.methods", layout, row["corpora"], entry)


def _check_chooses(config: dict, where: str, layout: Layout, method: str) -> None:
    """Check that a layout reads the dev scores by which a method chooses."""
    if layout.tests in ("transfer", "relatedness") and "choose" in config["methods"].get(
        method, {}
    ):
        problem = f"{method!r} chooses by STS-B dev, which layout {layout.name!r} does not read"
        raise InputError(where, problem, "name one of its candidates")


def _check_target(config: dict, where: str, layout: Layout, method: str) -> None:
    """Check that a whitening on the tests stands in a table of tests that can fit it."""
    if whitening(config, method) == TARGET and layout.tests != "sts":
        problem = (
            f"{method!r} is fitted on the STS tests, which layout {layout.name!r} does not show"
        )
        raise InputError(where, problem, "name it in a table of the layout sts or dev")


def check_method_name(config: dict, where: str, method: str) -> None:
    """Raise InputError, at ``config.where``, for a name that no model has."""
    if not entropy_parts(config, method):
        check_known(where, method, {**config["methods"], START: None}, "method")
    check_spelling(config, f"config.{where}", method)


def _method_of(name: str) -> str:
    """Return the method of a key that names METHOD, BASE/METHOD or CORPUS/METHOD.

    A base or a corpus before the method may be unknown: another config may have removed it.
    """
    return name.rpartition("/")[2]


def _check_published(config: dict, where: str, ours: str, theirs: str) -> None:
    """Check that ``published:`` names a method of ours and a row that a paper prints."""
    check_method_name(config, where, _method_of(ours))
    rows = _published_rows()
    if theirs not in rows:
        paper = theirs.rpartition("/")[0]
        near = sorted(row for row in rows if row.rpartition("/")[0] == paper)
        advice = f"that table has {', '.join(near)}" if near else f"see {PUBLISHED.name}"
        raise InputError(f"config.{where}", f"there is no published row {theirs!r}", advice)


@functools.cache
def _published_rows() -> frozenset[str]:
    return frozenset(entry.name for entry in published().entries)


@functools.cache
def published() -> Published:
    """Return the papers' numbers and what they used."""
    return read_published(PUBLISHED)
