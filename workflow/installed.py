"""The program `semblance` of an installed package: it runs the project from the folder that pip made.

Standard library only. That folder holds the project as a checkout does, and becomes a part of
Python's path for this process and those that it starts: no other program sees its modules.
"""

import importlib
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Run the command line of the project."""
    if os.pathsep in str(ROOT):
        sys.exit(f"error: {ROOT}: no {os.pathsep} may stand in the path; install it elsewhere")
    sys.path.insert(0, str(ROOT))
    os.environ.update(
        importlib.import_module("workflow.controller.fork_server").project_environment()
    )
    importlib.import_module("semblance.__main__").main()
