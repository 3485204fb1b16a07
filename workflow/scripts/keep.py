"""Keep a finished run in a small folder: tables, report, records, scores and predictions.

Anyone can check it: semblance verify --output FOLDER. It holds no weights, and its config no absolute path.
"""

import argparse
from pathlib import Path

from semblance.audit.kept import keep
from workflow.run.started import last_output
from workflow.scripts import cli
from workflow.scripts.endings import run


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance keep", __doc__)
    flags.add_argument("folder", type=Path, help="where to keep it, such as docs/runs/NAME")
    cli.add_run(flags)
    return flags


def main(argv: list[str] | None = None) -> None:
    args = parser().parse_args(argv)
    results = args.output or last_output()
    keep(results, args.folder)
    print(f"kept {results}. Check it: semblance verify --output {args.folder}")


if __name__ == "__main__":
    run(main)
