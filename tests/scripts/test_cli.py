"""How a script ends: one line, an exit status that says whether to try again, and in a Slurm job the node."""

import errno
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from semblance.errors import InputError, NoGpu, OutOfTime
from semblance.locks import Busy, exclusive
from semblance.provenance import checked
from tests.dag.tiny import ROOT, write_base
from workflow.scripts.endings import record_of, run
from workflow.scripts.program import program

ENDS = {  # what happened -> exit status
    2: InputError("a.csv:3", "no such column", "name it"),
    75: OutOfTime(
        "results/models/x: out of time at step 3 of 9; saved, the next start goes on from here"
    ),
    130: KeyboardInterrupt(),
}


def ended(error):
    def main():
        raise error

    with pytest.raises(SystemExit) as end:
        run(main)
    return end.value.code


@pytest.mark.parametrize("status", ENDS)
def test_each_end_has_its_status_and_one_line(monkeypatch, capsys, status):
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    assert ended(ENDS[status]) == status
    assert capsys.readouterr().err.count("\n") == 1


def test_a_folder_that_is_anothers_may_be_free_later(capsys):
    assert (
        ended(
            Busy(
                errno.EAGAIN,
                "another process writes here (node n2, pid 7); wait for it to end",
                "out",
            )
        )
        == 75
    )
    assert "error: out: another process writes here (node n2, pid 7)" in capsys.readouterr().err


def test_a_job_without_its_gpu_ends_with_one_line_and_may_be_tried_again(monkeypatch, capsys):
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    assert ended(NoGpu("no GPU that this job can use")) == 75
    assert capsys.readouterr().err == "error: no GPU that this job can use\n"


@pytest.mark.parametrize("status", ENDS)
def test_a_failure_in_a_slurm_job_names_its_node(monkeypatch, capsys, status):
    monkeypatch.setenv("SLURM_JOB_ID", "815")
    monkeypatch.setenv("SLURMD_NODENAME", "n3")
    assert ended(ENDS[status]) == status
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("error: ") and lines[1:] == ["node n3, Slurm job 815"]


def test_an_error_of_the_programs_own_names_its_node_too(monkeypatch, capsys):
    monkeypatch.setenv("SLURM_JOB_ID", "815")
    monkeypatch.delenv("SLURMD_NODENAME", raising=False)
    monkeypatch.setattr("workflow.scripts.endings.socket.gethostname", lambda: "n4")

    def main():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(main)
    assert capsys.readouterr().err == "node n4, Slurm job 815\n"


@pytest.mark.parametrize(
    "line, record",
    [
        ("train --settings x --output results/m/record.json", "results/m/record.json"),
        ("collect_scores --output t/scores.csv --record t/r/scores.json", "t/r/scores.json"),
        ("plan --output results config.yaml", None),
        ("verify results", None),
        ("train --output", None),
    ],
)
def test_the_record_of_a_stage_is_found_on_its_command_line(line, record):
    found = record_of(line.split()[1:])
    assert found == (record and Path(record))


def test_every_rule_names_its_record_where_the_lock_looks_for_it():
    commands = re.findall(r'"\{PYTHON\}\.(\w+) .*?2> >', "".join(rules()), flags=re.DOTALL)
    named = re.findall(
        r'"\{PYTHON\}\.(\w+) (?:(?!2> >).)*?(?:--record|--output) \{output\.record:q\}',
        "".join(rules()),
        flags=re.DOTALL,
    )
    assert len(commands) > 12 and commands == named


def rules():
    return [path.read_text() for path in sorted((ROOT / "workflow/rules").glob("*.smk"))]


def test_two_builds_of_one_base_at_the_same_time_both_end_well(tmp_path):
    write_base(tmp_path / "base")
    settings = {"folder": str(tmp_path / "base"), "pooling": "mean", "max_length": 64}
    command = [sys.executable, "-m", "workflow.scripts.download_model", "--hub", ""]
    command += ["--settings", json.dumps(settings)]
    command += ["--output", str(tmp_path / "made/record.json")]
    environment = {name: value for name, value in os.environ.items() if name != "SLURM_JOB_ID"}
    with exclusive(tmp_path / "made"):
        both = [
            subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True)
            for _ in range(2)
        ]
        for process in both:
            line = process.stderr.readline()
            assert line.startswith("waiting for node") and f"pid {os.getpid()}" in line
        assert not (tmp_path / "made/model").exists()
    said = [process.communicate(timeout=120)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert all("made " in text for text in said)
    checked(tmp_path / "made/record.json")


@dataclass(frozen=True)
class Share:
    share: float


@dataclass(frozen=True)
class Machine:
    precision: Literal["fp32", "bf16"]
    stop_at: float | None = None


NEEDED = ["--settings", '{"share": 0.5}', "--precision", "fp32", "--folds", "a", "b"]


def given(*words):
    """Return what a program's function gets from a command line."""
    found = []

    @program("what it does")
    def main(settings: Share, machine: Machine, folds: Sequence[str], dev: Sequence[str] = ()):
        found.extend([settings, machine, folds, dev])

    main(list(words))
    return found


def test_a_program_has_a_flag_for_each_parameter_and_each_field_of_a_group():
    assert given(*NEEDED) == [Share(0.5), Machine("fp32", None), ["a", "b"], ()]
    assert given(*NEEDED, "--stop-at", "1.8e9", "--dev")[1:] == [
        Machine("fp32", 1.8e9),
        ["a", "b"],
        [],
    ]


@pytest.mark.parametrize(
    "words", [NEEDED[2:], NEEDED[:4], [*NEEDED, "--precision", "fp8"], [*NEEDED, "--more", "1"]]
)
def test_a_program_refuses_a_missing_flag_an_unknown_one_and_an_unknown_word(words):
    with pytest.raises(SystemExit) as end:
        given(*words)
    assert end.value.code == 2


def test_a_program_refuses_settings_that_do_not_fit_their_type():
    with pytest.raises(InputError, match="settings.part: unknown key"):
        given("--settings", '{"share": 0.5, "part": 1}', *NEEDED[2:])


@pytest.mark.parametrize(
    "script",
    [
        "evaluate_faq",
        "evaluate_transfer",
        "evaluate_relatedness",
        "embed",
        "mine_negatives",
        "train",
        "collect_scores",
    ],
)
def test_numpy_computes_with_one_thread_however_many_snakemake_gives_the_job(script):
    """Its products sum in another order with other threads; OpenBLAS reads the variable when NumPy is loaded."""
    program = (
        "import os, sys\n"
        "def note(event, found):\n"
        "    if event == 'import' and found[0] == 'numpy':\n"
        "        print(os.environ['OPENBLAS_NUM_THREADS'])\n"
        "sys.addaudithook(note)\n"
        f"import workflow.scripts.{script}\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "7"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(done.stdout.split()) == {"1"}
