"""What the controller does with Snakemake's own parts, against stand-ins for them."""

import json
import os
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from snakemake.exceptions import WorkflowError

from semblance.fetch import sources
from semblance.gpus import REMOTE_JOB
from semblance.locks import Busy
from semblance.provenance import ROOT
from tests.shipped import merged
from workflow.checks.load import load
from workflow.config.model import Config, Keep
from workflow.planning.plan import Plan, deletes_models
from workflow.planning.stages import Job, log
from workflow.report.outline import Outline
from workflow.run import command, events, hooks, lock, slurm
from workflow.run.check import Checked

OWN_PARTS = re.compile(
    r"\.snakemake\b|workflow\.\w+_settings|workflow\.scheduler|register_resource"
)
PRIVATE = re.compile(r"\.snakemake/metadata|workflow\.scheduler|get_function_params")


@pytest.fixture(autouse=True)
def calls(monkeypatch, tmp_path):
    """The calls that would change something outside, in order; files go into an empty folder."""
    made = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(lock, "claim_output", lambda out: made.append(f"claim {out}"))
    monkeypatch.setattr(lock, "claim_downloads", lambda out: made.append(f"claim {out}"))
    monkeypatch.setattr(lock, "release_downloads", lambda: made.append("release"))
    monkeypatch.setattr(slurm, "settle", lambda names: made.append(f"settle {names}") or True)
    monkeypatch.setattr(hooks, "deletes_models", lambda config: False)
    monkeypatch.setattr(hooks, "outline", lambda plan: Outline(*[()] * 11))
    # A thread of a run that never ends would run on beside all later tests.
    monkeypatch.setattr(hooks.Thread, "start", lambda thread: None)
    return made


WRITER = SimpleNamespace(begin=lambda: events.append("out", "run", cluster="aaa"))


