"""What there is of the tables whose runs are not all finished, and the logs of what is missing.

It reads a run, finished or living, and writes into ``tables/incomplete`` alone. No rule knows that
folder, ``semblance verify`` does not check it, and each file in it says that it is incomplete.
"""

import contextlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from semblance import layout
from semblance.errors import InputError
from semblance.fetch.manifest import load_manifest
from semblance.files import write_text
from semblance.provenance import (
    ROOT,
    beside,
    canonical,
    checked,
    input_digests,
    read_sealed,
    read_text,
)
from semblance.reporting.build import build
from semblance.reporting.claims import read_claims
from semblance.reporting.claims_page import claims_markdown
from semblance.reporting.comparison import attach, ledger
from semblance.reporting.formats import markdown, table_csv
from semblance.reporting.judging import judge
from semblance.reporting.scores import collect, score_digests
from semblance.reporting.table import Table, from_json
from workflow.planning.plan import Evaluation, Plan
from workflow.planning.reads import Job, evaluation_job
from workflow.planning.stages import inputs, log, model_record, record
from workflow.planning.stand_ins import StandIns
from workflow.planning.table_checks import published

CLAIMS = ROOT / "workflow" / "claims.yaml"
HEAD = "INCOMPLETE"
AS_THEY_LIE = (
    "Scores are shown as they lie in the folder, also those that Snakemake would make again. No "
    "bootstrap is drawn."
)
UNUSABLE = (InputError, OSError, LookupError, TypeError, AttributeError)


def state(plan: Plan, names: Iterable[str] = ()) -> tuple[dict[str, Table], dict[str, str]]:
    """Return some tables of a run, or all, as far as they go; and what each incomplete one lacks.

    Raises InputError for a damaged manifest.
    """
    stand_ins = StandIns(plan, load_manifest(plan.config.manifest), published())
    tables: dict[str, Table] = {}
    lacks: dict[str, str] = {}
    for name in names or plan.config.tables:
        settings = stand_ins.marked(plan.table_spec(name))
        table = _whole(plan, settings)
        if table is None:
            table, lacks[name] = _incomplete(plan, settings)
        tables[name] = table
    return tables, lacks


def render(plan: Plan) -> str:
    """Write what there is of each table that is not whole; return in a few lines what is missing.

    A table that is whole loses its incomplete form. Raises InputError for a damaged manifest.
    """
    tables, lacks = state(plan)
    folder = Path(layout.place(plan.out, layout.INCOMPLETE))
    _write_only(folder, _texts(tables, lacks))
    if not lacks:
        return "every table is whole"
    head = f"incomplete tables: {len(lacks)} of {len(tables)}; what there is: {folder}/"
    return "\n".join([head, *(f"  {name}: {lack}" for name, lack in lacks.items())])


def _whole(plan: Plan, settings: dict) -> Table | None:
    """Return a rendered table; None if one of its files is missing, damaged or outdated."""
    name = settings["name"]
    path = Path(layout.place(plan.out, layout.TABLE_RECORD, table=name))
    try:
        rendered = checked(path)
        same_settings = canonical(rendered["settings"]) == canonical(settings)
        now = _score_digests_now(plan, name, path)
        same_scores = now.items() <= input_digests(rendered).items()
        if same_settings and same_scores:
            source = layout.place(plan.out, layout.TABLE_JSON, table=name)
            return from_json(read_text(source), source)
    except UNUSABLE:
        pass
    return None


def _score_digests_now(plan: Plan, name: str, rendered: Path) -> dict[str, str]:
    """Return the digests of a table's score files by the names that its record gives them.

    A run without a record is left out: Snakemake, too, keeps a table whose sources are deleted.
    """
    found = {}
    for path in map(Path, plan.table_files(name, "scores.csv")):
        with contextlib.suppress(*UNUSABLE):
            outputs = read_sealed(path.parent / layout.RECORD)["outputs"]
            found[beside(rendered, path)] = outputs[path.name]
    return found


def _incomplete(plan: Plan, settings: dict) -> tuple[Table, str]:
    """Return a table built of those of its scores that are there, and what it lacks.

    Its name and its notes say so.
    """
    name = settings["name"]
    evaluations = plan.evaluations_of(name)
    present = [found for found in evaluations if _has_scores(plan, found)]
    waiting = [evaluation_job(found) for found in evaluations if found not in present]
    lack = "each run has scores, but the table is not made of them yet"
    if waiting:
        lack = f"runs without scores: {len(waiting)} of {len(evaluations)}"
    notes = [f"{HEAD}: {lack}"]
    logs = {_log(plan, job) for job in waiting or [Job("render_table", name=name)]} - {""}
    if logs:
        notes.append(f"see {', '.join(sorted(logs))}")
    table = attach(build(settings, collect(map(plan.scores, present))), published())
    return replace(
        table,
        name=f"{name} ({HEAD})",
        title=f"{HEAD}: {table.title}",
        notes=(*notes, AS_THEY_LIE, *table.notes),
    ), lack


def _has_scores(plan: Plan, evaluation: Evaluation) -> bool:
    """Tell whether the scores of an evaluation are there, whole, and of the model as it is."""
    scores = plan.scores(evaluation)
    try:
        score_digests([scores])
    except UNUSABLE:
        return False
    lost = _log_of_lost(plan, evaluation_job(evaluation))
    if lost and Path(lost).stat().st_mtime > Path(scores).stat().st_mtime:
        return False  # what they were made from was started again since
    return not _is_of_an_earlier_model(plan, evaluation)


def _log(plan: Plan, job: Job) -> str:
    """Return the log of the first job without a result that a job waits for, or else its own."""
    path = Path(plan.out, f"{log(job)}.log")
    return _log_of_lost(plan, job) or (str(path) if path.is_file() else "")


def _log_of_lost(plan: Plan, job: Job) -> str:
    """Return the log of the first job without a result that a job reads; empty without one."""
    lost = (source for source in inputs(plan, job) if not Path(record(plan, source)).is_file())
    return next((found for source in lost if (found := _log(plan, source))), "")


def _is_of_an_earlier_model(plan: Plan, evaluation: Evaluation) -> bool:
    """Tell whether a model was trained again after its evaluation; False if it is deleted."""
    try:
        evaluated = read_sealed(plan.scores(evaluation, layout.RECORD))
        scored = input_digests(evaluated)["weights"]
        model = read_sealed(model_record(plan, evaluation.run))
        return scored not in model["outputs"].values()
    except UNUSABLE:
        return False


def _texts(tables: dict[str, Table], incomplete: Iterable[str]) -> dict[str, str]:
    """Return the content of each file of the folder; none if every table is whole."""
    texts = {}
    for name in incomplete:
        texts[f"{name}.md"] = markdown(tables[name])
        texts[f"{name}.csv"] = table_csv(tables[name])
    if texts:
        pages = {
            "published.md": ledger(tables.values(), published()),
            "claims.md": claims_markdown(judge(read_claims(CLAIMS), tables, published())),
        }
        for name, page in pages.items():
            texts[name] = f"{HEAD}: made while some tables are incomplete.\n\n{page}"
    return texts


def _write_only(folder: Path, texts: dict[str, str]) -> None:
    """Write these files; delete the other ones of an earlier state, and a folder without files."""
    for name, text in texts.items():
        write_text(folder / name, text)
    for path in [*folder.glob("*.md"), *folder.glob("*.csv")]:
        if path.name not in texts:
            path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # it holds files, or is not there
        folder.rmdir()
