"""Show what one cell of a table was made from: seeds, predictions, weights, settings, data, code.

With one name alone: what this answerer, such as the faq of a trained FAQ, was made from.
Each of these files is checked against its digest; exit status 1 if one is not as its record says.
"""

import argparse
import sys
from pathlib import Path

from semblance.audit.explain import explain, explain_answerer, problems
from semblance.audit.origin_text import to_json, to_text
from semblance.errors import InputError
from workflow.scripts import cli
from workflow.scripts.endings import run
from workflow.status.started import last_output


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance explain", __doc__)
    flags.add_argument("name", metavar="table", help="the table's name, or that of an answerer")
    flags.add_argument("row", nargs="?", help="the row's label, or its method")
    flags.add_argument("column", nargs="?", help="the column, as in the table's header")
    cli.add_run(flags)
    flags.add_argument(
        "--downloads", type=Path, help="its downloads, if they lie elsewhere than the records say"
    )
    flags.add_argument("--json", action="store_true", help="print JSON, with whole digests")
    return flags


def main(argv: list[str] | None = None) -> None:
    args = parser().parse_args(argv)
    results = args.output or last_output()
    if args.row is None:
        tree = explain_answerer(results, args.name, args.downloads)
    elif args.column is None:
        raise InputError(args.row, "a row without a column", "name one of the table's header, too")
    else:
        tree = explain(results, args.name, args.row, args.column, args.downloads)
    form = to_json if args.json else to_text
    print(form(tree), end="")
    if problems(tree):
        sys.exit(1)


if __name__ == "__main__":
    run(main)
