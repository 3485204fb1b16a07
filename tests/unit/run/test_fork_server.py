"""A program whose work a child of the fork server does ends as it would by itself, however it ends."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from semblance.provenance import ROOT
from workflow.fork_client import SERVER
from workflow.run import fork_server

PROGRAM = "tests.unit.run.trials.job"
pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="no pidfd: not Linux")


NOTED = "PYTEST_CURRENT_TEST"  # another variable in each test


def begin(programs: list[str], log: Path) -> subprocess.Popen:
    noted = os.environ.pop(NOTED)
    try:
        return fork_server.start(programs, log)
    finally:
        os.environ[NOTED] = noted


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server that has loaded NumPy and torch; programs started in this process's environment use it."""
    log = tmp_path_factory.mktemp("server") / "log"
    process = begin([], log)
    yield process
    assert log.read_text().replace("other variables: OF_THE_USER\n", "") == ""
    os.environ.pop(SERVER, None)
    process.stdin.close()
    process.wait(10)


@pytest.fixture
def own_server(tmp_path, monkeypatch, request):
    """A server for one test, which may end it, and may name programs that it loads."""
    monkeypatch.setenv(SERVER, "")
    process = begin(getattr(request, "param", []), tmp_path / "log")
    yield process
    process.kill()
    process.wait()
    process.stdin.close()


def start(action: str, note: Path, *arguments: str, **more) -> subprocess.Popen:
    command = [sys.executable, "-P", "-m", PROGRAM, action, str(note), *arguments]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **more.pop("variables", {})}
    del variables[NOTED]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, env=variables, text=True, **pipes, **more)


def facts_of(note: Path) -> dict:
    deadline = time.monotonic() + 60
    while not note.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return json.loads(note.read_text())


