"""``python -m semblance COMMAND ...``: hand over to the program ``workflow/scripts/COMMAND.py``.

The one place of the package that knows of a script; it holds no thought of its own.
"""

import ast
import importlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = ("check", "report", "verify", "explain", "sources", "fetch")
USAGE = f"usage: semblance {{{','.join(COMMANDS)}}} ...  (semblance --help says what each does)"


def main() -> None:
    """Run the named command with the arguments that follow it."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name in ("-h", "--help"):
        print(describe())
    elif name == "--version":
        print(importlib.import_module("semblance.version").version())
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


if __name__ == "__main__":
    main()
