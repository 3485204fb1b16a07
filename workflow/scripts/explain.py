"""Show what one cell of a table was made from: seeds, predictions, weights, settings, data, code.

With one name alone: what this answerer, such as the faq of a trained FAQ, was made from.
Each of these files is checked against its digest; exit status 1 if one is not as its record says.
"""

import argparse
import json
import os
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from semblance.audit.explain import CHECKED, Step, explain, explain_answerer, problems
from semblance.counts import counted
from semblance.errors import InputError
from workflow.scripts import cli
from workflow.scripts.endings import run
from workflow.status.started import last_output

WIDTH = 100
DIGITS = 16  # of a digest, in the text; the JSON has it whole
FEW = 4  # so many raw files are named in the text, the rest counted


def to_json(node: Step) -> str:
    """Return the whole tree as JSON."""
    text = json.dumps(asdict(node), indent=1, ensure_ascii=False, allow_nan=False)
    return f"{text}\n"


def to_text(node: Step) -> str:
    """Return the tree as indented lines.

    Each record is shown once; of settings like earlier ones only the differences are shown.
    """
    return "\n".join(_Text().lines(node, "")) + "\n"


class _Text:
    """Writes a tree as lines, and remembers what it has shown."""

    def __init__(self):
        self.records: set[str] = set()
        self.first: dict[tuple[str, frozenset], dict] = {}  # of settings with the same keys

    def lines(self, node: Step, indent: str) -> Iterator[str]:
        """Yield the lines of a node and of all below it."""
        shown_before = node.record in self.records
        words = [node.name, node.record, "(as above)" if shown_before else ""]
        yield from _wrapped(indent, " ".join(filter(None, words)))
        if shown_before:
            return
        if node.record:
            self.records.add(node.record)
        inner = f"{indent}  "
        yield from _file_lines(node, inner)
        for name, value in node.facts.items():
            yield from _wrapped(inner, f"{name}  {self._format_fact(name, value)}")
        for source in node.sources:
            yield from self.lines(source, inner)

    def _format_fact(self, name: str, value: Any) -> str:
        """Return a fact as text; of settings after the first, what differs from the first."""
        if name == "training":
            steps = f"step {value.get('step')}, best step {value.get('best_step')}"
            return f"{steps}, dev {value.get('best')}"
        if name == "code":
            return str(value)[:DIGITS]
        if not isinstance(value, dict):
            return str(value)
        first = self.first.setdefault((name, frozenset(value)), value)
        changed = {key: new for key, new in value.items() if new != first[key]}
        if first is value or len(changed) > len(value) / 2:
            return _one_line(value)
        if changed:
            return f"as above but {_one_line(changed)}"
        return "as above"


def _file_lines(node: Step, indent: str) -> Iterator[str]:
    """Yield a line for the weights, or else for the first few files, and for each wrong file."""
    weights = [file for file in node.files if file["file"].endswith(".safetensors")]
    chosen = weights or node.files[:FEW]
    named = [file for file in node.files if file in chosen or file["state"] != CHECKED]
    for file in named:
        path = file["file"]
        if node.record:
            path = os.path.relpath(path, Path(node.record).parent)
        yield f"{indent}{file['state']}  sha256 {file['sha256'][:DIGITS]}  {path}"
    if len(named) < len(node.files):
        yield f"{indent}{CHECKED}  {counted(len(node.files) - len(named), 'file')} more"


def _one_line(value: dict) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _wrapped(indent: str, text: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + "    ",
        break_on_hyphens=False,
        break_long_words=False,
    )


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
