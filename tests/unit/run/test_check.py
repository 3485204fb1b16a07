"""What is wrong with a config or with this machine is told before anything starts."""

import json
import os
import re
import shutil
import time
from collections import namedtuple
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from snakemake.exceptions import WorkflowError

from semblance.errors import InputError
from semblance.gpus import ALLOW_CPU, NONE_FOUND, NONE_GIVEN, REMOTE_JOB
from tests.dag.tiny import SHAPE
from tests.shipped import merged
from workflow.config.layers import over_project
from workflow.run import check as module
from workflow.run import hooks, slurm
from workflow.run.check import check, check_planned
from workflow.run.command import Command
from workflow.scripts.check import main

START = Command(starts_jobs=True, plans_jobs=True)


@pytest.fixture(autouse=True)
def _machine(tmp_path, monkeypatch):
    """A working folder with a FAQ of 12 pairs and a base, on a machine without GPU or scheduler."""
    monkeypatch.chdir(tmp_path)
    for name in ("SLURM_JOB_ID", REMOTE_JOB, ALLOW_CPU):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(module, "gpus_here", lambda: ())
    rows = "".join(f"question {n},answer {n}\n" for n in range(12))
    (tmp_path / "faq.csv").write_text(f"question,answer\n{rows}")
    (tmp_path / "base").mkdir()
    (tmp_path / "base/config.json").write_text(json.dumps(SHAPE | {"num_hidden_layers": 6}))
    (tmp_path / "base/model.safetensors").touch()


def only_table(**row) -> dict:
    """Return the section of tables with one row of one table, and without the shipped ones."""
    table = {"title": "", "layout": "faq", "seeds": "rcl", "rows": [{"corpora": ["mine"]} | row]}
    return dict.fromkeys(merged("config.yaml")["tables"]) | {"mine": table}


def layers(**changes):
    """Return a config of one table, on the user's own FAQ and base, with top-level keys changed."""
    config = {
        "resources": {"gpus": 0},
        "bases": base(),
        "faq": bank(),
        "training": {"threads": 1},
        "recipes": {"rcl": {"batch_size": 4}},
        "figures": None,
        "tables": only_table(bases=["own"], methods=["start", "continued"]),
    }
    with open("mine.yaml", "w", encoding="utf-8") as stream:
        yaml.safe_dump(config | changes, stream, sort_keys=False, default_flow_style=True, width=1)
    return over_project(["mine.yaml"])


def errors(found) -> list[str]:
    return [str(error) for error in found.errors]


def bank(path="faq.csv", folds=3, **more):
    return {"folds": folds, "banks": {"mine": {"kind": "own", "path": path} | more}}


def base(**entry):
    return {"own": {"folder": "base", "max_length": 8, "tokenizer": "own"} | entry}


def told(lines, *beginnings: str) -> list[str]:
    """Return the lines that begin so."""
    return [line for line in lines if line.startswith(beginnings)]


PACKAGED = {"own": {"package": "no_such", "max_length": 8, "tokenizer": "own"}}
NOTHING_THERE = {"faq": bank("moved.csv"), "bases": base(folder="no")}


def test_a_config_whose_files_are_there_has_no_error_and_a_summary():
    found = check(layers(), START)
    check_planned(found)
    assert errors(found) == [] and found.warnings[1:] == []
    jobs, disk = found.facts
    assert re.search(r"^(\d+) jobs, \1 without a result: 0.0 GPU-hours, .* of outputs$", jobs)
    assert disk.startswith("disk: ") and "free at" in disk


