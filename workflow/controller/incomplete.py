"""What there is of the tables whose runs are not all finished, and why the rest is missing.

It reads a run, finished or living, and writes into ``tables/incomplete`` alone. No rule knows that
folder, ``semblance verify`` does not check it, and each file in it says that it is incomplete.
"""

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from semblance import layout
from semblance.download.manifest import load_manifest
from semblance.errors import InputError
from semblance.files import write_text
from semblance.provenance import ROOT, beside, canonical, checked, read_sealed, read_text
from semblance.reporting.build import build
from semblance.reporting.claims import read_claims
from semblance.reporting.claims_page import claims_markdown
from semblance.reporting.comparison import TOLERANCE, attach, compare, ledger
from semblance.reporting.formats import csv_text, markdown
from semblance.reporting.judging import judge
from semblance.reporting.published import Published
from semblance.reporting.scores import collect, score_digests
from semblance.reporting.table import Table, from_json, to_json
from workflow.controller import events
from workflow.controller.causes import Cause, Causes, format_causes, job_name
from workflow.planning.plan import Evaluation, Plan
from workflow.planning.reads import Job, evaluation_job
from workflow.planning.stand_ins import StandIns
from workflow.planning.table_checks import published

CLAIMS = ROOT / "workflow" / "claims.yaml"
HEAD = "INCOMPLETE"
AS_THEY_LIE = (
    "Scores are shown as they lie in the folder, also those that Snakemake would make again. No "
    "bootstrap is drawn."
)
FORMS = {"markdown": markdown, "csv": csv_text, "json": to_json}
UNUSABLE = (InputError, OSError, LookupError, TypeError, AttributeError)


@dataclass
class Incomplete:
    """What there is of one table; ``lacking`` counts those of its ``runs`` that have no scores."""

    name: str
    table: Table
    runs: int
    lacking: int
    causes: list[Cause]

    @property
    def state(self) -> str:
        """What it lacks, in words."""
        if not self.lacking:
            return "each run has scores, but the table is not rendered"
        return f"runs without scores: {self.lacking} of {self.runs}"


class State(NamedTuple):
    """Each table of a run as far as it goes, by name, and what the incomplete ones lack."""

    tables: dict[str, Table]
    incomplete: list[Incomplete]


def state(plan: Plan, names: Iterable[str] = ()) -> State:
    """Return what there is of some tables, or of all. Raises InputError for a damaged manifest."""
    stand_ins = StandIns(plan, load_manifest(plan.config["manifest"]), published())
    causes = Causes(plan, events.read(plan.out))
    found = State({}, [])
    for name in names or plan.config["tables"]:
        settings = stand_ins.marked(plan.table_spec(name))
        table = _whole(plan, settings)
        if table is None:
            found.incomplete.append(_incomplete(plan, settings, causes))
            table = found.incomplete[-1].table
        found.tables[name] = table
    return found


def render(plan: Plan) -> str:
    """Write what there is of each table that is not whole; return in a few lines what is missing.

    A table that is whole loses its incomplete form. Raises InputError for a damaged manifest.
    """
    tables, incomplete = state(plan)
    folder = Path(layout.place(plan.out, layout.INCOMPLETE))
    texts = _texts(incomplete, tables, published())
    for name, text in texts.items():
        write_text(folder / name, text)
    for path in [*folder.glob("*.md"), *folder.glob("*.csv")]:
        if path.name not in texts:
            path.unlink(missing_ok=True)  # of an earlier state
    if not incomplete:
        with contextlib.suppress(OSError):  # it holds files of somebody else, or is not there
            folder.rmdir()
        return "every table is whole"
    lines = [f"incomplete tables: {len(incomplete)} of {len(tables)}; what there is: {folder}/"]
    lines += [f"  {found.name}: {found.state}" for found in incomplete]
    causes = list(dict.fromkeys(cause for found in incomplete for cause in found.causes))
    if causes:
        lines.append("because:")
    return "\n".join([*lines, *(f"  {line}" for line in format_causes(causes))])


