"""The tables of the full config: their rows, what these are called, what ``render_table`` is given."""

import json
from itertools import product
from typing import Any, NamedTuple

from semblance.errors import InputError
from semblance.names import NO_CORPUS, START, STS_TASKS
from semblance.reporting.layouts import find_layout
from workflow.config.methods import (
    faq_protocols,
    is_untrained,
    maker,
    ranking,
    settings_of,
    trained,
)
from workflow.config.model import Config
from workflow.config.outputs import FigureOfModels, Table
from workflow.config.trainings import Entropy

# What else makes a training, beside its regulators.
BESIDE_SETTINGS = ("regulator_seeds", "steps_of")


class TableRow(NamedTuple):
    """One row of a table: what was trained on what, from what."""

    corpus: str
    base: str
    method: str

    @property
    def on_corpus(self) -> str:
        """The name that tells the rows of one method on several corpora apart."""
        return f"{self.corpus}/{self.method}"


def rows_of(config: Config, table: Table | FigureOfModels) -> list[TableRow]:
    """Return the rows of a table in order, each once; one without a corpus if its model reads none."""
    over_folds = isinstance(table, Table) and find_layout(table.layout).over_folds
    rows: dict[TableRow, None] = {}
    for group in table.rows:
        for corpus, base, method in product(group.corpora, group.bases, group.method_names):
            needs_none = not (maker(config, method) or over_folds)
            rows[TableRow(NO_CORPUS if needs_none else corpus, base, method)] = None
    return list(rows)


def row_labels(config: Config, table: Table) -> dict[TableRow, str]:
    """Return the label of each row of a table, marked where its base has seen the bank."""
    labels = labels_of(config, table.labels, rows_of(config, table))
    return {
        row: f"{name} (seen)" if has_seen(config, row) else name for row, name in labels.items()
    }


def has_seen(config: Config, row: TableRow) -> bool:
    """Tell whether the base of a row was trained on the row's FAQ bank; BM25 uses no base."""
    dataset = getattr(config.faq.banks.get(row.corpus), "dataset", None)
    stated = ranking(config, row.method)
    by_words = stated is not None and stated.by == "words"
    return not by_words and dataset in (getattr(config.origin(row.base), "seen", None) or ())


def _seen_note(config: Config, rows: list[TableRow]) -> str:
    """Name the bases that were trained on the bank of a table; empty if none was."""
    bases = dict.fromkeys(base_label(config, row.base) for row in rows if has_seen(config, row))
    about = f"Rows marked (seen): the training of their base has seen {rows[0].corpus}:"
    return f"{about} {', '.join(bases)}." if bases else ""


def labels_of(config: Config, stated: dict[str, str], rows: list[TableRow]) -> dict[TableRow, str]:
    """Return the label of each row: method, base where there are several, corpus likewise.

    ``stated``: the labels that a table itself gives a METHOD or a CORPUS/METHOD.
    """
    several_bases = len({row.base for row in rows}) > 1
    several_corpora = len({row.corpus for row in rows} - {NO_CORPUS}) > 1
    labels = {}
    for row in rows:
        base = base_label(config, row.base)
        parts = [_method_label(config, stated, row)]
        if several_bases and parts != [base]:
            parts.append(base)
        names_corpus = row.on_corpus in stated
        if several_corpora and row.corpus != NO_CORPUS and not names_corpus:
            parts.append(row.corpus)
        labels[row] = " · ".join(parts)
    return labels


def base_label(config: Config, base: str) -> str:
    """Return what tables call a base."""
    return config.bases[base].label or base


def _method_label(config: Config, stated: dict[str, str], row: TableRow) -> str:
    """Return what a table calls a method; the untrained base is called by the base's own label."""
    for name in (row.on_corpus, row.method):
        if name in stated:
            return stated[name]
    if row.method == START:
        return base_label(config, row.base)
    method = config.methods[row.method]
    if method.label or not isinstance(method, Entropy):
        return method.label or row.method
    label = config.train_entropy.kinds[method.kind].label or row.method
    return label.replace("{phi}", method.printed_phi.replace("-", "−"))


