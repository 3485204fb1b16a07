"""Explain one cell of a table, or the verdict on one claim, in a few lines.

TABLE ROW COLUMN: how the cell came to be, and how to compute it again. CLAIM, its name or some of
its words: the rows compared, their interval, the rule, and what would change the verdict. Another
result (the faq of a trained FAQ): how well it did. With --all: everything behind it, step by
step, each file checked against its digest; exit status 1 if one is not as its record says.
"""

import argparse
import contextlib
import json
import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

from semblance.audit.chain import Chain
from semblance.audit.explain import Step, explain, find_cell, problems
from semblance.audit.kept import RECORDS, laid_out
from semblance.audit.summary import Line, cell_lines, claim_lines, explain_claim, file_lines
from semblance.errors import InputError
from workflow.extensions import extensions
from workflow.run.started import last_output
from workflow.scripts import cli

WIDTH = 100
BEFORE = 11  # characters before a text
DIGITS = 16  # of a digest, in the text; the JSON has it whole
SHORT = 20  # characters of a fact that is printed again


def to_text(tree: Step) -> str:
    """Return the tree as indented lines, each record and each fact once."""
    return "\n".join(_steps(tree, "", set()))


def _steps(step: Step, indent: str, shown: set[str]) -> Iterator[str]:
    """Yield the lines of a step and of all below it; ``shown``: records and facts so far."""
    seen = "(as above)" if step.record in shown else ""
    yield _wrapped(" ".join(filter(None, (step.name, step.record, seen))), indent, f"{indent}    ")
    if seen:
        return
    shown |= {step.record} - {""}
    inner = f"{indent}  "
    for file in step.files:
        path = file["file"]
        if step.record:
            path = os.path.relpath(path, Path(step.record).parent)
        yield f"{inner}{file['state']}  sha256 {file['sha256'][:DIGITS]}  {path}"
    for name, value in step.facts.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        again = "as above" if text in shown else text
        yield _wrapped(f"{name}  {again}", inner, f"{inner}    ")
        shown |= {text} if len(text) > SHORT else set()
    for source in step.sources:
        yield from _steps(source, inner, shown)


def _wrapped(text: str, indent: str, behind: str, width: int = WIDTH) -> str:
    whole = {"break_on_hyphens": False, "break_long_words": False}  # a path is one word
    return textwrap.fill(text, width, initial_indent=indent, subsequent_indent=behind, **whole)


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance explain", __doc__)
    flags.add_argument("name", metavar="TABLE|CLAIM", help="a table, a claim or another result")
    flags.add_argument("row", nargs="?", help="the row's label, or its method")
    flags.add_argument("column", nargs="?", help="the column, as in the table's header")
    cli.add_run(flags)
    flags.add_argument(
        "--downloads", type=Path, help="its downloads, if they lie elsewhere than the records say"
    )
    flags.add_argument("--all", action="store_true", help="every step and file behind it")
    flags.add_argument("--json", action="store_true", help="the same as JSON, with whole digests")
    return flags


def main(argv: list[str]) -> None:
    args = parser().parse_args(argv)
    results = args.output or last_output()
    chained = contextlib.nullcontext
    is_kept = Path(results, RECORDS).is_file()
    with laid_out(Path(results)) if is_kept else chained(Chain(results, args.downloads)) as chain:
        tree, lines = _explained(chain, args.name, args.row, args.column)
        if args.json:
            text = json.dumps(asdict(tree), indent=1, ensure_ascii=False, allow_nan=False)
        elif args.all:
            text = to_text(tree)
        else:
            width = min(WIDTH, shutil.get_terminal_size().columns)
            said = [*lines, ("again", f"semblance verify --output {results}")]
            behind = " " * (BEFORE + 2)
            told = [_wrapped(f"{word:<{BEFORE}}{rest}", "  ", behind, width) for word, rest in said]
            text = "\n".join([tree.name, *told])
        print(text.replace(str(chain.root), str(results)))  # that of a kept run is temporary
    if problems(tree):
        sys.exit(1)


def _explained(
    chain: Chain, name: str, row: str | None, column: str | None
) -> tuple[Step, Iterable[Line]]:
    """Return all that is behind a cell, a claim or another result, and the lines that sum it up."""
    if row and column:
        place = find_cell(chain, name, row, column)
        tree = explain(chain, place)
        return tree, cell_lines(chain, place, tree)
    if row:
        raise InputError(row, "a row without a column", "name one of the table's header, too")
    for each in extensions("explain"):
        if name in each.records(chain):
            tree = each.explained(chain, name)
            return tree, [*tree.facts.items(), *file_lines(tree)]
    tree = explain_claim(chain, name)
    return tree, claim_lines(tree)