@pytest.mark.parametrize(
    "key, changes, problem",
    [
        ("path", {"faq": bank("moved.csv")}, "faq.banks.mine.path: moved.csv: no such file"),
        ("path", {"faq": bank("base")}, "faq.banks.mine.path: base: no such file"),
        ("queries", {"faq": bank(queries_path="no")}, "faq.banks.mine.queries_path: no: no such f"),
        ("folder", {"bases": base(folder="no")}, "bases.own.folder: no: no such folder"),
        ("folder", {"bases": base(folder=".")}, "bases.own.folder: . has no weights as safete"),
        ("layers", {"bases": base(layers=99)}, "bases.own.layers: 99 layers of a model that has 6"),
        # a file of word vectors has no keys of a transformer
        ("layers", {"bases": base(folder="faq.csv", layers=3)}, "bases.own.layers: has no effect"),
        ("pooling", {"bases": base(folder="faq.csv", pooling="cls")}, "bases.own.pooling: has no"),
        ("prompts", {"bases": base(folder="faq.csv", prompts={})}, "bases.own.prompts: has no eff"),
        ("package", {"bases": PACKAGED}, "bases.own.package: the package no_such is not installed"),
        ("mirror", {"mirror": "no", "tables": {}}, "mirror: no: no such folder"),
        ("manifest", {"manifest": "no.yaml"}, "manifest: no.yaml: no such file"),
        ("datasets", {"sts": {"datasets": ["sts99"]}}, "sts.datasets: there is no data set 'sts99"),
        ("seen", {"bases": base(seen=["no"])}, "bases.own.seen: there is no data set 'no'"),
    ],
)
def test_what_is_not_there_is_an_error_at_its_line(key, changes, problem):
    [line] = errors(check(layers(**changes), START))
    lines = Path("mine.yaml").read_text(encoding="utf-8").splitlines()
    number = next(number for number, text in enumerate(lines, 1) if key in text)
    assert line.startswith(f"mine.yaml:{number}: {problem}")


def test_an_own_file_that_is_dated_in_the_future_is_an_error_before_anything_starts():
    """Snakemake would end the run because what it made is older, and delete it."""
    asked = layers()
    assert errors(check(asked, START)) == []
    ahead = time.time() + 3 * 3600
    os.utime("faq.csv", (ahead, ahead))
    [line] = errors(check(asked, START))
    assert re.search(
        r"faq\.csv: dated (3\.0 h|180 min) in the future; set its date: touch faq\.csv", line
    )


def test_what_no_table_uses_may_be_missing():
    banks = bank()
    banks["banks"]["other"] = {"kind": "own", "path": "moved.csv"}
    bases = base() | {"far": {"folder": "no", "max_length": 8, "tokenizer": "far"}}
    assert errors(check(layers(faq=banks, bases=bases, mirror="no"), START)) == []


def test_a_batch_that_is_larger_than_its_corpus_is_a_warning():
    found = check(layers(recipes={"rcl": {"batch_size": 512}}), START)
    assert told(found.warnings, "batch_size 512 of continued: mine-0 has")


WITH_GPU = {"resources": {"gpus": 1}}
Usage = namedtuple("Usage", "total used free")


def whole_run(asked=START, **changes):
    """Return what is found for a whole run, and the errors and the warnings about this machine."""
    found = check(layers(**changes), asked)
    assert errors(found) == []
    check_planned(found)
    return found, errors(found), told(found.warnings, "this machine: ")


@pytest.mark.parametrize(
    "free, anyway, refused, warned",
    [(10**15, False, 0, 0), (10**6, False, 1, 0), (10**6, True, 0, 1)],
)
def test_a_run_for_which_a_disk_has_too_little_room_is_refused_or_with_anyway_a_warning(
    monkeypatch, tmp_path, free, anyway, refused, warned
):
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: Usage(free, 0, free))
    found, mistakes, warnings = whole_run(output="far/results", anyway=anyway)
    [fact] = told(found.facts, "disk: ")
    assert fact.endswith(f"free at {tmp_path}")  # the nearest folder that is there
    assert len(told(mistakes, f"this machine: {fact}; ")) == len(mistakes) == refused
    assert len(warnings) == warned


