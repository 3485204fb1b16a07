"""Command lines of the programs and commands, for tests."""

import json
import os
import subprocess
import sys
from typing import Any

from semblance.provenance import ROOT


def flags(**given: Any) -> list[str]:
    """Return a flag for each keyword: a dict as JSON, a list as several words."""
    words = []
    for name, value in given.items():
        words.append(f"--{name.replace('_', '-')}")
        if isinstance(value, dict):
            value = json.dumps(value)
        words += map(str, value) if isinstance(value, list) else [str(value)]
    return words


def python(*arguments: str, **options: Any) -> subprocess.CompletedProcess:
    """Run Python in the project's folder; return what it printed, and how it ended."""
    options = {"cwd": ROOT, "capture_output": True, "text": True} | options
    return subprocess.run([sys.executable, *arguments], **options)


def start(*arguments: str, **options: Any) -> subprocess.Popen:
    """Start a command in the current folder, as the launcher does."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "semblance", *arguments]
    return subprocess.Popen(command, env=environment, text=True, **options)
