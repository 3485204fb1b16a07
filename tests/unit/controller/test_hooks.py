"""What the controller does with Snakemake's own parts, against stand-ins for them."""

import json
import os
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake.exceptions import WorkflowError

from semblance.errors import InputError
from semblance.gpus import REMOTE_JOB
from semblance.locks import Busy
from workflow.controller import command, hooks, lock, slurm

ROOT = Path(__file__).resolve().parents[3]
OWN_PARTS = re.compile(
    r"\.snakemake\b|workflow\.\w+_settings|workflow\.scheduler|register_resource"
)


@pytest.fixture(autouse=True)
def calls(monkeypatch, tmp_path):
    """The calls that would change something outside, in order; files go into an empty folder."""
    made = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(lock, "claim_output", lambda out: made.append(f"claim {out}"))
    monkeypatch.setattr(lock, "claim_downloads", lambda out: made.append(f"claim {out}"))
    monkeypatch.setattr(lock, "release_downloads", lambda: made.append("release"))
    monkeypatch.setattr(slurm, "has_runs", lambda out: True)
    monkeypatch.setattr(slurm, "settle_earlier", lambda out: made.append("settle"))
    monkeypatch.setattr(slurm, "note_run", lambda out, logs: made.append("note"))
    return made


def workflow(nodes=None, resources=(), limit=(100, 1)):
    """A stand-in for Snakemake's Workflow, with the resources that are registered in ``made``."""
    made = {}
    return SimpleNamespace(
        resource_settings=SimpleNamespace(
            cores=4, nodes=nodes, resources=dict.fromkeys(resources, 1)
        ),
        register_resource=made.__setitem__,
        made=made,
        scheduling_settings=SimpleNamespace(
            max_jobs_per_timespan=limit and SimpleNamespace(max_jobs=limit[0], timespan=limit[1])
        ),
        scheduler=SimpleNamespace(job_rate_limiter="limiter"),
        dag=Dag(),
        main_snakefile=str(Path("Snakefile").absolute()),
        config_settings=SimpleNamespace(configfiles=[], config_args=[]),
    )


@pytest.mark.parametrize("remote", [True, False])
def test_a_job_knows_that_a_scheduler_runs_it(monkeypatch, remote):
    monkeypatch.setenv(REMOTE_JOB, "")  # so that its end is undone
    monkeypatch.delenv(REMOTE_JOB)
    hooks.mark_remote_job(SimpleNamespace(remote_exec=remote))
    assert (REMOTE_JOB in os.environ) == remote


FOLDERS = {"output": "out", "downloads": "raw"}
START = command.Command(starts_jobs=True)


def test_a_start_claims_its_folders_before_it_settles_earlier_runs(calls):
    hooks.prepare_start("out", "raw", START)
    assert calls == ["claim out", "claim raw", "settle"]