def is_alive(pid: int) -> bool:
    """Tell whether a process runs; one that has ended and is not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def ends(pid: int) -> bool:
    deadline = time.monotonic() + 10
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_alive(pid)


def test_a_child_has_the_arguments_the_folder_and_the_files_of_its_program(server, tmp_path):
    more = {"cwd": tmp_path, "stdin": subprocess.PIPE}
    program = start("read", tmp_path / "note", "a b", "", "é\n", **more)
    printed, errors = program.communicate("from the input")
    facts = facts_of(tmp_path / "note")
    assert facts["parent"] == server.pid
    assert facts["arguments"] == ["a b", "", "é\n"]
    assert facts["folder"] == str(tmp_path)
    assert facts["input"] == "from the input"
    assert (printed, errors, program.returncode) == ("to the output\n", "to the errors\n", 0)


@pytest.mark.parametrize(
    "action, status, shown",
    [
        *((f"end {status}", status, "") for status in (0, 2, 75, 130)),
        ("fail", 1, "RuntimeError: a mistake of the program"),
        ("die", -signal.SIGKILL, ""),
    ],
)
def test_a_program_ends_as_its_child_does(server, tmp_path, action, status, shown):
    name, *arguments = action.split()
    program = start(name, tmp_path / "note", *arguments)
    _, errors = program.communicate()
    assert facts_of(tmp_path / "note")["parent"] == server.pid
    assert program.returncode == status and shown in errors
    assert ('trials/job.py", line' in errors) == bool(shown)


@pytest.mark.parametrize(
    "number, status", [(signal.SIGTERM, -signal.SIGTERM), (signal.SIGINT, 130)]
)
def test_a_signal_to_the_program_is_one_to_the_child(server, tmp_path, number, status):
    program = start("wait", tmp_path / "note")
    child = facts_of(tmp_path / "note")
    program.send_signal(number)
    program.communicate(timeout=20)
    assert program.returncode == status
    assert ends(child["pid"])


def test_a_killed_program_takes_its_child_and_what_that_has_started_with_it(server, tmp_path):
    program = start("start-another", tmp_path / "note")
    child = facts_of(tmp_path / "note")
    assert is_alive(child["pid"]) and is_alive(child["started"])
    program.kill()
    assert ends(child["pid"]) and ends(child["started"])
    program.communicate()


def test_each_child_draws_other_numbers(server, tmp_path):
    drawn = []
    for name in "ab":
        start("end", tmp_path / name, "0").communicate()
        drawn += facts_of(tmp_path / name)["drawn"]
    assert len(set(drawn)) == 4


def test_a_child_computes_in_several_threads_what_the_program_computes_by_itself(server, tmp_path):
    forked, _ = start("compute", tmp_path / "forked").communicate(timeout=60)
    alone, _ = start("compute", tmp_path / "alone", variables={SERVER: ""}).communicate()
    assert facts_of(tmp_path / "forked")["parent"] == server.pid
    assert facts_of(tmp_path / "alone")["parent"] == os.getpid()
    assert forked == alone
    assert forked.endswith(" 2\n")


@pytest.mark.parametrize(
    "variables, is_forked",
    [({"OMP_NUM_THREADS": "7", "TMPDIR": "/tmp"}, True), ({"OF_THE_USER": "new"}, False)],
)
def test_a_program_with_other_variables_than_those_of_a_job_starts_by_itself(
    server, tmp_path, variables, is_forked
):
    start("end", tmp_path / "note", "0", variables=variables).communicate()
    facts = facts_of(tmp_path / "note")
    assert facts["parent"] == (server.pid if is_forked else os.getpid())
    assert facts["variable"] == variables.get("OF_THE_USER")


def test_a_program_whose_server_is_killed_begins_again_by_itself(own_server, tmp_path):
    program = start("wait-in-a-child", tmp_path / "note", "last")
    child = facts_of(tmp_path / "note")
    assert child["parent"] == own_server.pid
    (tmp_path / "note").unlink()
    own_server.kill()
    assert ends(child["pid"])
    program.communicate(timeout=60)
    assert facts_of(tmp_path / "note")["parent"] == os.getpid()
    assert program.returncode == 0


def test_a_program_that_got_a_signal_does_not_begin_again(own_server, tmp_path):
    program = start("wait", tmp_path / "note")
    facts_of(tmp_path / "note")
    own_server.send_signal(signal.SIGSTOP)  # it hands nothing on
    program.terminate()
    time.sleep(0.3)
    own_server.kill()
    program.communicate(timeout=20)
    assert program.returncode == -signal.SIGTERM


def test_the_server_ends_after_its_last_child_when_the_controller_is_gone(own_server, tmp_path):
    program = start("wait", tmp_path / "note")
    child = facts_of(tmp_path / "note")
    folder = Path(os.environ[SERVER]).parent
    own_server.stdin.close()
    late = start("end", tmp_path / "late", "0")
    late.communicate()
    assert facts_of(tmp_path / "late")["parent"] == os.getpid()
    assert own_server.poll() is None
    os.kill(child["pid"], signal.SIGTERM)
    program.communicate()
    assert program.returncode == -signal.SIGTERM
    assert own_server.wait(20) == 0
    assert not folder.exists()


SCRIPTS = ROOT.glob("workflow/scripts/*.py")
STAGES = [path.stem for path in SCRIPTS if "@program" in path.read_text()]


@pytest.mark.parametrize("own_server", [STAGES], indirect=True, ids=["all"])
def test_with_the_programs_of_all_stages_loaded_the_server_has_one_thread(own_server, tmp_path):
    start("end", tmp_path / "note", "0").communicate()
    assert (tmp_path / "log").read_text() == ""
    assert facts_of(tmp_path / "note")["parent"] == own_server.pid


def test_where_the_socket_has_no_place_no_server_starts(tmp_path, monkeypatch):
    """A path of a socket has 107 bytes at most."""
    long = tmp_path / ("x" * 100)
    long.mkdir()
    monkeypatch.setattr(fork_server.tempfile, "tempdir", str(long))
    monkeypatch.delenv(SERVER, raising=False)
    with pytest.raises(OSError, match="path too long"):
        fork_server.start([], tmp_path / "log")
    assert SERVER not in os.environ
