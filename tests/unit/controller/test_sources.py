"""What the controller asks before the first job of a run."""

import subprocess
from types import SimpleNamespace

import pytest
from snakemake.exceptions import WorkflowError

from semblance.fetch.wanted import Wanted
from semblance.settings import decode_json
from tests.shipped import merged
from workflow.controller import sources
from workflow.planning.config import load
from workflow.planning.plan import Plan

PLAN = Plan(load(merged("config.yaml")))


def job(rule: str, *output: str):
    """A stand-in for a job of Snakemake."""
    return SimpleNamespace(rule=SimpleNamespace(name=rule), output=output)


BASE = job("download_model", "resources/models/bert-base/record.json")
DATASET = job("download_stsb", "resources/data/x.csv", "resources/data/records/stsb.json")


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """What the program is asked for; it answers with the exit status in ``asked.status``."""
    monkeypatch.chdir(tmp_path)
    found = SimpleNamespace(status=0, wanted=[])

    def run(command, **_):
        found.wanted.append(decode_json(Wanted, command[-1]))
        return subprocess.CompletedProcess(command, found.status, stdout="the table\n")

    monkeypatch.setattr(subprocess, "run", run)
    return found


def workflow(*jobs, keep_going: bool = False):
    """A stand-in for Snakemake's Workflow that is about to run some jobs."""
    return SimpleNamespace(
        dag=SimpleNamespace(needrun_jobs=lambda: iter(jobs)),
        execution_settings=SimpleNamespace(keep_going=keep_going),
    )


def test_a_run_without_downloads_asks_nobody(asked):
    sources.ask_first(workflow(job("train"), job("all")), PLAN)
    assert asked.wanted == []


def test_only_what_the_run_downloads_is_asked_for(asked, capsys, tmp_path):
    sources.ask_first(workflow(BASE, DATASET, job("train")), PLAN)
    [wanted] = asked.wanted
    assert wanted.datasets == ("stsb",) and list(wanted.bases) == ["bert-base"]
    assert wanted.bases["bert-base"].hub == "google-bert/bert-base-uncased"
    assert capsys.readouterr().err == "the table\n"
    assert (tmp_path / "results/logs/sources.log").read_text() == "the table\n"


def test_the_downloads_of_a_module_are_known_under_any_name_of_their_rules(asked):
    sources.ask_first(workflow(job("mine_download_x", *DATASET.output)), PLAN)
    assert asked.wanted[0].datasets == ("stsb",)


def test_a_missing_file_stops_the_run_unless_it_keeps_going(asked):
    asked.status = 1
    with pytest.raises(WorkflowError, match="not every file can be had"):
        sources.ask_first(workflow(DATASET), PLAN)
    sources.ask_first(workflow(DATASET, keep_going=True), PLAN)
