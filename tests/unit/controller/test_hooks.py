"""What the controller does with Snakemake's own parts, against stand-ins for them."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake.exceptions import WorkflowError

from semblance.errors import InputError
from semblance.locks import NoLocks
from workflow.controller import hooks, lock, slurm

ROOT = Path(__file__).resolve().parents[3]
OWN_PARTS = re.compile(
    r"\.snakemake\b|workflow\.\w+_settings|workflow\.scheduler|register_resource"
)


@pytest.fixture(autouse=True)
def calls(monkeypatch):
    """The calls that would change something outside, in order."""
    made = []
    monkeypatch.setattr(lock, "take_over", lambda out: made.append("take over"))
    monkeypatch.setattr(lock, "is_deserted", lambda out: True)
    monkeypatch.setattr(lock, "hold", lambda out, seconds: True)
    monkeypatch.setattr(slurm, "has_runs", lambda out: True)
    monkeypatch.setattr(slurm, "settle_earlier", lambda out: made.append("settle"))
    monkeypatch.setattr(slurm, "note_run", lambda out, logs: made.append("note"))
    return made


def workflow(nodes=None, resources=(), limit=(100, 1)):
    """A stand-in for Snakemake's Workflow, with the resources that are registered in ``made``."""
    made = {}
    return SimpleNamespace(
        resource_settings=SimpleNamespace(nodes=nodes, resources=dict.fromkeys(resources, 1)),
        register_resource=made.__setitem__,
        made=made,
        scheduling_settings=SimpleNamespace(
            max_jobs_per_timespan=limit and SimpleNamespace(max_jobs=limit[0], timespan=limit[1])
        ),
        scheduler=SimpleNamespace(job_rate_limiter="limiter"),
    )


def test_an_earlier_runs_lock_and_jobs_are_cleared_away_and_jobs_not_by_a_dry_run(calls):
    hooks.settle_earlier_runs("out", ["--cores", "1"])
    assert calls == ["take over", "settle"]
    hooks.settle_earlier_runs("out", ["-n"])
    assert calls == ["take over", "settle", "take over"]


def test_the_jobs_of_a_living_controller_are_left_to_it(calls, monkeypatch):
    monkeypatch.setattr(lock, "is_deserted", lambda out: False)
    hooks.settle_earlier_runs("out", [])
    assert calls == ["take over"]


def test_no_answer_of_slurm_ends_the_start_with_one_line(monkeypatch):
    def unanswered(out):
        raise slurm.Unanswered("squeue: no route")

    monkeypatch.setattr(slurm, "settle_earlier", unanswered)
    with pytest.raises(WorkflowError, match="an earlier run's jobs: squeue: no route"):
        hooks.settle_earlier_runs("out", [])


def test_local_jobs_are_limited_to_the_places_on_this_machines_gpus(monkeypatch):
    monkeypatch.setattr(hooks, "visible_gpus", lambda: ["A", "B"])
    local = workflow()
    hooks.limit_gpu_jobs(local, 3)
    assert local.made == {"gpu": 6}


@pytest.mark.parametrize("settings", [{"nodes": 8}, {"resources": ("gpu",)}])
def test_a_cluster_and_a_limit_of_the_users_own_stay_as_they_are(monkeypatch, settings):
    monkeypatch.setattr(hooks, "visible_gpus", lambda: pytest.fail("the GPUs were counted"))
    other = workflow(**settings)
    hooks.limit_gpu_jobs(other, 1)
    assert other.made == {}


def test_without_a_gpu_nothing_is_limited_and_a_broken_driver_is_told(monkeypatch):
    monkeypatch.setattr(hooks, "visible_gpus", list)
    local = workflow()
    hooks.limit_gpu_jobs(local, 1)
    assert local.made == {}

    def broken():
        raise InputError("nvidia-smi", "no answer within 60 s")

    monkeypatch.setattr(hooks, "visible_gpus", broken)
    with pytest.raises(WorkflowError, match="no answer within 60 s"):
        hooks.limit_gpu_jobs(local, 1)


@pytest.mark.parametrize("limit, left", [((100, 1), None), ((5, 60), "limiter"), (None, "limiter")])
def test_snakemakes_default_limit_is_switched_off_and_a_users_own_stays(limit, left):
    started = workflow(limit=limit)
    hooks.begin(started, "out", [])
    assert started.scheduler.job_rate_limiter == left


def test_a_folder_of_a_living_controller_is_refused(calls, monkeypatch):
    monkeypatch.setattr(lock, "hold", lambda out, seconds: False)
    with pytest.raises(WorkflowError, match="another snakemake works on out"):
        hooks.begin(workflow(), "out", [])
    assert calls == []


def test_a_file_system_without_locks_does_not_keep_a_run_from_starting(calls, monkeypatch):
    def no_locks(out, seconds):
        raise NoLocks

    monkeypatch.setattr(lock, "hold", no_locks)
    hooks.begin(workflow(), "out", [])
    assert calls == ["note"]


def test_only_the_controllers_code_names_snakemakes_own_files_and_parts():
    files = [ROOT / "Snakefile", *ROOT.glob("workflow/**/*.smk")]
    files += [*ROOT.glob("workflow/**/*.py"), *ROOT.glob("semblance/**/*.py")]
    naming = {path for path in files if OWN_PARTS.search(path.read_text(encoding="utf-8"))}
    assert {path.parent for path in naming} == {ROOT / "workflow/controller"}
