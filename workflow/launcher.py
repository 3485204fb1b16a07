"""Write the launcher `semblance` of a checkout: it runs the project from there, from any folder.

Standard library only. A checkout whose path PYTHONPATH cannot hold is refused in one line.
"""

import os
import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LINES = """#!/bin/sh
PYTHONPATH={checkout}"${{PYTHONPATH:+:$PYTHONPATH}}" exec {python} -P -m semblance "$@"
"""


def text(checkout: str, python: str) -> str:
    """Return the launcher, a shell script, of a checkout and of the Python that runs it."""
    return LINES.format(checkout=shlex.quote(checkout), python=shlex.quote(python))


def main() -> None:
    """Write the launcher to the path that the command line names."""
    path = Path(sys.argv[1])
    if os.pathsep in str(ROOT):
        sys.exit(f"error: {ROOT}: no {os.pathsep} may stand in the path; move the checkout")
    path.write_text(text(str(ROOT), sys.executable), encoding="utf-8")
    path.chmod(path.stat().st_mode | 0o111)


if __name__ == "__main__":
    main()