def workflow(nodes=None, resources=()):
    """A stand-in for Snakemake's Workflow, with the resources that are registered in ``made``."""
    made = {}
    given = dict.fromkeys(resources, 1)
    return SimpleNamespace(
        resource_settings=SimpleNamespace(cores=4, nodes=nodes, resources=given),
        register_resource=made.__setitem__,
        made=made,
        scheduling_settings=SimpleNamespace(max_jobs_per_timespan=None),
        scheduler=SimpleNamespace(),
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


FOLDERS = Config.model_construct(output="out", downloads="raw")
PLACE = SimpleNamespace(out="out", downloads="raw", config=FOLDERS)
START = command.Command(starts_jobs=True)


def test_a_start_claims_its_folders_before_it_settles_earlier_runs(calls):
    WRITER.begin()
    hooks.prepare_start(PLACE, START)
    assert calls == ["claim out", "claim raw", "settle ['aaa']"]
    hooks.prepare_start(PLACE, START)
    assert calls[3:] == ["claim out", "claim raw"]


def test_jobs_that_slurm_cannot_be_asked_about_stay_unsettled(monkeypatch):
    monkeypatch.setattr(slurm, "settle", lambda names: False)
    WRITER.begin()
    hooks.prepare_start(PLACE, START)
    assert len(events.History("out").unsettled) == 1


@pytest.mark.parametrize(
    "ends, node, memory",
    [
        *((0, 20000, 8000), (1, 20000, 16000), (2, 20000, 20000), (3, 20000, 20000)),
        (1, 4000, 8000),  # the first attempt asked for more than a node has
    ],
)
def test_memory_grows_with_each_end_for_lack_of_it_up_to_that_of_a_node(
    monkeypatch, ends, node, memory
):
    job = Job("train", "nli", "tiny", "rcl-2", 1)
    writer = events.Writer("out")
    writer.out_of_memory[log(job)] = ends
    nodes = {"gpu": node}
    monkeypatch.setattr(slurm, "largest_memory", nodes.pop if ends else pytest.fail)
    cost = SimpleNamespace(asks=lambda job, attempt: {"runtime": 30 * attempt, "mem_mb": 8000})
    asked = command.Command(starts_jobs=True, partitions={"train": "gpu"})
    checked = Checked([], cost=cost, asked=asked)
    found = hooks.asks(checked, writer, job, attempt=4)  # the other attempts ended otherwise
    assert found == {"runtime": 120, "mem_mb": memory}


CLAIM = (lock, "claim_output")


@pytest.mark.parametrize(
    "part, error, line",
    [
        (CLAIM, Busy("another run (node n1) works on out"), "another run (node n1) works on out"),
        (
            (slurm, "settle"),
            slurm.Unanswered("squeue: no route"),
            "Slurm gives no answer: squeue: no route; try again later",
        ),
    ],
)
def test_a_start_that_may_succeed_later_ends_with_one_line_and_status_75(
    monkeypatch, capsys, part, error, line
):
    WRITER.begin()
    monkeypatch.setattr(*part, Mock(side_effect=error))
    with pytest.raises(SystemExit) as ended:
        hooks.prepare_start(PLACE, START)
    assert ended.value.code == os.EX_TEMPFAIL
    assert capsys.readouterr().err == f"error: {line}\n"


@pytest.mark.parametrize(
    "part, error, line",
    [
        (CLAIM, OSError(30, "Read-only file system", "out/.x"), "out/.x: Read-only file system"),
        (CLAIM, KeyboardInterrupt(), "interrupted while waiting: this run has started nothing"),
    ],
)
def test_a_start_that_cannot_go_on_ends_with_one_line(monkeypatch, part, error, line):
    WRITER.begin()
    monkeypatch.setattr(*part, Mock(side_effect=error))
    with pytest.raises(WorkflowError, match=line):
        hooks.prepare_start(PLACE, START)


class Dag:
    """A plan of two jobs, of which one downloads."""

    def __init__(self):
        self.done = set()
        self.jobs = [SimpleNamespace(output=["raw/a"]), SimpleNamespace(output=["rawer/b"])]

    def needrun_jobs(self, exclude_finished=True):
        return self.jobs

    def finished(self, job):
        return id(job) in self.done


def test_the_downloads_are_released_when_the_last_download_is_finished(calls, monkeypatch):
    started = workflow()

    def sleep(seconds):
        if calls:
            raise InterruptedError
        started.dag.done.add(id(started.dag.jobs[0]))

    monkeypatch.setattr(hooks, "time", SimpleNamespace(sleep=sleep))
    with pytest.raises(InterruptedError):  # such a thread ends with its process
        hooks._attend(started, FOLDERS)
    assert calls == ["release"]


@pytest.mark.parametrize(
    "gpus, settings, made",
    [
        (2, {}, {"gpu": 6}),
        (0, {}, {}),
        (2, {"nodes": 8}, {}),  # a scheduler knows its GPUs
        (2, {"resources": ("gpu",)}, {}),  # a limit of the user's own
    ],
)
def test_local_jobs_are_limited_to_the_places_on_this_machines_gpus(
    monkeypatch, gpus, settings, made
):
    monkeypatch.setattr(hooks, "gpus_here", lambda: range(gpus))
    local = workflow(**settings)
    hooks.limit_gpu_jobs(local, 3)
    assert local.made == made


def test_a_run_claims_its_folders_again_before_its_first_job(calls):
    hooks.begin(workflow(), PLACE, WRITER)
    assert calls == ["claim out", "claim raw"]
    assert [run["cluster"] for run in events.History("out").unsettled] == ["aaa"]


def test_a_run_notes_how_it_was_started(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["/bin/snakemake", "--cores", "4", "--config", "a=b c"])
    started = workflow(nodes=7)
    started.config_settings.configfiles = [tmp_path / "mine.yaml", Path("/else/far.yaml")]
    started.config_settings.config_args = ["mirror=DATA"]
    hooks.begin(started, PLACE, WRITER)
    assert json.loads((tmp_path / "out/logs/command.json").read_text()) == {
        "folder": str(tmp_path),
        "output": "out",
        "options": ["--configfile", "mine.yaml", "/else/far.yaml", "--config", "mirror=DATA"],
        "command": "snakemake --cores 4 --config 'a=b c'",
        "cores": 4,
        "at_a_time": 7,
    }
    assert json.loads((tmp_path / "out/logs/config.json").read_text()) == FOLDERS.written()
    layout = (ROOT / "workflow/documentation/results.md").read_text()
    assert (tmp_path / "out/README.md").read_text().endswith(layout) and "`tables/`" in layout


def test_only_the_controllers_code_names_snakemakes_own_files_and_parts():
    files = [ROOT / "Snakefile", *ROOT.glob("workflow/**/*.smk")]
    files += [
        *ROOT.glob("workflow/**/*.py"),
        *ROOT.glob("semblance/**/*.py"),
        *ROOT.glob("faq/**/*.py"),
    ]
    naming = {path for path in files if OWN_PARTS.search(path.read_text(encoding="utf-8"))}
    assert {path.parent for path in naming} == {ROOT / "workflow/run"}
    private = {path.name for path in files if PRIVATE.search(path.read_text(encoding="utf-8"))}
    assert private == {"private.py"}


MANIFEST = str(ROOT / "workflow/manifest.yaml")
PLAN = Plan(load(merged("config.yaml") | {"manifest": MANIFEST}))
BASE = ["resources/models/bert-base/record.json"]
DATASET = ["resources/data/x.csv", "resources/data/records/stsb.json"]


@pytest.fixture
def asked(monkeypatch):
    """The files that are asked for, each of which is in the state ``asked.state``."""
    asked = SimpleNamespace(state=sources.State.REACHED, files=[])

    def ask_all(questions):
        asked.files += [(question.source, question.file) for question in questions]
        return [sources.Found(*file, asked.state, 1) for file in asked.files]

    monkeypatch.setattr(sources, "ask_all", ask_all)
    return asked


def ask(*outputs: list[str], keep_going: bool = False) -> None:
    """Ask for the sources of a run that is about to make these outputs, a list for each job."""
    jobs = [SimpleNamespace(output=output) for output in outputs]
    dag = SimpleNamespace(needrun_jobs=lambda exclude_finished=True: iter(jobs))
    settings = SimpleNamespace(keep_going=keep_going)
    hooks.ask_for_sources(SimpleNamespace(dag=dag, execution_settings=settings), PLAN)


def test_a_run_without_downloads_asks_nobody(asked):
    ask(["results/report.html"], [])
    assert asked.files == []


def test_only_what_the_run_downloads_is_asked_for(asked, capsys, tmp_path):
    ask(BASE, DATASET, ["results/report.html"])
    assert {source for source, _ in asked.files} == {"stsb", "bert-base"}
    assert capsys.readouterr().err.startswith("sources: every file to download can be had")
    assert "stsb" in (tmp_path / "results/logs/sources.log").read_text()


def test_a_missing_file_stops_the_run_unless_it_keeps_going(asked, capsys):
    asked.state = sources.State.FAILED
    with pytest.raises(WorkflowError, match="not every file can be had"):
        ask(DATASET)
    assert "missing: stsb: " in capsys.readouterr().err
    ask(DATASET, keep_going=True)


def test_the_end_of_a_run_says_how_many_jobs_are_done_by_it_and_by_earlier_starts(capsys):
    dag = SimpleNamespace(jobs=range(9), finished_jobs=iter(range(4)), needrun=lambda job: job < 8)
    hooks.print_end(SimpleNamespace(dag=dag), PLAN)
    *_, stopped, way = capsys.readouterr().err.splitlines()
    assert stopped == "stopped: jobs that are done, and stay done: 5 of 9"
    assert way.startswith("to go on: the same command again")


WEIGHTS = "model/model.safetensors"


@pytest.mark.parametrize(
    "there, models, stays",
    [
        (("record.json",), "final", False),
        (("record.json", WEIGHTS), "final", True),
        ((), "final", True),  # the training is not noted yet
        (("record.json",), "all", True),
    ],
)
def test_the_second_copy_of_a_model_goes_once_its_weights_are_gone(
    tmp_path, monkeypatch, there, models, stays
):
    monkeypatch.setattr(hooks, "deletes_models", deletes_models)
    folder = tmp_path / "models/mine-0/tiny/tuned/seed-1"
    for name in (f"checkpoints/0123/finished/{WEIGHTS}", *there):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    hooks.remove_copies(Config.model_construct(output=str(tmp_path), keep=Keep(models=models)))
    assert (folder / "checkpoints").exists() == stays
    assert (folder / "record.json").exists() == ("record.json" in there)


@pytest.mark.parametrize(
    "fork, here, by, jobs, started",
    [
        (True, True, [], 5, 1),
        (True, True, [], 4, 0),  # not worth the start
        (False, True, [], 5, 0),
        (True, False, [], 5, 0),  # on a cluster
        (True, True, ["conda"], 5, 0),  # in another environment
    ],
)
def test_a_fork_server_serves_a_run_of_many_jobs_of_this_machine(
    monkeypatch, fork, here, by, jobs, started
):
    calls = []
    monkeypatch.setattr(hooks.fork_server, "start", lambda *arguments: calls.append(arguments))
    planned = [SimpleNamespace(rule=SimpleNamespace(name="train"))] * jobs
    deployed = SimpleNamespace(deployment_method=set(by))
    dag = SimpleNamespace(needrun_jobs=lambda exclude_finished=True: iter(planned))
    workflow = SimpleNamespace(dag=dag, local_exec=here, deployment_settings=deployed)
    config = SimpleNamespace(resources=SimpleNamespace(fork=fork), output="out")
    hooks.start_fork_server(workflow, config)
    assert calls == [({"train"}, Path("out/logs/fork_server.log"))] * started
