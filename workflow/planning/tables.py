"""The tables of the full config: their rows, what these are called, what ``render_table`` is given."""

import json
from typing import Any, NamedTuple

from semblance.errors import InputError
from semblance.names import NO_CORPUS, START, STS_TASKS
from semblance.reporting.layouts import find_layout
from workflow.planning.data import faq_protocols
from workflow.planning.expand import settings_of
from workflow.planning.methods import (
    candidates,
    entropy_parts,
    entry_of,
    is_untrained,
    reads_no_corpus,
)

BESIDE_SETTINGS = (  # what else makes a training
    "regulators",
    "regulator_seeds",
    "steps_of",
    "mined_negatives",
    "train_part",
)


class TableRow(NamedTuple):
    """One row of a table: what was trained on what, from what."""

    corpus: str
    base: str
    method: str

    @property
    def on_corpus(self) -> str:
        """The name that tells the rows of one method on several corpora apart."""
        return f"{self.corpus}/{self.method}"


def rows_of(config: dict, table: dict) -> list[TableRow]:
    """Return the rows of a table in order, each once; one without a corpus if its model reads none."""
    over_folds = find_layout(table["layout"]).over_folds
    rows: dict[TableRow, None] = {}
    for group in table["rows"]:
        for corpus in group["corpora"]:
            for base in group["bases"]:
                for method in group["methods"]:
                    needs_none = reads_no_corpus(config, method) and not over_folds
                    rows[TableRow(NO_CORPUS if needs_none else corpus, base, method)] = None
    return list(rows)


def row_labels(config: dict, table: dict) -> dict[TableRow, str]:
    """Return the label of each row of a table."""
    return labels_of(config, table, rows_of(config, table))


def labels_of(config: dict, table: dict, rows: list[TableRow]) -> dict[TableRow, str]:
    """Return the label of each row: method, base where there are several, corpus likewise."""
    several_bases = len({row.base for row in rows}) > 1
    several_corpora = len({row.corpus for row in rows} - {NO_CORPUS}) > 1
    labels = {}
    for row in rows:
        base = config["bases"][row.base]["label"]
        parts = [_method_label(config, table, row)]
        if several_bases and parts != [base]:
            parts.append(base)
        names_corpus = row.on_corpus in table["labels"]
        if several_corpora and row.corpus != NO_CORPUS and not names_corpus:
            parts.append(row.corpus)
        labels[row] = " · ".join(parts)
    return labels


def _method_label(config: dict, table: dict, row: TableRow) -> str:
    """Return what a table calls a method; the untrained base is called by the base's own label."""
    for name in (row.on_corpus, row.method):
        if name in table["labels"]:
            return table["labels"][name]
    if row.method == START:
        return config["bases"][row.base]["label"]
    parts = entropy_parts(config, row.method)
    if parts is None:
        return config["methods"][row.method]["label"]
    kind, phi = parts
    return config["train_entropy"]["kinds"][kind]["label"].replace("{phi}", phi.replace("-", "−"))


def counterpart(table: dict, row: TableRow) -> str:
    """Return the printed row that a table sets beside a row of its own; empty if it names none."""
    published = table.get("published", {})
    for name in (f"{row.base}/{row.method}", row.on_corpus, row.method):
        if name in published:
            return published[name]
    return ""


def seeds_of(config: dict, name: str, method: str) -> list[int]:
    """Return the seeds of a method in a list of seeds; an untrained model has seed 0 alone."""
    if is_untrained(config, method):
        return [0]
    return config["seeds"][name]


def table_spec(config: dict, name: str) -> dict[str, Any]:
    """Return what ``render_table`` needs to know of one table."""
    table = config["tables"][name]
    labels = row_labels(config, table)
    shape = find_layout(table["layout"])
    tasks = shape.tasks
    if tasks is None:
        tasks = table.get("tasks", STS_TASKS)
    spec = {
        "name": name,
        "title": table["title"],
        "layout": shape.name,
        "tasks": list(tasks),
        "protocols": [config["sts"]["protocol"]],
        "note": table.get("note", ""),
        "rows": [_row_spec(config, table, row, label) for row, label in labels.items()],
    }
    if shape.tests == "transfer":
        spec["protocols"] = list(shape.protocols)
    if shape.over_folds:
        bank = next(iter(labels)).corpus
        spec["protocols"] = list(shape.protocols)
        if not shape.on_dev_questions:
            spec["protocols"] = faq_protocols(config, bank)
        spec |= {"dataset": bank, "folds": config["faq"]["folds"]}
    if table.get("control"):
        spec["control"] = table["control"]  # a method: compared with on each row's own base
    if "margin" in table:
        spec["margin"] = table["margin"]
    return spec


def _row_spec(config: dict, table: dict, row: TableRow, label: str) -> dict[str, Any]:
    spec = {
        "label": label,
        **row._asdict(),
        "seeds": seeds_of(config, table["seeds"], row.method),
    }
    if candidates(config, row.method):
        spec["choose"] = _choice_spec(config, table, row)
    if published := counterpart(table, row):
        spec["published"] = published
    if row.method in table.get("controls", {}):
        spec["control"] = table["controls"][row.method]
    return spec


def _choice_spec(config: dict, table: dict, row: TableRow) -> dict[str, Any]:
    """Return the candidates of a row that chooses on dev, and what the table calls them."""
    methods = candidates(config, row.method)
    spec: dict[str, Any] = {"candidates": methods}
    named = list(methods)
    if paper := config["methods"][row.method].get("paper"):
        spec["paper"] = paper
        named.append(paper)
    labels = {n: _method_label(config, table, row._replace(method=n)) for n in named}
    return {**spec, "labels": labels}


def check_labels(config: dict) -> None:
    """Raise InputError if two rows of a table have one label, at the key that can tell them apart.

    Two rows of one method differ in their bases: a label holds the name of each further corpus.
    """
    for name, table in config["tables"].items():
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


def check_equal_rows(config: dict) -> None:
    """Raise InputError for a table with two rows of the same corpus, base and training.

    They would show one model under two labels, and a difference of exactly 0 as if it were measured.
    """
    for name, table in config["tables"].items():
        for place, group in enumerate(table["rows"]):
            where = f"config.tables.{name}.rows[{place}].methods"
            trained = [m for m in group["methods"] if "loss" in entry_of(config, m)]
            for corpus in group["corpora"]:
                for base in group["bases"]:
                    _check_trainings(config, where, trained, corpus, base)


def _check_trainings(config: dict, where: str, names: list[str], corpus: str, base: str) -> None:
    first: dict[str, str] = {}
    for name in names:
        training = config["methods"][name]
        settings = settings_of(config, training, base, corpus in config["faq"]["banks"])
        beside = [training.get(key) for key in BESIDE_SETTINGS]
        known = first.setdefault(json.dumps([settings, beside], sort_keys=True), name)
        if known != name:
            problem = f"{known!r} and {name!r} are the same training here"
            raise InputError(where, problem, "leave one out, or change a setting of one")
