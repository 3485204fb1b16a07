"""The tiny world as commands, for tests that start real processes."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.dag.tiny import ROOT, printed, run_module
from tests.reliability.world import Command, ending, result


@dataclass
class Commands:
    """A tiny world on disk: each training as a script and its arguments, relative to ``folder``."""

    folder: Path
    trainings: dict[str, Command]

    def command(self, name: str, output: Path, steps: int = 1) -> list[str]:
        """Return the words that train into a folder, with a checkpoint every ``steps`` steps."""
        script, arguments = self.trainings[name]
        program = [sys.executable, "-m", f"workflow.scripts.{script}"]
        return [*program, *arguments, *ending(output, steps)]

    def start(self, command: list[str], **environment: str) -> subprocess.Popen:
        """Start a command in the world's folder, with more environment variables if wished."""
        variables = {**os.environ, "PYTHONPATH": str(ROOT), "TQDM_DISABLE": "1", **environment}
        return subprocess.Popen(
            command, cwd=self.folder, env=variables, stderr=subprocess.PIPE, text=True
        )

    def run(self, command: list[str], **environment: str) -> tuple[int, str]:
        """Run a command in the world's folder; return its status and its standard error."""
        process = self.start(command, **environment)
        _, error = process.communicate()
        return process.returncode, error

    def train(self, name: str, output: Path, steps: int = 1, **environment: str) -> str:
        """Train in a process of its own, which must end well; return its standard error."""
        status, error = self.run(self.command(name, output, steps), **environment)
        assert status == 0, error
        return error


@pytest.fixture(scope="session")
def world(tmp_path_factory) -> Commands:
    folder = tmp_path_factory.mktemp("tiny") / "world"
    done = run_module(ROOT, "tests.reliability.world", str(folder))
    assert done.returncode == 0, printed(done)
    return Commands(folder, json.loads((folder / "trainings.json").read_text()))


@pytest.fixture(scope="session")
def reference(world, tmp_path_factory):
    """What a training of a name gives that nobody disturbs."""
    found = {}

    def of(name: str) -> dict:
        if name not in found:
            out = tmp_path_factory.mktemp("reference")
            world.train(name, out, steps=1000, PYTHONHASHSEED="0", TZ="UTC")
            found[name] = result(out)
        return found[name]

    return of
