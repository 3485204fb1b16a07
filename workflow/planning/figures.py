"""The figures of a config: their models or tables, their settings, and the files behind them."""

import json
from collections import Counter
from typing import Any

from semblance import figures, layout
from semblance.figures import FILES, KINDS, TEXTS, Source
from semblance.provenance import canonical
from workflow.planning.labels import TableRow, labels_of
from workflow.planning.methods import entropy_parts, trained_methods
from workflow.planning.plan import Plan, Run

PER_MODEL = 2  # regulators: RCL counts the embeddings of the query and of the positive (Table 4)


def figure_names(plan: Plan, measured: bool) -> list[str]:
    """Return the names of the figures that are measured on models, or of those that are collected."""
    return [name for name in plan.config["figures"] if is_measured(plan, name) == measured]


def drawn_figures(plan: Plan) -> list[str]:
    """Return the names of the figures that have a drawing."""
    shown = plan.config["figures"].items()
    return [name for name, figure in shown if figures.is_drawn(figure["kind"])]


def is_measured(plan: Plan, name: str) -> bool:
    """Tell whether a figure is measured on its models; if not, it is collected from files."""
    return figures.is_measured(plan.config["figures"][name]["kind"])


def source(plan: Plan, name: str) -> Source:
    """Return what a figure is made from."""
    return KINDS[plan.config["figures"][name]["kind"]]


def figure_runs(plan: Plan, name: str) -> list[Run]:
    """Return the models of a figure, each once; without ``rows`` all that are scored on STS.

    A figure of tables has none.
    """
    figure = plan.config["figures"][name]
    if source(plan, name) == "tables":
        return []
    if "rows" in figure:
        return list(dict.fromkeys(plan.table_runs(figure)))
    return sorted({run for tests, run in plan.evaluations if tests == "sts"})


def figure_tables(plan: Plan, name: str) -> list[str]:
    """Return the tables that a figure of tables shows; without ``tables`` all of them."""
    if source(plan, name) != "tables":
        return []
    return plan.config["figures"][name].get("tables", list(plan.config["tables"]))


def figure_settings(plan: Plan, name: str) -> str:
    """Return the ``--settings`` of the stage that makes the data of a figure."""
    figure = plan.config["figures"][name]
    settings = {key: figure[key] for key in ("kind", "options")}
    tables = figure_tables(plan, name)
    if tables:
        return canonical({**settings, "tables": tables})
    models: dict[TableRow, dict[str, Any]] = {}
    for run in figure_runs(plan, name):
        row = TableRow(*run[:3])
        models.setdefault(row, _models(plan, figure["kind"], run))["seeds"].append(run.seed)
    return canonical({**settings, "models": list(models.values())})


def _models(plan: Plan, kind: str, run: Run) -> dict[str, Any]:
    """Return what a figure needs to know of the models of one method, but for their seeds."""
    found: dict[str, Any] = {**TableRow(*run[:3])._asdict(), "seeds": []}
    if kind == "by_regulators":
        found["values"] = {"regulators": _number_of_regulators(plan, run)}
    if kind == "by_phi":
        form, phi = entropy_parts(plan.config, run.method) or (None, None)
        found["values"] = {"form": form, "phi": phi}
    return found


def _number_of_regulators(plan: Plan, run: Run) -> int | None:
    """Return how many regulators the training of a model has; None of a model without a training."""
    if run.method not in trained_methods(plan.config):
        return None
    return PER_MODEL * len(plan.regulators(run))


def drawing_settings(plan: Plan, name: str) -> str:
    """Return the ``--settings`` of ``draw_figure``: the kind, and what each of the models is called."""
    settings = {"kind": plan.config["figures"][name]["kind"]}
    shown = {run: _of_bank(plan, run) for run in figure_runs(plan, name)}
    labels = _distinct(labels_of(plan.config, {"labels": {}}, list(shown.values())))
    models = {TableRow(*run[:3]): labels[row] for run, row in shown.items()}
    named = [{**model._asdict(), "label": label} for model, label in models.items()]
    return canonical({**settings, "models": named})


def _distinct(labels: dict[TableRow, str]) -> dict[TableRow, str]:
    """Return the labels, each that several rows have with the name of its method."""
    counts = Counter(labels.values())
    found = dict(labels)
    for row, label in labels.items():
        if counts[label] > 1:
            found[row] = f"{label} · {row.method}"
    return found


def _of_bank(plan: Plan, run: Run) -> TableRow:
    """Return the row of a run; the runs of all folds of a FAQ bank have one row."""
    corpus = run.corpus
    if plan.is_faq(corpus):
        corpus = plan.folds_of[corpus][0]
    return TableRow(corpus, run.base, run.method)


def figure_files(plan: Plan, name: str) -> list[str]:
    """Return the file of each model, or of each table, that a collected figure reads."""
    return _places(plan, name, FILES, layout.TABLE_JSON)


def figure_texts(plan: Plan, name: str) -> list[str]:
    """Return the texts whose date tells when a collected figure must be made again."""
    return _places(plan, name, TEXTS, layout.TABLE_JSON)


def figure_records(plan: Plan, name: str) -> list[str]:
    """Return the record of each of ``figure_files``."""
    records = {key: (folder, layout.RECORD) for key, (folder, _) in FILES.items()}
    return _places(plan, name, records, layout.TABLE_RECORD)


def _places(plan: Plan, name: str, files: dict[Any, tuple[str, str]], of_table: str) -> list[str]:
    if source(plan, name) == "tables":
        return [layout.place(plan.out, of_table, table=t) for t in figure_tables(plan, name)]
    template = "/".join(files[source(plan, name)])
    return [layout.place(plan.out, template, **run._asdict()) for run in figure_runs(plan, name)]


def curve_settings(plan: Plan, corpus: str, base: str, method: str, seed: int | str) -> str:
    """Return the ``--settings`` of ``train_curve``: those of the method, with a rhythm of its own."""
    settings = json.loads(plan.train_settings(corpus, base, method, seed))
    section = plan.config["train_curve"]
    own = {"max_steps": section["steps"], "evaluate_every": section["every"]}
    return canonical({**settings, **own, "evaluate_share": None})


def collection(plan: Plan, name: str) -> str | None:
    """Return the corpus that a figure searches; None of a figure that reads the STS tests."""
    if source(plan, name) == "collection":
        return plan.config["figures"][name]["collection"]
    return None


def figure_data(plan: Plan, name: str) -> dict[str, str]:
    """Return the record of the texts that a measured figure reads, and their file."""
    corpus = collection(plan, name)
    folder = layout.place(plan.out, layout.STS_TEST)
    file = "pairs.parquet"
    if corpus:
        folder = layout.place(plan.out, layout.CORPUS, corpus=corpus)
        file = "sentences.arrow"
    return {"record": f"{folder}/{layout.RECORD}", "file": f"{folder}/{file}"}


def figure_models(plan: Plan, name: str) -> list[str]:
    """Return the record of each model of a measured figure, in the order of its settings."""
    return [plan.model_record(*run) for run in figure_runs(plan, name)]
