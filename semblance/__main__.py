"""``python -m semblance COMMAND ...``: hand over to the program ``workflow/scripts/COMMAND.py``.

The one place of the package that knows of a script; it holds no thought of its own.
"""

import ast
import importlib
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = ("check", "verify", "explain", "sources", "fetch")
USAGE = f"usage: semblance {{{','.join(COMMANDS)}}} ...  (semblance --help says what each does)"


def main() -> None:
    """Run the named command with the arguments that follow it."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name in ("-h", "--help"):
        print(describe())
    elif name == "--version":
        print(version())
    elif name not in COMMANDS:
        sys.exit(USAGE)
    else:
        script = importlib.import_module(f"workflow.scripts.{name}")
        importlib.import_module("workflow.scripts.endings").run(lambda: script.main(sys.argv[2:]))


def describe() -> str:
    """Return the help: a line for each command, the first one of its script's own help."""
    width = max(map(len, COMMANDS))
    lines = ["usage: semblance COMMAND ...", "       semblance --help | --version", ""]
    for name in COMMANDS:
        text = ROOT.joinpath("workflow", "scripts", f"{name}.py").read_text(encoding="utf-8")
        first = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
        lines.append(f"  {name:<{width}}  {first}")
    return "\n".join([*lines, "", "semblance COMMAND --help says more of a command."])


def version() -> str:
    """Return the version of pyproject.toml, and the commit where the project is a git checkout."""
    text = ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8")
    found = f"semblance {tomllib.loads(text)['project']['version']}"
    commit = _commit()
    if commit:
        found += f" (commit {commit})"
    return found


def _commit() -> str:
    """Return the commit of the checkout, with ``-dirty`` if files differ; empty if it has none."""
    if not ROOT.joinpath(".git").exists():
        return ""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        done = subprocess.run([*command, "--exclude=*"], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):  # no git here
        return ""
    return done.stdout.strip()


if __name__ == "__main__":
    main()
