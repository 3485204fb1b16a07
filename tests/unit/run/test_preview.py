"""Which jobs are done, new or made again, and why, from a stand-in for Snakemake's plan."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from workflow.run.preview import (
    DELETED,
    DERIVED,
    format_reasons,
    format_table,
    other_versions,
    planned_jobs,
)

CHANGES = ("forced", "incomplete_output", "code_changed", "input_changed", "params_changed")
TEMPORARY = "weights"
FILES = ("missing_output", "updated_input", "updated_input_run")
ATTRIBUTES = dict.fromkeys(CHANGES, False) | dict.fromkeys(FILES, ())


class Output(list):
    """The outputs of a job, none of which has a name."""

    def get(self, name: str) -> None:
        """Return the output of a name."""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Dag:
    """A plan of jobs, each of which is to run if it has a reason; ``readers`` of a job follow it."""

    def __init__(self, *jobs, readers=()):
        self.jobs = jobs
        self.depending = dict(readers)

    def needrun_jobs(self, exclude_finished):
        assert not exclude_finished  # a dry run has finished all of them
        return (job for job in self.jobs if job.why is not None)

    def reason(self, job):
        return SimpleNamespace(**(ATTRIBUTES | job.why))

    def bfs(self, direction, *jobs):
        for job in jobs:
            yield from (job, *direction.get(job, ()))


def reasons(*jobs, readers=()) -> list[str]:
    dag = Dag(*jobs, readers=readers)
    return format_reasons(dag, planned_jobs(dag), {})


class Job(SimpleNamespace):
    __hash__ = object.__hash__


def job(rule, number=0, there=True, why=None, **params):
    """A job with one output, which is ``there``; ``why`` it runs, None if it does not."""
    path = Path(f"{rule}-{number}")
    if there:
        path.touch()
    named = SimpleNamespace(name=rule)
    return Job(
        rule=named, output=Output([str(path)]), params=params, why=why, temp_output={TEMPORARY}
    )


def changed(before: dict, now: dict) -> dict:
    """The reason of a job whose settings were ``before`` and are ``now``."""
    old, new = json.dumps(before), json.dumps(now)
    return {"params_changed": SimpleNamespace(only_old={repr(old)}, only_new={repr(new)})}


def test_jobs_are_counted_by_stage_as_done_new_or_again():
    target = SimpleNamespace(rule=SimpleNamespace(name="all"), output=[], why={})
    dag = Dag(
        target,
        job("download_nli"),
        job("download_sick"),
        job("train", 1),
        job("train", 2, there=False, why={"missing_output": ["x"]}),
        job("train", 3, why={"forced": True}),
    )
    lines = [line.split() for line in format_table(dag, planned_jobs(dag))]
    assert lines[0] == ["stage", "jobs", "done", "new", "again"]
    # the downloads are done: they have no line
    assert lines[1:] == [["train", "3", "1", "1", "1"], ["in", "all", "5", "3", "1", "1"]]


def test_jobs_of_one_reason_share_a_line_that_names_the_key_and_counts_what_follows():
    why = changed({"learning_rate": 1e-05}, {"learning_rate": 3e-05})
    jobs = [job("train", i, why=why) for i in range(12)]
    reader = job("evaluate_sts", why={})
    line = "again: train_initial (1 job), train (12 jobs): learning_rate 1e-05 -> 3e-05"
    every = (job("train_initial", why=why), *jobs, reader)
    readers = {one: [reader] for one in jobs}
    assert reasons(*every, readers=readers) == [f"{line}; 14 jobs with all that follows"]


def test_a_job_of_two_reasons_is_in_the_line_of_each():
    both = job("train", why={"forced": True, "code_changed": True})
    assert reasons(both, job("render_table", why={"code_changed": True})) == [
        "again: train (1 job): it was asked for",
        "again: train (1 job), render_table (1 job): its command in the rules changed",
    ]


def test_deleted_weights_are_a_reason_only_where_nothing_else_makes_them_anew():
    gone = {"missing_output": [TEMPORARY]}
    setting = changed({"seed": 1}, {"seed": 2})
    jobs = [
        job("train", 1, why=gone),
        job("train", 2, why=gone | setting),
        job("train", 3, why=gone | {"updated_input_run": ["vectors"]}),
    ]
    assert reasons(*jobs) == [
        f"again: train (1 job): {DELETED}",
        "again: train (1 job): seed 1 -> 2",
        f"again: train (1 job): {DERIVED}",
    ]


@pytest.mark.parametrize(
    "why, words",
    [
        ({"incomplete_output": ["a"]}, "it was killed before its end"),
        ({"missing_output": ["b", "a"]}, "missing output: a and 1 more file"),
        ({"input_changed": True}, "it reads other files than before"),
        ({"updated_input": ["a"]}, "changed input: a"),
    ],
)
def test_each_reason_of_snakemakes_has_words_of_its_own(why, words):
    assert reasons(job("train", why=why)) == [f"again: train (1 job): {words}"]


def test_of_many_reasons_ten_are_printed_and_the_rest_counted():
    lines = reasons(
        *(job("train", i, why=changed({"seed": 0}, {"seed": i + 1})) for i in range(12))
    )
    assert len(lines) == 11 and lines[-1] == "again: for 2 more reasons"


def test_a_changed_input_is_said_with_the_versions_that_differ():
    def record(name, **versions):
        Path(name).write_text(json.dumps({"environment": {"numpy": "2.4.6", **versions}}))
        return name

    job = record("job.json", python="3.11.7")
    same, newer = record("same.json", python="3.11.7"), record("newer.json", python="3.12.1")
    Path("rows.arrow").write_bytes(b"\xff")
    assert other_versions(job, ["rows.arrow", same, newer]) == ", python 3.11.7 -> 3.12.1"
    assert other_versions(job, ["rows.arrow", same]) == other_versions("None", [newer]) == ""
