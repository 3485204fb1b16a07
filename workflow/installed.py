"""The program `semblance`, of an installed package or of a checkout: it works from any folder.

Standard library only. The folder that holds the project becomes a part of Python's path for this
process and those that it starts: no other program sees its modules.
"""

import importlib
import os
import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def write_launcher(path: str) -> None:
    """Write the program of a checkout: a shell script that runs this file by this Python."""
    line = shlex.join([sys.executable, "-P", str(Path(__file__).resolve())])
    Path(path).write_text(f'#!/bin/sh\nexec {line} "$@"\n', encoding="utf-8")
    Path(path).chmod(0o755)


def main() -> None:
    """Run the command line of the project."""
    if os.pathsep in str(ROOT):
        sys.exit(f"error: {ROOT}: no {os.pathsep} may stand in the path; move it elsewhere")
    sys.path.insert(0, str(ROOT))
    others = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), others]))
    importlib.import_module("semblance.__main__").main()


if __name__ == "__main__":
    main()
