"""The tiny world as commands, for tests that start real processes."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.dag.tiny import ROOT


@dataclass
class Commands:
    """A tiny world on disk: each training as a script and its arguments, relative to ``folder``."""

    folder: Path
    trainings: dict[str, tuple[str, list[str]]]

    def train(
        self,
        name: str,
        output: Path,
        *,
        steps: int = 1,
        cwd: Path | None = None,
        check: bool = True,
        **environment: str,
    ) -> subprocess.CompletedProcess:
        """Train in a process of its own; returns how it ended."""
        script, arguments = self.trainings[name]
        command = [
            sys.executable,
            "-m",
            f"workflow.scripts.{script}",
            *arguments,
            "--checkpoint-minutes",
            "1000",
            "--checkpoint-steps",
            str(steps),
            "--output",
            str(output / "record.json"),
        ]
        if cwd is not None:  # the inputs' paths are relative to the world
            command = [
                str(self.folder / part) if part.startswith("made/") else part for part in command
            ]
        done = subprocess.run(
            command,
            cwd=cwd or self.folder,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "TQDM_DISABLE": "1", **environment},
        )
        if check:
            assert done.returncode == 0, done.stderr
        return done


@pytest.fixture(scope="session")
def world(tmp_path_factory) -> Commands:
    folder = tmp_path_factory.mktemp("tiny") / "world"
    done = subprocess.run(
        [sys.executable, "-m", "tests.reliability.world", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "TQDM_DISABLE": "1"},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return Commands(folder, json.loads((folder / "trainings.json").read_text()))