def _whole(plan: Plan, settings: dict) -> Table | None:
    """Return a rendered table; None if one of its files is missing, damaged or outdated."""
    name = settings["name"]
    path = Path(layout.place(plan.out, layout.TABLE_RECORD, table=name))
    try:
        record = checked(path)
        same_settings = canonical(record["settings"]) == canonical(settings)
        same_scores = _score_digests_now(plan, name, path).items() <= record["inputs"].items()
        if same_settings and same_scores:
            source = layout.place(plan.out, layout.TABLE_JSON, table=name)
            return from_json(read_text(source), source)
    except UNUSABLE:
        pass
    return None


def _score_digests_now(plan: Plan, name: str, record: Path) -> dict[str, str]:
    """Return the digests of a table's score files by the names that its record gives them.

    A run without a record is left out: Snakemake, too, keeps a table whose sources are deleted.
    """
    found = {}
    for path in map(Path, plan.table_files(name, "scores.csv")):
        with contextlib.suppress(*UNUSABLE):
            outputs = read_sealed(path.parent / layout.RECORD)["outputs"]
            found[beside(record, path)] = outputs[path.name]
    return found


def _incomplete(plan: Plan, settings: dict, causes: Causes) -> Incomplete:
    """Build a table from those of its scores that are there, with its state in title and notes."""
    name = settings["name"]
    evaluations = plan.evaluations_of(name)
    why = {evaluation: _why_without_scores(plan, evaluation, causes) for evaluation in evaluations}
    present = [plan.scores(evaluation) for evaluation in evaluations if not why[evaluation]]
    lacking = len(evaluations) - len(present)
    known = list(dict.fromkeys(cause for found in why.values() for cause in found))
    if not lacking:
        own = causes.of([Job("render_table", name=name)])
        known = [cause for cause in own if cause.state != "not started"]
    table = attach(build(settings, collect(present)), published())
    found = Incomplete(name, table, len(evaluations), lacking, known)
    notes = [f"{HEAD}: {found.state}", *format_causes(known), AS_THEY_LIE]
    found.table = replace(
        table,
        name=f"{table.name} ({HEAD})",
        title=f"{HEAD}: {table.title}",
        notes=(*notes, *table.notes),
    )
    return found


def _why_without_scores(plan: Plan, evaluation: Evaluation, causes: Causes) -> list[Cause]:
    """Return why the scores of an evaluation cannot be shown; empty if they can."""
    job = evaluation_job(evaluation)
    found = causes.of([job])
    if found:
        return found
    try:
        score_digests([plan.scores(evaluation)])
    except UNUSABLE as error:
        return [Cause(job_name(job), "failed", str(error))]
    if _is_of_an_earlier_model(plan, evaluation):
        return [Cause(job_name(job), "not started")]
    return []


def _is_of_an_earlier_model(plan: Plan, evaluation: Evaluation) -> bool:
    """Tell whether a model was trained again after its evaluation; False if it is deleted."""
    try:
        scored = read_sealed(plan.scores(evaluation, layout.RECORD))["inputs"]["weights"]
        model = read_sealed(plan.model_record(*evaluation.run))
        return scored not in model["outputs"].values()
    except UNUSABLE:
        return False


def _texts(
    incomplete: Iterable[Incomplete], tables: dict[str, Table], printed: Published
) -> dict[str, str]:
    """Return the content of each file of the folder; none if every table is whole."""
    texts = {}
    for found in incomplete:
        texts[f"{found.name}.md"] = markdown(found.table)
        texts[f"{found.name}.csv"] = csv_text(found.table)
    if texts:  # the pages that are made of all tables, as far as these go
        comparisons = compare(tables.values(), printed, TOLERANCE)
        judgements = judge(read_claims(CLAIMS), tables, printed)
        head = f"{HEAD}: made while some tables are incomplete.\n\n"
        texts["published.md"] = head + ledger(comparisons, printed, TOLERANCE)
        texts["claims.md"] = head + claims_markdown(judgements)
    return texts
