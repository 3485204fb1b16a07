"""The parts of Snakemake that its documentation does not promise, as Snakemake itself has them.

One run of Snakemake, of two rules that make records and one that fails, serves all tests.
"""

import inspect
import json
import os
import re
import subprocess
import sys
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
import snakemake_executor_plugin_slurm as executor
from snakemake import common, jobs, rules
from snakemake.scheduling import job_scheduler
from snakemake.scheduling.job_scheduler import JobScheduler

from semblance.provenance import ROOT
from workflow.run import events, private, slurm

# A name of more than one note's length.
LONG = "/".join("".join(chr(97 + (7 * i + j * j) % 26) for j in range(100)) for i in range(3))
SNAKEFILE = f"""
import json, sys
sys.path.insert(0, {str(ROOT)!r})
from snakemake.logging import logger
from workflow.run import events, private

EVENTS = events.Writer("out")
logger.addHandler(EVENTS)

onstart:
    EVENTS.begin()
    limiter = workflow.scheduler.job_rate_limiter
    limit = workflow.scheduling_settings.max_jobs_per_timespan
    private.mend_scheduler(workflow)
    facts = dict(
        limit=[limit.max_jobs, limit.timespan],
        was_limited=limiter is not None,
        is_limited=workflow.scheduler.job_rate_limiter is not None,
    )
    open("facts.json", "w").write(json.dumps(facts))
rule all:
    input: "out/a/record.json", "out/{LONG}/record.json", "out/bad"
rule one:
    output: "out/{{name}}/record.json"
    log: "out/logs/one/{{name}}.log"
    shell: "touch {{output}}"
rule bad:
    output: temp("out/bad")
    log: "out/logs/bad.log"
    shell: "echo 'error: a.csv: no such file' > {{log}}; exit 3"
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """The folder in which Snakemake ran."""
    folder = tmp_path_factory.mktemp("ran")
    (folder / "Snakefile").write_text(SNAKEFILE)
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--keep-going"]
    subprocess.run(command, cwd=folder, capture_output=True)
    return folder


def test_the_events_of_a_real_run_are_written_down(ran):
    history = events.History(ran / "out")
    assert {job: event["event"] for job, event in history.jobs.items()} == {
        "logs/one/a": "finished",
        f"logs/one/{LONG}": "finished",
        "logs/bad": "failed",
    }
    assert (history.done, history.total) == (2, 4)  # the target, which has no log, has no events
    bad = history.jobs["logs/bad"]
    assert bad["outputs"] == ["out/bad"]  # Snakemake logs it with (temporary)
    assert (bad["rule"], bad["log"]) == ("bad", "out/logs/bad.log")
    [failed] = events.failures(history)
    assert failed.splitlines()[1] == "    | error: a.csv: no such file"
    assert (ran / "out" / events.FILE).read_text().startswith('\n{"event": "run"')


def test_the_default_limit_of_starts_is_the_one_that_is_switched_off(ran):
    facts = json.loads((ran / "facts.json").read_text())
    assert facts.pop("limit") == list(private.DEFAULT_LIMIT)
    assert facts == {"was_limited": True, "is_limited": False}
    assert events.History(ran / "out").done  # and jobs start without one


@pytest.mark.parametrize("limit, left", [((5, 60), "limiter"), (None, "limiter")])
def test_a_limit_of_the_users_own_stays(limit, left):
    started = stand_in(limit)
    private.mend_scheduler(started)
    assert started.scheduler.job_rate_limiter == left


def stand_in(limit=None):
    """Return a stand-in for Snakemake's Workflow with a limit of starts in a time."""
    limits = limit and SimpleNamespace(max_jobs=limit[0], timespan=limit[1])
    return SimpleNamespace(
        scheduling_settings=SimpleNamespace(max_jobs_per_timespan=limits),
        scheduler=SimpleNamespace(job_rate_limiter="limiter"),
    )


def test_a_signal_that_ends_a_run_does_not_wait_for_the_thread_that_it_interrupts():
    assert "self._lock = threading.Lock()" in inspect.getsource(JobScheduler.__init__)
    started = stand_in()
    private.mend_scheduler(started)
    scheduler = started.scheduler
    scheduler._open_jobs = Mock()
    with scheduler._lock:  # as while Snakemake chooses the next jobs
        JobScheduler.exit_gracefully(scheduler)
    assert scheduler._user_kill == "graceful"


def test_snakemake_says_that_jobs_failed_and_that_a_signal_ends_a_run_in_these_words():
    of_command, at_last = private.FAILED  # test_progress fails a command and sees the first
    assert of_command.split()[0] == subprocess.CalledProcessError.__name__
    assert job_scheduler._ERROR_MSG_FINAL.startswith(at_last)
    text = inspect.getsource(job_scheduler)
    assert all(f'"{words}' in text for words in private.STOPPING)


