"""The plan's jobs are Snakemake's, and a finished run teaches the plan."""

from collections import Counter
from pathlib import Path

import pytest

from semblance.provenance import circumstances
from tests.dag.tiny import Project
from workflow.checks.load import load
from workflow.config.layers import laid_over
from workflow.planning.plan import Plan
from workflow.planning.stages import STAGES, TARGET, jobs, makers, record
from workflow.run.costs import estimates

pytestmark = pytest.mark.dag


def tiny_plan(project: Project) -> Plan:
    """Return the plan of the copy's config."""
    return Plan(load(laid_over([project.folder / "config.yaml", project.folder / "tiny.yaml"])))


@pytest.mark.parametrize("tables", [[], ["rcl_table1a"]])
def test_the_jobs_of_the_plan_are_those_of_a_dry_run(fresh: Project, tables: list[str]):
    planned = fresh.planned(*(f"results/tables/{name}.csv" for name in tables))
    dry = Counter(planned)
    for name in planned.keys() - set(STAGES):  # each download of a data set
        dry["download"] += dry.pop(name)
    plan = tiny_plan(fresh)
    assert Counter(job.stage for job in jobs(plan, tuple(makers(plan, tables)) or (TARGET,))) == dry


def test_every_job_of_a_finished_run_has_its_record_and_its_use(finished: Project, monkeypatch):
    monkeypatch.chdir(finished.folder)
    cost = estimates(["tiny.yaml"])
    every = set(jobs(cost.plan))
    assert [job for job in every if not Path(record(cost.plan, job)).is_file()] == []
    ran = [circumstances(record(cost.plan, job)) for job in every if job.stage != "download"]
    assert all(facts.keys() >= {"seconds", "memory", "finished"} for facts in ran)


def test_a_plan_reads_a_finished_run_and_counts_nothing_to_do(finished: Project):
    plan = finished.python("semblance", "plan", "tiny.yaml").stdout
    rows = [
        line.split()
        for line in plan.splitlines()
        if line[:1].isalpha() and line.split()[3:4] in (["cpu"], ["gpu"])
    ]
    planned = {job.stage for job in jobs(tiny_plan(finished))}
    assert {row[0] for row in rows} == planned and {row[2] for row in rows} == {"0"}
    assert f"{sum(int(row[1]) for row in rows)} jobs" in plan
