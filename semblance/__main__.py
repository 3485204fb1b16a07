"""``python -m semblance COMMAND ...``: hand over to its program in ``workflow/scripts``.

The one place of the package that knows of a script; it holds no thought of its own.
"""

import ast
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from semblance.errors import BAD_INPUT, one_of

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = ROOT / "workflow" / "scripts"
# Each command with one example, in the groups and in the order of the help.
GROUPS = {
    "before a run": {
        "check": "semblance check configs/minilm.yaml",
        "sources": "semblance sources",
        "fetch": "semblance fetch --mirror /path/to/mirror",
        "plan": "semblance plan configs/minilm.yaml configs/minilm-cpu.yaml",
    },
    "a run": {
        "run": "semblance run configs/minilm.yaml --cores 4",
        "status": "semblance status --watch",
    },
    "its results": {
        "table": "semblance table rcl_table3",
        "report": "semblance report --output results",
        "explain": "semblance explain rcl_table4 rcl-4 Average",
        "verify": "semblance verify --output results",
        "keep": "semblance keep docs/runs/my-run --output results",
    },
    "your own data and models": {
        "faq": "semblance faq train my.csv --output my-faq",
        "score": "semblance score FOLDER",
        "compare": "semblance compare ours.csv theirs.csv",
        "try": "semblance try my_loss.py --against simcse",
        "doubt": "semblance doubt try-simcse --seeds 5",
    },
    "your shell": {"completion": "semblance completion bash"},
}
OF_OTHER_NAME = {"report": "page"}  # scripts of commands: a stage's program is called report
USAGE = "usage: semblance COMMAND ...\n       semblance --help | --version"


def main() -> None:
    """Run the named command with the arguments that follow it."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name in ("-h", "--help"):
        _run(lambda: print(describe()))
    elif not name:
        print(USAGE, file=sys.stderr)
        sys.exit(BAD_INPUT)
    elif name == "--version":
        _run(lambda: print(importlib.import_module("semblance.version").version()))
    else:
        _run(lambda: _script(name).main(sys.argv[2:]))


def _run(command: Callable[[], None]) -> None:
    """Run a command; an error that a user can mend, or a reader that has gone, ends it in one line."""
    importlib.import_module("workflow.scripts.endings").run(command)


def _script(name: str) -> ModuleType:
    return importlib.import_module(
        f"workflow.scripts.{script_of(one_of(name, 'command', commands()))}"
    )


def script_of(command: str) -> str:
    """Return the name of the script of a command."""
    return OF_OTHER_NAME.get(command, command)


def commands() -> tuple[str, ...]:
    """Return the names of the commands."""
    return tuple(name for group in GROUPS.values() for name in group)


def describe() -> str:
    """Return the help: for each command the first line of its script's own help, and an example."""
    paint = importlib.import_module("workflow.terminal").painter(sys.stdout)
    lines = [USAGE]
    for title, group in GROUPS.items():
        lines += ["", paint(title, "bold")]
        for name, example in group.items():
            lines += [f"  {name:<10}  {first_line(name)}", f"  {'':10}    {example}"]
    return "\n".join([*lines, "", "semblance COMMAND --help says more of a command."])


def first_line(name: str) -> str:
    """Return the first line of a script's own help; the script itself is not run."""
    text = SCRIPTS.joinpath(f"{script_of(name)}.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]


if __name__ == "__main__":
    main()
