"""Scripts in a process that cannot even import its libraries: one line, never a traceback."""

import resource
from subprocess import CompletedProcess

import pytest

from tests.scripts.flags import python
from workflow.scripts.endings import LEAST_SPACE, TRY_AGAIN


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
