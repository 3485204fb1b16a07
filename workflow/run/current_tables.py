"""The tables of a run as they stand: the rendered ones, and what there is of the others.

Nothing is written. Scores are taken as they lie in the folder, also those that Snakemake would make
again; a table that is built here draws no bootstrap, and its name and notes say that it is incomplete.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from semblance import layout
from semblance.audit.chain import Chain
from semblance.fetch.manifest import load_manifest
from semblance.provenance import canonical, checked, read_text
from semblance.reporting.build import build
from semblance.reporting.comparison import attach
from semblance.reporting.scores import collect, score_digests
from semblance.reporting.table import Table, from_json
from workflow.checks.tables import published
from workflow.planning.plan import Evaluation, Plan
from workflow.planning.stand_ins import marked
from workflow.report.facts import INCOMPLETE, UNREADABLE


def tables_now(plan: Plan, names: Iterable[str] = ()) -> tuple[dict[str, Table], dict[str, str]]:
    """Return some tables of a run, or all, as they stand; and what each incomplete one lacks.

    Raises InputError for a damaged manifest.
    """
    datasets = load_manifest(plan.config.manifest)
    tables: dict[str, Table] = {}
    lacks: dict[str, str] = {}
    for name in names or plan.config.tables:
        settings = marked(plan, datasets, plan.table_spec(name))
        table = _rendered(plan, settings)
        if table is None:
            table, lacks[name] = _built(plan, settings)
        tables[name] = table
    return tables, lacks


def _rendered(plan: Plan, settings: dict) -> Table | None:
    """Return a table as its stage rendered it; None if it is missing, damaged or outdated.

    As for Snakemake, it stays whole where what it was made of is deleted.
    """
    name = settings["name"]
    path = Path(layout.place(plan.out, layout.TABLE_RECORD, table=name)).absolute()
    try:
        same_settings = canonical(checked(path)["settings"]) == canonical(settings)
        if same_settings and not Chain(plan.out).changed_since(path):
            source = layout.place(plan.out, layout.TABLE_JSON, table=name)
            return from_json(read_text(source), source)
    except UNREADABLE:
        pass
    return None


def _built(plan: Plan, settings: dict) -> tuple[Table, str]:
    """Return a table of those of its scores that are there, and what it lacks."""
    name = settings["name"]
    evaluations = plan.evaluations_of(name)
    present = [evaluation for evaluation in evaluations if _has_scores(plan, evaluation)]
    waiting = len(evaluations) - len(present)
    lack = "each run has scores, but the table is not made of them yet"
    if waiting:
        lack = f"runs without scores: {waiting} of {len(evaluations)}"
    table = attach(build(settings, collect(map(plan.scores, present))), published())
    return replace(
        table,
        name=f"{name} ({INCOMPLETE})",
        title=f"{INCOMPLETE}: {table.title}",
        notes=(f"{INCOMPLETE}: {lack}; `semblance status` says why", *table.notes),
    ), lack


def _has_scores(plan: Plan, evaluation: Evaluation) -> bool:
    """Tell whether the scores of an evaluation are there and whole."""
    try:
        score_digests([plan.scores(evaluation)])
    except UNREADABLE:
        return False
    return True
