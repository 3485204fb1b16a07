"""The tables of a run as they stand: whole ones as rendered, others of the scores that are there."""

import shutil
from pathlib import Path

import pytest

from semblance.fetch.manifest import load_manifest
from semblance.layout import RECORD
from semblance.names import FAQ_METRICS, STS_TASKS
from semblance.provenance import ROOT, write_record
from tests.files import contents
from tests.shipped import merged
from tests.unit.reporting.example_results import render_other
from tests.unit.reporting.example_scores import record as score_record
from tests.unit.reporting.example_scores import write as write_scores
from workflow.checks.load import load
from workflow.planning.plan import Evaluation, Plan, Run
from workflow.planning.reads import Job
from workflow.planning.stages import jobs, record
from workflow.planning.stand_ins import marked
from workflow.run.current_tables import tables_now

BASE = "nli-roberta-base-v2"
START = Evaluation("sts", Run("none", BASE, "start", 0))
STS = {
    "title": "S",
    "layout": "sts",
    "seeds": "rcl",
    "published": {"start": "rcl/1a/SRoBERTa base"},
    "rows": [{"corpora": ["nli"], "bases": [BASE], "methods": ["start", "rcl-2"]}],
}
FAQ = {
    "title": "F",
    "layout": "faq",
    "seeds": "rcl",
    "rows": [{"corpora": ["faqir"], "bases": [BASE], "methods": ["start", "continued"]}],
}


def plan_of(**tables) -> Plan:
    config = merged("config.yaml")
    del config["figures"]
    return Plan(load(config | {"tables": tables, "seeds": {"rcl": [1, 2], "ssimcse": [1]}}))


@pytest.fixture
def plan(tmp_path, monkeypatch):
    """A plan of one STS table and one FAQ table, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    Path("workflow").mkdir()
    shutil.copy(ROOT / "workflow/manifest.yaml", "workflow")
    return plan_of(t_sts=STS, t_faq=FAQ)


def finish(plan: Plan, but: tuple[str, ...] = ()) -> None:
    """Leave the results of each job but those of these stages and of the tables."""
    for job in jobs(plan):
        path = Path(record(plan, job))
        if job.stage.startswith("evaluate_") and job.stage not in but:
            score(plan, Evaluation(job.stage.removeprefix("evaluate_"), Run(*job[1:])))
        elif job.stage not in (*but, "render_table", "collect_scores", "compare_published"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("{}")


def score(plan: Plan, evaluation: Evaluation, value: float = 0.5) -> Path:
    """Write the scores of a run, its predictions and its record; return their folder."""
    run = evaluation.run
    folder = Path(plan.scores(evaluation)).parent
    parts = [{"task": task, "protocol": "senteval"} for task in STS_TASKS]
    if plan.is_faq(run.corpus):
        bank, fold = plan.folds_of[run.corpus]
        shared = {"task": bank, "fold": str(fold), "aggregation": "test", "protocol": "pairs"}
        parts = [{"metric": metric, **shared} for metric in FAQ_METRICS]
    lines = [score_record(**run._asdict(), value=value, **part) for part in parts]
    write_scores(folder / "scores.csv", lines)
    write_record(folder / RECORD, "evaluate", outputs=["scores.csv"], started=0.0)
    return folder


def lose(plan: Plan, job: Job) -> None:
    """Remove a job's results."""
    shutil.rmtree(Path(record(plan, job)).parent)


def render_whole(plan: Plan, name: str) -> None:
    """Render a table as its rule does."""
    settings = marked(plan, load_manifest(plan.config.manifest), plan.table_spec(name))
    runs = plan.seeds_by_run(plan.evaluations_of(name))
    render_other(Path("results"), name, settings=settings, runs=runs)


def averages(plan: Plan) -> list[float | None]:
    """Return the average of each row of the STS table as it stands."""
    return [row.cells["Average"].mean for row in tables_now(plan)[0]["t_sts"].rows]


TRAINING = Job("train", "nli", BASE, "rcl-2", 2)
EVALUATION = TRAINING._replace(stage="evaluate_sts")

LACK = "runs without scores: 1 of 3"


def lose_training(plan: Plan) -> None:
    finish(plan)
    lose(plan, TRAINING)
    lose(plan, EVALUATION)


def test_a_table_shows_what_there_is_and_says_that_it_is_incomplete(plan):
    lose_training(plan)
    before = contents(Path())
    tables, lacks = tables_now(plan)
    assert averages(plan) == [50.0, None]
    table = tables["t_sts"]
    assert lacks["t_sts"] == LACK and table.notes[0].startswith(f"INCOMPLETE: {LACK}; ")
    assert table.name == "t_sts (INCOMPLETE)" and table.title.startswith("INCOMPLETE: ")
    assert contents(Path()) == before  # nothing is written


def test_scores_stay_when_their_model_is_deleted_to_free_its_space(plan):
    finish(plan)
    lose(plan, TRAINING)
    assert averages(plan) == [50.0, 50.0]


def test_a_damaged_file_of_scores_is_not_shown(plan):
    finish(plan)
    path = Path(plan.scores(Evaluation("sts", Run("nli", BASE, "rcl-2", 1))))
    path.write_text(path.read_text().replace("0.5", "0.6"))
    assert averages(plan) == [50.0, None]


def test_the_folds_of_an_untrained_base_are_found_by_their_row(plan):
    finish(plan)
    lose(plan, Job("evaluate_faq", "faqir-1", BASE, "start", 0))
    rows = tables_now(plan)[0]["t_faq"].rows
    assert [row.cells["map"].mean for row in rows][:3:2] == [None, 50.0]  # start and continued


def test_a_table_that_only_waits_for_its_rendering_says_so(plan):
    finish(plan)
    assert averages(plan) == [50.0, 50.0]
    waits = "each run has scores, but the table is not made of them yet"
    assert tables_now(plan)[1] == {"t_sts": waits, "t_faq": waits}


@pytest.mark.parametrize("change", ["settings", "scores", "a lost form", "a damaged form"])
def test_a_table_that_is_outdated_or_damaged_is_not_whole(plan, change):
    finish(plan)
    for name in ("t_sts", "t_faq"):
        render_whole(plan, name)
    if change == "settings":
        plan = plan_of(t_sts=STS | {"title": "another"}, t_faq=FAQ)
    elif change == "scores":
        score(plan, START, value=0.6)
    elif change == "a lost form":
        Path("results/tables/t_sts.tex").unlink()
    else:
        Path("results/tables/t_sts.csv").write_text("x\n")
    assert set(tables_now(plan)[1]) == {"t_sts"}


def test_a_whole_table_stays_whole_without_the_scores_that_it_was_made_of(plan):
    """Snakemake, too, makes a deleted intermediate file again only if a target needs it."""
    finish(plan)
    for name in ("t_sts", "t_faq"):
        render_whole(plan, name)
    shutil.rmtree("results/scores")
    assert tables_now(plan)[1] == {}
