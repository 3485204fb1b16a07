"""``python -m semblance COMMAND ...``: hand over to the program ``workflow/scripts/COMMAND.py``.

The one place of the package that knows of a script; it holds no thought of its own.
"""

import importlib
import sys

COMMANDS = ("check", "verify", "explain", "sources")


def main() -> None:
    """Run the named command with the arguments that follow it."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in COMMANDS:
        sys.exit(
            f"usage: semblance {{{','.join(COMMANDS)}}} ...  (semblance COMMAND --help says more)"
        )
    script = importlib.import_module(f"workflow.scripts.{name}")
    importlib.import_module("workflow.scripts.endings").run(lambda: script.main(sys.argv[2:]))


if __name__ == "__main__":
    main()