@pytest.mark.parametrize("exists", [False, True])
def test_a_working_folder_that_is_read_only_is_told_in_one_line(exists, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if exists:
        (tmp_path / ".snakemake").mkdir()
    read_only = (tmp_path / ".snakemake" if exists else tmp_path).resolve()
    monkeypatch.setattr(hooks.os, "access", lambda path, mode: Path(path).resolve() != read_only)
    with pytest.raises(WorkflowError, match=f"{read_only}: cannot be written, and Snakemake"):
        hooks.prepare_start("out", "raw", command.read(["-n"]))
    hooks.prepare_start("out", "raw", command.read(["--list"]))


def test_a_dry_run_touches_nothing(calls):
    hooks.prepare_start("out", "raw", command.Command(starts_jobs=False, on_slurm=True))
    assert calls == []


@pytest.mark.parametrize(
    "error, line",
    [
        (Busy("another run (node n1, pid 7) works on out: wait"), "another run .node n1, pid 7"),
        (OSError(30, "Read-only file system", "out/.controller"), "out/.controller: Read-only"),
    ],
)
def test_a_folder_that_cannot_be_claimed_ends_the_start_with_one_line(
    calls, monkeypatch, error, line
):
    def refuse(out):
        raise error

    monkeypatch.setattr(lock, "claim_output", refuse)
    with pytest.raises(WorkflowError, match=line):
        hooks.prepare_start("out", "raw", START)
    assert calls == []


def test_an_interrupted_wait_ends_the_start_with_one_line(monkeypatch):
    def interrupt(out):
        raise KeyboardInterrupt

    monkeypatch.setattr(lock, "claim_downloads", interrupt)
    with pytest.raises(WorkflowError, match="this run has started nothing"):
        hooks.prepare_start("out", "raw", START)


def test_no_answer_of_slurm_ends_the_start_with_one_line(monkeypatch):
    def unanswered(out):
        raise slurm.Unanswered("squeue: no route")

    monkeypatch.setattr(slurm, "settle_earlier", unanswered)
    with pytest.raises(WorkflowError, match="Slurm gives no answer: squeue: no route"):
        hooks.prepare_start("out", "raw", START)


class Dag:
    """A plan of two jobs, of which one downloads."""

    def __init__(self):
        self.done = set()
        self.jobs = [SimpleNamespace(output=["raw/a"]), SimpleNamespace(output=["rawer/b"])]

    def needrun_jobs(self):
        return self.jobs

    def finished(self, job):
        return id(job) in self.done


def test_the_downloads_are_released_when_the_last_download_is_finished(calls, monkeypatch):
    started = workflow()
    looks = []

    def look(seconds):
        looks.append(seconds)
        assert calls == []
        started.dag.done.add(id(started.dag.jobs[0]))

    monkeypatch.setattr(hooks.time, "sleep", look)
    hooks._release_downloads(started, "raw")
    assert calls == ["release"] and len(looks) == 1


def test_local_jobs_are_limited_to_the_places_on_this_machines_gpus(monkeypatch):
    monkeypatch.setattr(hooks, "gpus_here", lambda: ["A", "B"])
    local = workflow()
    hooks.limit_gpu_jobs(local, 3)
    assert local.made == {"gpu": 6}


@pytest.mark.parametrize("settings", [{"nodes": 8}, {"resources": ("gpu",)}])
def test_a_cluster_and_a_limit_of_the_users_own_stay_as_they_are(monkeypatch, settings):
    monkeypatch.setattr(hooks, "gpus_here", lambda: pytest.fail("the GPUs were counted"))
    other = workflow(**settings)
    hooks.limit_gpu_jobs(other, 1)
    assert other.made == {}


def test_without_a_gpu_nothing_is_limited_and_a_broken_driver_is_told(monkeypatch):
    monkeypatch.setattr(hooks, "gpus_here", list)
    local = workflow()
    hooks.limit_gpu_jobs(local, 1)
    assert local.made == {}

    def broken():
        raise InputError("nvidia-smi", "no answer within 60 s")

    monkeypatch.setattr(hooks, "gpus_here", broken)
    with pytest.raises(WorkflowError, match="no answer within 60 s"):
        hooks.limit_gpu_jobs(local, 1)


@pytest.mark.parametrize("limit, left", [((100, 1), None), ((5, 60), "limiter"), (None, "limiter")])
def test_snakemakes_default_limit_is_switched_off_and_a_users_own_stays(limit, left):
    started = workflow(limit=limit)
    hooks.begin(started, FOLDERS, [])
    assert started.scheduler.job_rate_limiter == left


def test_a_run_claims_its_folders_again_before_its_first_job(calls, monkeypatch):
    monkeypatch.setattr(hooks.Thread, "start", lambda thread: None)
    hooks.begin(workflow(), FOLDERS, [])
    assert calls == ["claim out", "claim raw", "note"]


def test_a_run_notes_how_it_was_started(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["/bin/snakemake", "--cores", "4", "--config", "a=b c"])
    started = workflow(nodes=7)
    started.config_settings.configfiles = [tmp_path / "mine.yaml", Path("/else/far.yaml")]
    started.config_settings.config_args = ["mirror=DATA"]
    hooks.begin(started, FOLDERS, [])
    assert json.loads((tmp_path / "out/logs/command.json").read_text()) == {
        "folder": str(tmp_path),
        "output": "out",
        "downloads": "raw",
        "options": ["--configfile", "mine.yaml", "/else/far.yaml", "--config", "mirror=DATA"],
        "command": "snakemake --cores 4 --config 'a=b c'",
        "cores": 4,
        "at_a_time": 7,
    }
    assert json.loads((tmp_path / "out/logs/config.json").read_text()) == FOLDERS


def test_only_the_controllers_code_names_snakemakes_own_files_and_parts():
    files = [ROOT / "Snakefile", *ROOT.glob("workflow/**/*.smk")]
    files += [*ROOT.glob("workflow/**/*.py"), *ROOT.glob("semblance*/**/*.py")]
    naming = {path for path in files if OWN_PARTS.search(path.read_text(encoding="utf-8"))}
    assert {path.parent for path in naming} == {ROOT / "workflow/controller"}


def test_the_names_that_commands_hold_are_shared_with_a_workflow_that_uses_the_module():
    rules = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("workflow/rules/*.smk"))
    shells = re.findall(r"shell:\n(.*?)(?:\n\n|\Z)", rules, re.DOTALL)
    assert set(hooks.IN_COMMANDS) == set(re.findall(r"\{([A-Z]+)\}", "".join(shells)))


def test_a_module_whose_paths_are_moved_is_refused():
    moved = SimpleNamespace(namespace="inner", modify_path=lambda path: f"other/{path}")
    with pytest.raises(InputError, match="^module inner: prefix and replace_prefix would move"):
        hooks._refuse_prefix(moved)
