"""How a script ends: one line, an exit status that says whether to try again, and in a Slurm job the node."""

import errno
import os
import re
import resource
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess
from typing import Literal
from unittest.mock import Mock

import pytest

from semblance.errors import InputError, NoGpu, OutOfTime
from semblance.locks import Busy
from tests.dag.tiny import ROOT
from tests.scripts.flags import python
from workflow.scripts.endings import LEAST_SPACE, TRY_AGAIN, record_of, run
from workflow.scripts.program import program

LATER = "results/models/x: out of time at step 3 of 9; saved, the next start goes on from here"
HELD = "another process writes here (node n2, pid 7); wait for it to end"


def ended(error):
    with pytest.raises(SystemExit) as end:
        run(Mock(side_effect=error))
    return end.value.code


@pytest.mark.parametrize("in_slurm", [False, True])
@pytest.mark.parametrize(
    "error, status, line",
    [
        (InputError("a.csv:3", "no such column", "name it"), 2, "a.csv:3: no such column; name it"),
        (OutOfTime(LATER), 75, LATER),
        (NoGpu("no GPU that this job can use"), 75, "no GPU that this job can use"),
        (Busy(errno.EAGAIN, HELD, "out"), 75, f"out: {HELD}, then start again"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_each_end_has_its_status_and_one_line_and_in_a_slurm_job_its_node(
    monkeypatch, capsys, error, status, line, in_slurm
):
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    if in_slurm:
        monkeypatch.setenv("SLURM_JOB_ID", "815")
        monkeypatch.setenv("SLURMD_NODENAME", "n3")
    assert ended(error) == status
    first, *others = capsys.readouterr().err.splitlines()
    assert first.startswith(f"error: {line}")
    assert others == ["node n3, Slurm job 815"] * in_slurm


def test_an_error_of_the_programs_own_names_its_node_too(monkeypatch, capsys):
    monkeypatch.setenv("SLURM_JOB_ID", "815")
    monkeypatch.delenv("SLURMD_NODENAME", raising=False)
    monkeypatch.setattr("workflow.scripts.endings.socket.gethostname", lambda: "n4")

    with pytest.raises(ZeroDivisionError):
        run(Mock(side_effect=ZeroDivisionError))
    assert capsys.readouterr().err == "node n4, Slurm job 815\n"


def limited(size: int, *arguments: str) -> CompletedProcess:
    """Run Python in so many bytes of address space."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))
    return python(*arguments, preexec_fn=limit, timeout=60)


@pytest.mark.parametrize("command", ["workflow.scripts.train", "semblance"])
def test_too_little_address_space_is_reported_in_one_line(command):
    arguments = ["verify", "--output", "results"] if command == "semblance" else ["--help"]
    done = limited(300 << 20, "-m", command, *arguments)
    assert done.returncode == TRY_AGAIN and done.stderr.count("\n") == 1
    assert done.stderr.startswith("error: the address space is limited to 300 MB")


def test_the_least_address_space_suffices_for_the_largest_imports():
    done = limited(LEAST_SPACE, "-m", "workflow.scripts.train", "--help")
    assert done.returncode == 0 and "usage" in done.stdout


def raising(error: str) -> CompletedProcess:
    """Let a script's import raise an error."""
    return python("-c", f"import workflow.scripts; raise {error}", timeout=60)


LIBRARY = "libx.so: failed to map segment from shared object"


@pytest.mark.parametrize(
    "error, status, told",
    [
        ("MemoryError()", TRY_AGAIN, "error: out of memory (MemoryError)"),
        ("RuntimeError('CUDA out of memory.')", TRY_AGAIN, "error: out of GPU memory (CUDA"),
        (f"ImportError('{LIBRARY}')", TRY_AGAIN, f"error: out of memory ({LIBRARY}"),
        ("OSError(30, 'Read-only file system', 'x')", 2, "error: x: Read-only file system"),
    ],
)
def test_an_error_of_an_import_ends_a_script_as_one_of_its_main_does(error, status, told):
    done = raising(error)
    assert (done.returncode, done.stderr.count("\n")) == (status, 1)
    assert done.stderr.startswith(told)


def test_a_mistake_of_the_program_keeps_its_traceback():
    done = raising("AttributeError('a mistake')")
    assert done.returncode == 1 and "Traceback" in done.stderr


@pytest.mark.parametrize(
    "line, record",
    [
        ("train --settings x --output results/m/record.json", "results/m/record.json"),
        ("collect_scores --output t/scores.csv --record t/r/scores.json", "t/r/scores.json"),
        ("plan --output results config.yaml", None),
        ("verify --output results", None),
        ("train --output", None),
    ],
)
def test_the_record_of_a_stage_is_found_on_its_command_line(line, record):
    found = record_of(line.split()[1:])
    assert found == (record and Path(record))


def test_every_rule_names_its_record_where_the_lock_looks_for_it():
    rules = "".join(path.read_text() for path in (ROOT / "workflow/rules").glob("*.smk"))
    commands = re.findall(r'"\{PYTHON\}\.(\w+) (.*?)2> >', rules, flags=re.DOTALL)
    names_record = re.compile(r"--(record|output) \{output\.record:q\}")
    assert len(commands) > 12
    assert [name for name, rest in commands if not names_record.search(rest)] == []


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
    _, *others = given(*NEEDED, "--stop-at", "1.8e9", "--dev")
    assert others == [Machine("fp32", 1.8e9), ["a", "b"], []]


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


def seen_when_loaded(library: str, variable: str, script: str, environment: dict) -> set[str]:
    """Return the values of a variable at the moments when a script loads a library."""
    program = (
        "import os, sys\n"
        "def note(event, found):\n"
        f"    if event == 'import' and found[0] == '{library}':\n"
        f"        print(os.environ.get('{variable}', 'unset'))\n"
        "sys.addaudithook(note)\n"
        f"import workflow.scripts.{script}\n"
    )
    return set(python("-c", program, env=environment, check=True).stdout.split())


@pytest.mark.parametrize("script", ["evaluate_transfer", "collect_scores"])
def test_numpy_computes_with_one_thread_however_many_snakemake_gives_the_job(script):
    """Its products sum in another order with other threads; OpenBLAS reads the variable when NumPy is loaded."""
    variable = "OPENBLAS_NUM_THREADS"
    assert seen_when_loaded("numpy", variable, script, os.environ | {variable: "7"}) == {"1"}


@pytest.mark.parametrize(
    "of_the_user, spins",
    [
        ({}, "10000"),
        ({"GOMP_SPINCOUNT": "7"}, "7"),
        ({"OMP_WAIT_POLICY": "passive"}, "unset"),
    ],
)
def test_threads_that_wait_spin_for_a_short_time_when_torch_is_loaded(of_the_user, spins):
    """OpenMP, which comes with torch, reads the variable when it is loaded."""
    names = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")
    others = {name: value for name, value in os.environ.items() if name not in names}
    assert seen_when_loaded("torch", "GOMP_SPINCOUNT", "train", others | of_the_user) == {spins}