def counterpart(table: Table, row: TableRow) -> str:
    """Return the printed row that a table sets beside a row of its own; empty if it names none."""
    for name in (f"{row.base}/{row.method}", row.on_corpus, row.method):
        if name in table.published:
            return table.published[name]
    return ""


def seeds_of(config: Config, name: str, method: str) -> list[int]:
    """Return the seeds of a method in a list of seeds; an untrained model has seed 0 alone."""
    if is_untrained(config, method):
        return [0]
    return config.seeds[name]


def table_spec(config: Config, name: str) -> dict[str, Any]:
    """Return what ``render_table`` needs to know of one table."""
    table = config.tables[name]
    labels = row_labels(config, table)
    shape = find_layout(table.layout)
    tasks = shape.tasks
    if tasks is None:
        tasks = table.tasks or STS_TASKS
    spec = {
        "name": name,
        "title": table.title,
        "layout": shape.name,
        "tasks": list(tasks),
        "protocols": [config.sts.protocol],
        "note": " ".join(filter(None, (table.note, _seen_note(config, list(labels))))),
        "rows": [_row_spec(config, table, row, label) for row, label in labels.items()],
    }
    if shape.tests == "transfer":
        spec["protocols"] = list(shape.protocols)
    if shape.over_folds:
        bank = next(iter(labels)).corpus
        spec["protocols"] = list(shape.protocols)
        if not shape.on_dev_questions:
            spec["protocols"] = faq_protocols(config, bank)
        spec |= {"dataset": bank, "folds": config.faq.folds}
    if table.control:
        spec["control"] = table.control  # a method: compared with on each row's own base
    if table.margin is not None:
        spec["margin"] = table.margin
    return spec


def _row_spec(config: Config, table: Table, row: TableRow, label: str) -> dict[str, Any]:
    spec = {"label": label, **row._asdict(), "seeds": seeds_of(config, table.seeds, row.method)}
    if published := counterpart(table, row):
        spec["published"] = published
    if row.method in table.controls:
        spec["control"] = table.controls[row.method]
    return spec


def check_labels(config: Config) -> None:
    """Raise InputError if two rows of a table have one label, at the key that can tell them apart.

    Two rows of one method differ in their bases: a label holds the name of each further corpus.
    """
    for name, table in config.tables.items():
        seen: dict[str, TableRow] = {}
        for second, label in row_labels(config, table).items():
            first = seen.setdefault(label, second)
            if first is second:
                continue
            if first.method == second.method:
                where = f"config.bases.{second.base}.label"
                both = f"the rows of {first.base} and {second.base} both {label!r}"
                advice = "give one of the two bases another label"
                raise InputError(where, f"table {name} calls {both}", advice)
            problem = f"the rows of {first.method} and {second.method} are both called {label!r}"
            advice = "give one of them another label here"
            raise InputError(f"config.tables.{name}.labels", problem, advice)


def check_equal_rows(config: Config) -> None:
    """Raise InputError for a table with two rows of the same corpus, base and training.

    They would show one model under two labels, and a difference of exactly 0 as if it were measured.
    """
    for name, table in config.tables.items():
        for place, group in enumerate(table.rows):
            where = f"config.tables.{name}.rows[{place}].methods"
            names = [method for method in group.method_names if trained(config, method)]
            for corpus, base in product(group.corpora, group.bases):
                _check_trainings(config, where, names, corpus, base)


def _check_trainings(config: Config, where: str, names: list[str], corpus: str, base: str) -> None:
    first: dict[str, str] = {}
    for name in names:
        training = config.methods[name]
        settings = settings_of(config, training, base, corpus in config.faq.banks)
        stated = training.written()
        beside = [training.regulator_names, *(stated.get(key) for key in BESIDE_SETTINGS)]
        known = first.setdefault(json.dumps([settings, beside], sort_keys=True), name)
        if known != name:
            problem = f"{known!r} and {name!r} are the same training here"
            raise InputError(where, problem, "leave one out, or change a setting of one")
