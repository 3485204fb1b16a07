"""Explain one cell of a table, or the verdict on one claim, in a few lines.

TABLE ROW COLUMN: how the cell came to be, and how to compute it again. CLAIM, its name or some of
its words: the rows compared, their interval, the rule, and what would change the verdict. With
--all, or of an answerer (the faq of a trained FAQ): all that it was made from, step by step, each
file checked against its digest; exit status 1 if one is not as its record says.
"""

import argparse
import contextlib
import json
import os
import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

from semblance.audit.chain import Chain
from semblance.audit.explain import (
    SOUND,
    Place,
    Step,
    all_tables,
    answerers,
    explain,
    explain_answerer,
    find_cell,
    problems,
)
from semblance.audit.kept import RECORDS, laid_out
from semblance.audit.summary import cell_summary, claim_summary
from semblance.counts import counted
from semblance.errors import InputError
from semblance.reporting.claims import Claims, read_claims
from semblance.reporting.judging import judge
from semblance.reporting.published import PAPERS, read_published
from workflow.scripts import cli
from workflow.scripts.endings import run
from workflow.status.started import last_output

WIDTH = 100
BEFORE = 11  # characters before a text
DIGITS = 16  # of a digest, in the text; the JSON has it whole
FEW = 2  # so many files of a record are named in the text, the rest counted
SHORT = 20  # characters of a fact that is printed again


def to_json(node: Step) -> str:
    """Return the whole tree as JSON."""
    text = json.dumps(asdict(node), indent=1, ensure_ascii=False, allow_nan=False)
    return f"{text}\n"


def to_text(tree: Step) -> str:
    """Return the tree as indented lines, each record and each fact once."""
    return "\n".join(_lines(tree, "", set())) + "\n"


def _lines(node: Step, indent: str, shown: set[str]) -> Iterator[str]:
    """Yield the lines of a node and of all below it; ``shown``: records and facts so far."""
    seen = "(as above)" if node.record in shown else ""
    yield from _wrapped(indent, " ".join(filter(None, (node.name, node.record, seen))))
    if seen:
        return
    shown |= {node.record} - {""}
    inner = f"{indent}  "
    yield from _file_lines(node, inner)
    for name, value in node.facts.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield from _wrapped(inner, f"{name}  {'as above' if text in shown else text}")
        shown |= {text} if len(text) > SHORT else set()
    for source in node.sources:
        yield from _lines(source, inner, shown)


def _file_lines(node: Step, indent: str) -> Iterator[str]:
    """Yield a line for the first few files, weights before others, and for each wrong file."""
    files = sorted(node.files, key=lambda file: not file["file"].endswith(".safetensors"))
    others: Counter[str] = Counter()
    for number, file in enumerate(files):
        if number >= FEW and file["state"] in SOUND:
            others[file["state"]] += 1
            continue
        path = file["file"]
        if node.record:
            path = os.path.relpath(path, Path(node.record).parent)
        yield f"{indent}{file['state']}  sha256 {file['sha256'][:DIGITS]}  {path}"
    for state, number in others.items():
        yield f"{indent}{state}  {counted(number, 'file')} more"


def _wrapped(indent: str, text: str) -> list[str]:
    behind = {"initial_indent": indent, "subsequent_indent": f"{indent}    "}
    return textwrap.wrap(text, WIDTH, **behind, break_on_hyphens=False, break_long_words=False)


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance explain", __doc__)
    flags.add_argument("name", metavar="TABLE|CLAIM", help="a table, a claim or an answerer")
    flags.add_argument("row", nargs="?", help="the row's label, or its method")
    flags.add_argument("column", nargs="?", help="the column, as in the table's header")
    cli.add_run(flags)
    flags.add_argument(
        "--downloads", type=Path, help="its downloads, if they lie elsewhere than the records say"
    )
    flags.add_argument("--all", action="store_true", help="every step and file behind it")
    flags.add_argument("--json", action="store_true", help="the same as JSON, with whole digests")
    return flags


def main(argv: list[str] | None = None) -> None:
    args = parser().parse_args(argv)
    results = args.output or last_output()
    with _chain(Path(results), args.downloads) as chain:
        if args.column is None and args.row is not None:
            raise InputError(
                args.row, "a row without a column", "name one of the table's header, too"
            )
        if args.column is None and args.name not in answerers(chain):
            print(_claim_text(chain, args.name, args.all, args.json))
            return
        if args.column is None:
            tree, text = explain_answerer(chain, args.name), ""
        else:
            place = find_cell(chain, args.name, args.row, args.column)
            tree = explain(chain, place)
            text = _cell_text(chain, place, tree, results)
        if args.json:
            text = to_json(tree)
        elif args.all or not text:
            text = to_text(tree)
        # A kept run is laid out in a temporary place.
        print(text.replace(str(chain.root), str(results)), end="")
    if problems(tree):
        sys.exit(1)


def _chain(results: Path, downloads: Path | None) -> contextlib.AbstractContextManager[Chain]:
    if (results / RECORDS).is_file():
        return laid_out(results)
    return contextlib.nullcontext(Chain(results, downloads))


def _cell_text(chain: Chain, place: Place, tree: Step, results: str) -> str:
    """Return the short form of a cell, with the command that computes it again."""
    lines = [
        *cell_summary(chain, place, tree),
        ("again", f"semblance verify --output {results}"),
    ]
    return "\n".join([place.name, *_aligned(lines), ""])


def _claim_text(chain: Chain, words: str, every: bool, as_json: bool) -> str:
    """Return the verdicts on the claim of a name, or of some of its words."""
    papers = sorted(chain.root.glob("logs/*.yaml")) or PAPERS  # a kept run has its own
    claims = read_claims(papers)
    chosen = {
        name: claim
        for name, claim in claims.by_name.items()
        if words in (name, claim.table) or words.casefold() in claim.says.casefold()
    }
    if words in chosen:
        chosen = {words: claims.by_name[words]}
    if len(chosen) != 1:
        known = ", ".join(chosen or answerers(chain)) or "those of tables/claims.csv"
        problem = f"{len(chosen)} claims" if chosen else "no such claim or answerer"
        raise InputError(words, problem, f"known are {known}; of a table, name row and column, too")
    tables = all_tables(chain)
    printed = read_published(papers)
    judged = judge(Claims(chosen, claims.paths), tables, printed)
    if as_json:
        return json.dumps([asdict(judgement) for judgement in judged], allow_nan=False)
    return "\n".join([*chosen, *_aligned(claim_summary(judged, tables, printed, every))])


def _aligned(lines: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield texts behind what they say, as wide as the terminal."""
    width = min(WIDTH, shutil.get_terminal_size().columns)
    for word, text in lines:
        yield textwrap.fill(
            f"{word:<{BEFORE}}{text}",
            width,
            initial_indent="  ",
            subsequent_indent=" " * (BEFORE + 2),
            break_on_hyphens=False,
            break_long_words=False,
        )


if __name__ == "__main__":
    run(main)
