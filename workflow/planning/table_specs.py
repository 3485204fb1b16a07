"""What ``render_table`` needs to know of one table of the full config."""

from typing import Any

from semblance.names import STS_TASKS
from semblance.reporting.layouts import find_layout
from workflow.planning.banks import faq_protocols
from workflow.planning.labels import TableRow, counterpart, method_label, row_labels
from workflow.planning.methods import candidates, is_untrained


def seeds_of(config: dict, table: dict, method: str) -> list[int]:
    """Return the seeds of the runs of a method in a table; an untrained model has seed 0 alone."""
    if is_untrained(config, method):
        return [0]
    return config["seeds"][table["seeds"]]


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
        "seeds": seeds_of(config, table, row.method),
    }
    chosen_from = candidates(config, row.method)
    if chosen_from:
        spec["choose"] = _choice_spec(config, table, row, chosen_from)
    published = counterpart(table, row)
    if published:
        spec["published"] = published
    if row.method in table.get("controls", {}):
        spec["control"] = table["controls"][row.method]
    return spec


def _choice_spec(config: dict, table: dict, row: TableRow, methods: list[str]) -> dict[str, Any]:
    """Return the candidates of a row that chooses on dev, and what the table calls them."""
    spec: dict[str, Any] = {"candidates": methods}
    named = list(methods)
    paper = config["methods"][row.method].get("paper")
    if paper:
        spec["paper"] = paper
        named.append(paper)
    labels = {n: method_label(config, table, row._replace(method=n)) for n in named}
    return {**spec, "labels": labels}