# A model whose weights are deleted after their use is made from data, and read by two evaluations.
REPEATED = f"""
import os, sys
sys.path.insert(0, {str(ROOT)!r})
from workflow.run import private
if workflow.is_main_process:
    private.follow_changes_alone(print)
rule all:
    input: "data", "model", "one", "two", "table"
rule data:
    output: "data"
    params: os.environ["SETTING"]
    shell: "echo {{rule}} >> ran; (echo {{params}} $DATA; head -c 1500000 /dev/zero) > {{output}}"
rule model:
    input: "data"
    output: "model", temp("weights")
    shell: "echo {{rule}} >> ran; (cat {{input}}; echo $MODEL) | tee {{output}}"
rule evaluate:
    input: "model", "weights"
    output: "{{name,one|two}}"
    shell: "echo {{wildcards.name}} >> ran; cat {{input}} > {{output}}"
rule table:
    input: "one", "two"
    output: "table"
    shell: "echo {{rule}} >> ran; cat {{input}} > {{output}}"
"""
SAID = {"SETTING": "a", "DATA": "b", "MODEL": "c"}


def run_repeated(folder, **said) -> set[str]:
    """Run the workflow; return the jobs that ran."""
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--quiet", "all"]
    ended = subprocess.run(command, cwd=folder, env=os.environ | SAID | said, capture_output=True)
    assert ended.returncode == 0, ended.stderr.decode()
    ran = folder / "ran"
    jobs = set(ran.read_text().split()) if ran.exists() else set()
    ran.unlink(missing_ok=True)
    return jobs


LOST = [  # one after another: what is lost, what is said from then on, and the jobs that run
    ("", {}, "data model one two table"),
    ("data", {}, "data"),
    ("one", {}, "model one"),  # the weights are made again
    ("data one table", {}, "data model one table"),
    ("data", {"DATA": "x"}, "data model one two table"),
    ("data", {}, "data"),
    ("one", {"MODEL": "x"}, "model one two table"),
    ("one", {"SETTING": "x"}, "data model one two table"),
]


def test_a_lost_file_that_comes_back_equal_runs_its_job_alone_and_one_that_does_not_all_that_reads_it(
    tmp_path,
):
    (tmp_path / "Snakefile").write_text(REPEATED)
    said = {}
    for lost, more, ran in LOST:
        for name in lost.split():
            (tmp_path / name).unlink()
        said |= more
        assert run_repeated(tmp_path, **said) == set(ran.split()), (lost, said)
    # By default Snakemake compares files of more than a megabyte by their dates.
    (tmp_path / "data").touch()
    assert run_repeated(tmp_path, **said) == set()


def function_of_a_rule(wildcards, input):
    return input


def test_snakemake_inspects_each_function_of_a_rule_once(monkeypatch):
    monkeypatch.setattr(common, "get_function_params", common.get_function_params)
    monkeypatch.setattr(rules, "get_function_params", rules.get_function_params)
    inspected = Mock(wraps=inspect.signature)
    monkeypatch.setattr(common.inspect, "signature", inspected)
    private.inspect_functions_once()
    for module in (common, rules):  # each has the name for itself
        assert list(module.get_function_params(function_of_a_rule)) == ["wildcards", "input"]
    inspected.assert_called_once_with(function_of_a_rule)


def test_what_an_executor_says_of_a_failed_group_is_logged(monkeypatch):
    monkeypatch.setattr(jobs.GroupJob, "log_error", jobs.GroupJob.log_error)
    logged = Mock()
    monkeypatch.setattr(jobs.logger, "error", logged)
    for _ in range(2):  # a Snakefile that is loaded twice
        private.keep_words_about_groups()
    group = SimpleNamespace(jobs=[], groupid="g")
    jobs.GroupJob.log_error(group, msg="no memory", external_jobid="5")
    facts = logged.call_args.kwargs["extra"]
    assert facts["event"] == "group_error"
    assert (facts["rule_msg"], facts["external_jobid"]) == ("no memory", "5")


def test_snakemake_notes_each_output_where_it_is_looked_for(ran, monkeypatch):
    monkeypatch.chdir(ran)
    for name in ("a", LONG):
        assert private.note_of(f"out/{name}/record.json").is_file()
    assert not private.note_of("out/b/record.json").exists()


def test_the_executor_names_its_jobs_on_slurm_in_the_message_that_is_looked_for():
    assert f'f"{private.RUN_ID}{{' in inspect.getsource(executor)


def test_the_executor_gives_the_answer_of_sbatch_and_slurms_state_of_a_job_in_these_words():
    text = re.sub(r'"\s+f?"', "", inspect.getsource(executor))  # joins the parts of its strings
    said = "SLURM sbatch failed. The error message was '{e.output.strip()}'.\\n"
    assert said in text and "SLURM status is: '{status}'. " in text
    assert slurm.refusal_in(said.replace("\\n", "\n")) == "{e.output.strip()}"