@pytest.mark.parametrize(
    "asked, gpus, hours, refused",
    [
        (START, (), 25, True),
        (START, (), 23, False),
        (START, ("A",), 25, False),
        (Command(starts_jobs=True, plans_jobs=True, submits=True), (), 25, False),
    ],
)
def test_a_day_of_work_for_a_gpu_does_not_begin_on_a_machine_without_one(
    monkeypatch, asked, gpus, hours, refused
):
    monkeypatch.setattr(module, "gpus_here", lambda: gpus)
    monkeypatch.setattr(module.Cost, "total_hours", lambda cost, some, machine: hours)
    _, mistakes, _ = whole_run(asked, **WITH_GPU)
    line = f"this machine: {hours} GPU-hours planned, and no GPU; "
    assert len(told(mistakes, line)) == len(mistakes) == refused


@pytest.mark.parametrize(
    "changes, job, gpus, warning",
    [
        (WITH_GPU, "", (), NONE_FOUND),
        (WITH_GPU, "7", (), NONE_GIVEN),  # it stops the jobs
        (WITH_GPU, "", ("A", "B"), None),
        ({"training": {"threads": 3}}, "", (), "training.threads: 3, but this machine has 2"),
        ({"embed": {"precision": "bf16"}}, "", (), "precision: bf16 takes this processor 10 "),
        ({"recipes": {"rcl": {"precision": "bf16"}}}, "", (), "precision: bf16 takes"),
        (WITH_GPU | {"embed": {"precision": "bf16"}}, "", ("A",), None),
    ],
)
def test_a_machine_with_less_than_it_should_have_is_a_warning(
    monkeypatch, changes, job, gpus, warning
):
    monkeypatch.setattr(module, "gpus_here", lambda: gpus)
    monkeypatch.setattr(module.os, "sched_getaffinity", lambda process: {0, 1})
    monkeypatch.setattr(module, "bf16_here", lambda: 0.1)
    if job:
        monkeypatch.setenv("SLURM_JOB_ID", job)
    found = check(layers(**changes), START)
    about = [line for line in found.warnings if "GPU" in line or "CPU" in line or "bf16" in line]
    assert [line.startswith(warning or "?") for line in about] == [True] * bool(warning)


def on_slurm(**facts):
    facts = {"starts_jobs": True, "plans_jobs": True, "submits": True, "on_slurm": True} | facts
    return Command(programs=("sbatch",), partitions={"train": "gpu"}, **facts)


@pytest.mark.parametrize("starts", [True, False])
def test_a_start_on_slurm_asks_for_its_programs_and_partitions_and_a_dry_run_does_not(
    monkeypatch, starts
):
    asked = []
    monkeypatch.setattr(slurm, "check_cluster", lambda *what: asked.append(what))
    monkeypatch.setattr(module, "gpus_here", lambda: pytest.fail("the GPUs were counted"))
    found = check(layers(resources={"gpus": 1}), on_slurm(starts_jobs=starts))
    assert errors(found) == [] and asked == [(("sbatch",), {"gpu"})] * starts


@pytest.mark.parametrize(
    "reason, line",
    [
        (InputError("Slurm", "sbatch: no such program here"), "Slurm: sbatch: no such program"),
        (slurm.Unanswered("sinfo: no route"), "Slurm: gives no answer: sinfo: no route"),
    ],
)
def test_a_cluster_that_is_not_there_is_an_error(monkeypatch, reason, line):
    def refuse(*what):
        raise reason

    monkeypatch.setattr(slurm, "check_cluster", refuse)
    [error] = errors(check(layers(), on_slurm()))
    assert error.startswith(line)


def ends_with_two_errors(call, printed) -> None:
    """Assert that a call ends the process with status 2 and prints two errors, a line each."""
    with pytest.raises(SystemExit) as ended:
        call()
    lines = [line for line in printed().splitlines() if "warning" not in line]
    assert ended.value.code == 2 and len(told(lines, "error: ")) == len(lines) == 2


def test_the_command_prints_each_error_in_a_line_or_a_summary(capsys):
    layers(**NOTHING_THERE)
    ends_with_two_errors(lambda: main(["mine.yaml"]), lambda: capsys.readouterr().out)
    with pytest.raises(SystemExit, match="2"):
        main(["mine.yaml", "--json"])
    assert len(json.loads(capsys.readouterr().out)["errors"]) == 2
    layers()
    main(["mine.yaml"])
    printed = capsys.readouterr().out
    assert "without a result" in printed and "error:" not in printed


