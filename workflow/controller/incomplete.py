"""What there is of the tables whose runs are not all finished, and why the rest is missing.

It reads a run, finished or living, and writes into ``tables/incomplete`` alone. No rule knows that
folder, ``semblance verify`` does not check it, and each file in it says that it is incomplete.
"""

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from semblance import layout
from semblance.download.manifest import load_manifest
from semblance.errors import InputError
from semblance.files import write_text
from semblance.names import NO_CORPUS, START
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
from semblance.reporting.comparison import TOLERANCE, attach, compare, ledger
from semblance.reporting.formats import csv_text, markdown
from semblance.reporting.judging import judge
from semblance.reporting.published import Published
from semblance.reporting.scores import collect, score_digests
from semblance.reporting.table import Table, from_json, to_json
from workflow.controller.causes import Cause, Causes, format_causes, job_name
from workflow.planning.plan import Evaluation, Plan, Run
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
    """What there is of one table.

    ``lacking`` counts those of its ``runs`` that have no scores; ``causes`` maps each cause to the
    labels of the rows that miss scores because of it.
    """

    name: str
    runs: int
    lacking: int = 0
    causes: dict[Cause, list[str]] = field(default_factory=dict)
    table: Table | None = None


@dataclass
class State:
    """Each table of a run as far as it goes, by name, and what the incomplete ones lack."""

    tables: dict[str, Table]
    incomplete: list[Incomplete]


def state(plan: Plan) -> State:
    """Return what there is of each table. Raises InputError for a damaged manifest."""
    stand_ins = _all_stand_ins(plan)
    causes = Causes(plan)
    found = State({}, [])
    for name in plan.config["tables"]:
        settings = stand_ins.marked(plan.table_spec(name))
        table = _whole(plan, settings)
        if table is None:
            found.incomplete.append(_incomplete(plan, settings, causes))
            table = found.incomplete[-1].table
        found.tables[name] = table
    return found


def table_now(plan: Plan, name: str) -> tuple[Table, bool]:
    """Return what there is of one table, and whether it is whole. Raises InputError as ``state``."""
    settings = _all_stand_ins(plan).marked(plan.table_spec(name))
    table = _whole(plan, settings)
    if table is not None:
        return table, True
    return _incomplete(plan, settings, Causes(plan)).table, False


def _all_stand_ins(plan: Plan) -> StandIns:
    return StandIns(plan, load_manifest(plan.config["manifest"]), published())


def render(plan: Plan) -> str:
    """Write what there is of each table that is not whole; return in a few lines what is missing.

    A table that is whole loses its incomplete form. Raises InputError for a damaged manifest.
    """
    found = state(plan)
    folder = Path(layout.place(plan.out, layout.INCOMPLETE))
    _write_only(folder, _texts(found.incomplete, found.tables, published()))
    return _summary(folder, found.incomplete, len(found.tables))


def _whole(plan: Plan, settings: dict) -> Table | None:
    """Return a rendered table; None if one of its files is missing, damaged or outdated."""
    name = settings["name"]
    path = Path(layout.place(plan.out, layout.TABLE_RECORD, table=name))
    try:
        record = checked(path)
        same_settings = canonical(record["settings"]) == canonical(settings)
        same_scores = _score_digests_now(plan, name, path).items() <= input_digests(record).items()
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
    """Build a table from those of its scores that are there."""
    name = settings["name"]
    evaluations = plan.evaluations_of(name)
    found = Incomplete(name, len(evaluations))
    present = []
    causes_of_run: dict[str, list[Cause]] = {}
    for evaluation in evaluations:
        why = _why_without_scores(plan, evaluation, causes)
        if why:
            found.lacking += 1
            causes_of_run.setdefault(_name_in_rows(evaluation.run), []).extend(why)
        else:
            present.append(plan.scores(evaluation))
    table = attach(build(settings, collect(present)), published())
    for run, why in causes_of_run.items():
        labels = [row.label for row in table.rows if run in row.missing]
        for cause in why:
            found.causes.setdefault(cause, []).extend(labels)
    if not found.lacking:
        own = causes.of([Job("render_table", name=name)])
        found.causes = {cause: [] for cause in own if cause.state != "not started"}
    found.table = _marked(table, found)
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
        evaluated = read_sealed(plan.scores(evaluation, layout.RECORD))
        scored = input_digests(evaluated)["weights"]
        model = read_sealed(plan.model_record(*evaluation.run))
        return scored not in model["outputs"].values()
    except UNUSABLE:
        return False


def _name_in_rows(run: Run) -> str:
    """Return the name by which the rows of a table list a run that lacks scores."""
    if run.method == START:
        run = run._replace(corpus=NO_CORPUS)
    return run.path()


def _marked(table: Table, found: Incomplete) -> Table:
    """Return the table with its state in its name, in its title and in its first notes."""
    notes = [
        f"{HEAD}: {_format_state(found)}",
        *format_causes(found.causes, len(table.rows)),
        AS_THEY_LIE,
    ]
    return replace(
        table,
        name=f"{table.name} ({HEAD})",
        title=f"{HEAD}: {table.title}",
        notes=(*notes, *table.notes),
    )


def _format_state(found: Incomplete) -> str:
    if not found.lacking:
        return "each run has scores, but the table is not rendered"
    return f"runs without scores: {found.lacking} of {found.runs}"


def _texts(
    incomplete: Iterable[Incomplete], tables: dict[str, Table], printed: Published
) -> dict[str, str]:
    """Return the content of each file of the folder; none if every table is whole."""
    texts = {}
    for found in incomplete:
        texts[f"{found.name}.md"] = markdown(found.table)
        texts[f"{found.name}.csv"] = csv_text(found.table)
    if texts:
        for name, page in _pages(tables, printed).items():
            texts[name] = f"{HEAD}: made while some tables are incomplete.\n\n{page}"
    return texts


def _pages(tables: dict[str, Table], printed: Published) -> dict[str, str]:
    """Return the pages that are made of all tables, as far as these go."""
    comparisons = compare(tables.values(), printed, TOLERANCE)
    judgements = judge(read_claims(CLAIMS), tables, printed)
    return {
        "published.md": ledger(comparisons, printed, TOLERANCE),
        "claims.md": claims_markdown(judgements),
    }


def _write_only(folder: Path, texts: dict[str, str]) -> None:
    """Write these files; delete the other ones of an earlier state, and a folder without files."""
    for name, text in texts.items():
        write_text(folder / name, text)
    for path in [*folder.glob("*.md"), *folder.glob("*.csv")]:
        if path.name not in texts:
            path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # it holds files, or is not there
        folder.rmdir()


def _summary(folder: Path, incomplete: list[Incomplete], tables: int) -> str:
    if not incomplete:
        return "every table is whole"
    causes: dict[Cause, list[str]] = {}
    lines = [f"incomplete tables: {len(incomplete)} of {tables}; what there is: {folder}/"]
    for found in incomplete:
        lines.append(f"  {found.name}: {_format_state(found)}")
        causes |= dict.fromkeys(found.causes, [])
    if causes:
        lines.append("because:")
    return "\n".join([*lines, *(f"  {line}" for line in format_causes(causes))])
