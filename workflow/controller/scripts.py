"""How the programs of workflow/scripts are started from any working folder."""

import os
import shlex
from pathlib import Path

from semblance.provenance import ROOT

PACKAGE = "workflow.scripts"


def shell_command(python: str) -> str:
    """Return the beginning of a shell command that ends with the name of a script.

    From another folder than the project's, Python learns where the project is, and (-P) to take no
    module of the working folder for one of the project's.
    """
    if Path.cwd() == ROOT:
        return f"{shlex.quote(python)} -m {PACKAGE}"
    path = shlex.quote(str(ROOT)) + '"${PYTHONPATH:+:$PYTHONPATH}"'
    return f"PYTHONPATH={path} {shlex.quote(python)} -P -m {PACKAGE}"


def environment() -> dict[str, str]:
    """Return the environment variables of this process, with the project on Python's path."""
    before = os.environ.get("PYTHONPATH")
    path = str(ROOT)
    if before:
        path = f"{path}{os.pathsep}{before}"
    return {**os.environ, "PYTHONPATH": path}