def test_the_command_refuses_a_profile_that_is_not_there():
    layers()
    with pytest.raises(InputError, match="--profile: there is no profile nobody"):
        main(["mine.yaml", "--profile", "nobody"])


def workflow(**changes):
    """A stand-in for Snakemake's Workflow of the main process, started with mine.yaml."""
    settings = {"configfiles": ["mine.yaml"], "config_args": [], "replace_workflow_config": False}
    facts = {
        "is_main_process": True,
        "rundir": ".",
        "config_settings": SimpleNamespace(**settings),
        "modifier": SimpleNamespace(is_main_snakefile=lambda: True),
        "storage_settings": SimpleNamespace(default_storage_provider=None),
        "workflow_settings": SimpleNamespace(persistence_backend="file"),
    }
    return SimpleNamespace(**facts | changes)


def test_a_start_tells_all_errors_in_lines_of_its_own_and_ends_with_status_2(capsys, monkeypatch):
    layers(**NOTHING_THERE)
    monkeypatch.setattr(hooks.command, "of_process", lambda: START)
    call = lambda: hooks.check_start(workflow())
    ends_with_two_errors(call, lambda: capsys.readouterr().err)


def test_a_start_of_all_says_in_one_line_what_it_will_do_or_is_refused_before_the_plan(
    capsys, monkeypatch
):
    layers()
    whole = Command(starts_jobs=True, plans_jobs=True, makes_all=True)
    monkeypatch.setattr(hooks.command, "of_process", lambda: whole)
    checked = hooks.check_start(workflow())
    [line] = told(capsys.readouterr().err.splitlines(), "run: ")
    assert line == f"run: {checked.facts[0]}, into results"
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: Usage(1, 0, 1))
    with pytest.raises(SystemExit) as ended:
        hooks.check_start(workflow())
    said = capsys.readouterr().err
    assert ended.value.code == 2 and "error: this machine: disk: " in said and "run: " not in said


def test_a_start_of_a_part_waits_for_snakemakes_plan(capsys, monkeypatch):
    layers()
    monkeypatch.setattr(hooks.command, "of_process", lambda: START)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: Usage(1, 0, 1))
    assert hooks.check_start(workflow()).facts == []
    assert "run: " not in capsys.readouterr().err


def test_a_job_reads_the_config_and_checks_no_file(monkeypatch):
    layers(faq=bank("moved.csv"))
    monkeypatch.setattr(hooks.command, "of_process", lambda: pytest.fail("it was read"))
    assert hooks.check_start(workflow(is_main_process=False)).config.output == "results"


@pytest.mark.parametrize(
    "flag, settings",
    [
        ("default-storage-provider", {"storage_settings": {"default_storage_provider": "s3"}}),
        ("persistence-backend", {"workflow_settings": {"persistence_backend": "db"}}),
    ],
)
def test_another_program_gets_what_is_refused_as_an_exception(monkeypatch, flag, settings):
    layers()
    by_program = Command(starts_jobs=False, by_program=True)
    monkeypatch.setattr(hooks.command, "of_process", lambda: by_program)
    asked = {name: SimpleNamespace(**values) for name, values in settings.items()}
    with pytest.raises(WorkflowError, match=f"error: --{flag}: "):
        hooks.check_start(workflow(**asked))


def test_what_snakemake_passes_over_in_silence_is_an_error():
    named = [("--omit-from", "trian"), ("--batch", "all"), ("--cache", "download_stsb")]
    asked = Command(starts_jobs=True, rules=tuple(named), lost=("config",))
    told = errors(check(layers(), asked))
    assert told == [
        "--config: stands twice, and Snakemake reads the last one alone; put all behind one --config",
        "--omit-from: there is no rule 'trian'; did you mean train?",
    ]
