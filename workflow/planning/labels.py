"""What the rows of a table are called: the paper's own names, and what tells like rows apart."""

from typing import NamedTuple

from semblance.errors import InputError
from semblance.names import NO_CORPUS, START
from semblance.reporting.layouts import find_layout
from workflow.planning.methods import entropy_parts, reads_no_corpus


class TableRow(NamedTuple):
    """One row of a table: what was trained on what, from what."""

    corpus: str
    base: str
    method: str


def rows_of(config: dict, table: dict) -> list[TableRow]:
    """Return the rows of a table of the full config, in order, each once."""
    rows: dict[TableRow, None] = {}
    for group in table["rows"]:
        for corpus in group["corpora"]:
            for base in group["bases"]:
                rows |= {
                    _table_row(config, table, TableRow(corpus, base, method)): None
                    for method in group["methods"]
                }
    return list(rows)


def row_labels(config: dict, table: dict) -> dict[TableRow, str]:
    """Return the label of each row of a table of the full config."""
    return labels_of(config, table, rows_of(config, table))


def labels_of(config: dict, table: dict, rows: list[TableRow]) -> dict[TableRow, str]:
    """Return the label of each row: method, base where there are several, corpus likewise."""
    several_bases = len({row.base for row in rows}) > 1
    several_corpora = len({row.corpus for row in rows} - {NO_CORPUS}) > 1
    labels = {}
    for row in rows:
        base = config["bases"][row.base]["label"]
        parts = [method_label(config, table, row)]
        if several_bases and parts != [base]:
            parts.append(base)
        names_corpus = name_on_corpus(row) in table["labels"]
        if several_corpora and row.corpus != NO_CORPUS and not names_corpus:
            parts.append(row.corpus)
        labels[row] = " · ".join(parts)
    return labels


def name_on_corpus(row: TableRow) -> str:
    """Return the name that tells the rows of one method on several corpora apart."""
    return f"{row.corpus}/{row.method}"


def counterpart(table: dict, row: TableRow) -> str:
    """Return the printed row that a table sets beside a row of its own; empty if it names none."""
    published = table.get("published", {})
    for name in (f"{row.base}/{row.method}", name_on_corpus(row), row.method):
        if name in published:
            return published[name]
    return ""


def check_labels(full: dict) -> None:
    """Raise InputError if two rows of a table of the full config have the same label."""
    for name, table in full["tables"].items():
        seen: dict[str, TableRow] = {}
        for row, label in row_labels(full, table).items():
            if label in seen:
                raise _same_label(name, label, seen[label], row)
            seen[label] = row


def _same_label(table: str, label: str, first: TableRow, second: TableRow) -> InputError:
    """Return the error of two rows with one label, at the key that can tell the rows apart.

    Two rows of one method differ in their bases: a label holds the name of each further corpus.
    """
    if first.method == second.method:
        where = f"config.bases.{second.base}.label"
        problem = f"table {table} calls the rows of {first.base} and {second.base} both {label!r}"
        return InputError(where, problem, "give one of the two bases another label")
    where = f"config.tables.{table}.labels"
    problem = f"the rows of {first.method} and {second.method} are both called {label!r}"
    return InputError(where, problem, "give one of them another label here")


def _table_row(config: dict, table: dict, row: TableRow) -> TableRow:
    """Return a row, without a corpus if its model reads none."""
    if reads_no_corpus(config, row.method) and not find_layout(table["layout"]).over_folds:
        return row._replace(corpus=NO_CORPUS)
    return row


def method_label(config: dict, table: dict, row: TableRow) -> str:
    """Return what a table calls a method; the untrained base is called by the base's own label."""
    for name in (name_on_corpus(row), row.method):
        if name in table["labels"]:
            return table["labels"][name]
    if row.method == START:
        return config["bases"][row.base]["label"]
    parts = entropy_parts(config, row.method)
    if parts is None:
        return config["methods"][row.method]["label"]
    kind, phi = parts
    return config["train_entropy"]["kinds"][kind]["label"].replace("{phi}", phi.replace("-", "−"))
