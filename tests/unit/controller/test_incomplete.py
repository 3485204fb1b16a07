"""Tables whose runs are not all finished: what there is of them, and when they go."""

import csv
import json
import os
import re
import shutil
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from semblance.errors import InputError
from semblance.fetch.manifest import load_manifest
from semblance.files import write_text
from semblance.layout import RECORD
from semblance.names import FAQ_METRICS, STS_TASKS
from semblance.provenance import ROOT, write_record
from tests.files import contents
from tests.shipped import merged
from tests.unit.reporting.example_results import render_other
from tests.unit.reporting.example_scores import record as score_record
from tests.unit.reporting.example_scores import write as write_scores
from workflow.controller import hooks, incomplete
from workflow.planning.config import load
from workflow.planning.plan import Evaluation, Plan, Run
from workflow.planning.reads import Job
from workflow.planning.stages import jobs, log, record
from workflow.planning.stand_ins import StandIns
from workflow.planning.table_checks import published
from workflow.scripts import render_incomplete

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
            score(plan, evaluation_of(job))
        elif job.stage not in (*but, "render_table", "collect_scores", "compare_published"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("{}")


def evaluation_of(job: Job) -> Evaluation:
    """Return what a job evaluates."""
    return Evaluation(job.stage.removeprefix("evaluate_"), Run(*job[1:]))


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


def lose(plan: Plan, job: Job, told: str | None = None) -> None:
    """Remove a job's results; leave a log if the job was started."""
    shutil.rmtree(Path(record(plan, job)).parent)
    if told is not None:
        write_text(Path(plan.out, f"{log(job)}.log"), told)


def render_whole(plan: Plan, name: str) -> None:
    """Render a table as its rule does."""
    stand_ins = StandIns(plan, load_manifest(plan.config.manifest), published())
    settings = stand_ins.marked(plan.table_spec(name))
    runs = plan.seeds_by_run(plan.evaluations_of(name))
    render_other(Path("results"), name, settings=settings, runs=runs)


def text(name: str) -> str:
    return Path(f"results/tables/incomplete/{name}.md").read_text().replace("\\", "")


def cells(name: str, column: str) -> list[str]:
    """Return a column of an incomplete table's CSV."""
    path = Path(f"results/tables/incomplete/{name}.csv")
    with path.open(newline="") as lines:
        return [line[column] for line in csv.DictReader(lines)]


def averages() -> list[str]:
    return cells("t_sts", "Average")


TRAINING = Job("train", "nli", BASE, "rcl-2", 2)
EVALUATION = TRAINING._replace(stage="evaluate_sts")


def lose_training(plan: Plan, told: str | None) -> None:
    finish(plan)
    lose(plan, TRAINING, told)
    lose(plan, EVALUATION)


LOG = f"results/logs/train/nli/{BASE}/rcl-2/seed-2.log"


@pytest.mark.parametrize("told", ["error: nli.csv:7: an empty sentence\n", None])
def test_a_table_shows_what_there_is_and_the_log_of_a_missing_run_that_was_started(plan, told):
    lose_training(plan, told)
    said = incomplete.render(plan)
    assert averages() == ["50.0", "n/a"] and "t_sts: runs without scores: 1 of 3" in said
    assert re.findall("see (.*)", text("t_sts")) == [LOG] * bool(told)


def test_scores_stay_when_their_model_is_deleted_to_free_its_space(plan):
    finish(plan)
    lose(plan, TRAINING, "steps 9\n")
    os.utime(Path(f"results/{log(TRAINING)}.log"), (1000, 1000))
    os.utime(Path(record(plan, EVALUATION)), (2000, 2000))
    incomplete.render(plan)
    assert averages() == ["50.0", "50.0"]


def test_scores_of_a_model_that_was_trained_again_are_not_shown(plan):
    finish(plan)
    folder = score(plan, evaluation_of(EVALUATION))
    inputs = {"weights": "0" * 64}
    write_record(folder / RECORD, "evaluate", outputs=["scores.csv"], started=0.0, inputs=inputs)
    model = Path(record(plan, TRAINING))
    (model.parent / "weights").write_text("new")
    write_record(model, "train", outputs=["weights"], started=0.0)
    incomplete.render(plan)
    assert averages() == ["50.0", "n/a"]


def test_each_file_says_that_it_is_incomplete_and_no_other_is_written(plan):
    lose_training(plan, "step 7\n")
    before = contents(Path())
    incomplete.render(plan)
    after = contents(Path())
    names = {f"t_{name}.{form}" for name in ("faq", "sts") for form in ("csv", "md")}
    names |= {"claims.md", "published.md"}
    written = {f"results/tables/incomplete/{name}" for name in names}
    assert after.keys() - before.keys() == written and before.items() <= after.items()
    for file in written:
        assert b"INCOMPLETE" in b"".join(after[file].splitlines()[:2]), file
    assert set(cells("t_sts", "table")) == {"t_sts (INCOMPLETE)"}


def test_a_claim_is_judged_once_its_table_has_the_scores_that_it_asks_for(plan):
    methods = ["start", "attention-dropout-0.1", "drophead-0.1", "rcl-8"]
    rows = [{"corpora": ["nli"], "bases": [BASE], "methods": methods}]
    plan = plan_of(rcl_table3=STS | {"rows": rows})
    finish(plan)
    lose(plan, Job("evaluate_sts", "nli", BASE, "drophead-0.1", 1), "error: x\n")
    incomplete.render(plan)
    lines = text("claims").splitlines()
    judged = next(line for line in lines if "RCL is better than attention dropout" in line)
    assert "| +0.00 " in judged  # each score is 0.5
    other = next(line for line in lines if "RCL is better than DropHead" in line)
    assert "missing: seed 1" in other  # the pairs that exist are judged


def test_a_damaged_file_of_scores_is_not_shown(plan):
    finish(plan)
    path = Path(plan.scores(Evaluation("sts", Run("nli", BASE, "rcl-2", 1))))
    path.write_text(path.read_text().replace("0.5", "0.6"))
    incomplete.render(plan)
    assert averages() == ["50.0", "n/a"]


def test_the_folds_of_an_untrained_base_are_found_by_their_row(plan):
    finish(plan)
    lose(plan, Job("evaluate_faq", "faqir-1", BASE, "start", 0), "error: x\n")
    incomplete.render(plan)
    assert cells("t_faq", "map")[0] == "n/a" and cells("t_faq", "map")[2] == "50.0"
    assert "seed-0.log\n" in text("t_faq")


def test_a_table_that_only_waits_for_its_rendering_says_so(plan):
    finish(plan)
    incomplete.render(plan)
    assert averages() == ["50.0", "50.0"]
    assert "INCOMPLETE: each run has scores, but the table is not made of them yet" in text("t_sts")
    write_text("results/logs/render_table/t_sts.log", "error: predictions.parquet: damaged\n")
    incomplete.render(plan)
    assert "see results/logs/render_table/t_sts.log" in text("t_sts")


def test_a_whole_table_loses_its_incomplete_form_and_the_end_of_a_run_the_folder(plan):
    finish(plan)
    incomplete.render(plan)
    render_whole(plan, "t_sts")
    said = incomplete.render(plan)
    names = {path.name for path in Path("results/tables/incomplete").iterdir()}
    assert names == {"published.md", "claims.md", "t_faq.md", "t_faq.csv"}
    assert "incomplete tables: 1 of 2" in said
    page = text("published")
    assert "t_sts, " in page and "t_sts (INCOMPLETE)" not in page
    render_whole(plan, "t_faq")
    hooks.end(plan)
    assert not Path("results/tables/incomplete").exists()


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
    assert "incomplete tables: 1 of 2" in incomplete.render(plan)
    assert "INCOMPLETE" in text("t_sts")


def test_a_whole_table_stays_whole_without_the_scores_that_it_was_made_of(plan):
    """Snakemake, too, makes a deleted intermediate file again only if a target needs it."""
    finish(plan)
    for name in ("t_sts", "t_faq"):
        render_whole(plan, name)
    shutil.rmtree("results/scores")
    assert incomplete.render(plan) == "every table is whole"


def test_the_end_of_a_run_prints_what_is_missing_and_never_stops_at_it(plan, capsys, monkeypatch):
    stopped = SimpleNamespace(dag=SimpleNamespace(finished_jobs=[], jobs=[]))
    lose_training(plan, "error: nli.csv:7: an empty sentence\n")
    hooks.print_end(stopped, plan)
    assert "t_sts: runs without scores: 1 of 3" in capsys.readouterr().err

    broken = Mock(side_effect=InputError("scores.csv:3", "no number"))
    monkeypatch.setattr(incomplete, "render", broken)
    hooks.print_end(stopped, plan)
    assert "not written (scores.csv:3: no number)" in capsys.readouterr().err


def test_the_command_takes_configs_and_an_output_folder(plan, capsys):
    shutil.copy(ROOT / "config.yaml", "config.yaml")
    Path("own.yaml").write_text(json.dumps({"seeds": {"rcl": [1], "ssimcse": [1]}}))
    render_incomplete.main(["own.yaml", "--output", "elsewhere"])
    said = capsys.readouterr().out
    assert "incomplete tables: " in said
    assert "; what there is: elsewhere/tables/incomplete/" in said
