"""A user's own FAQ: one CSV file, or one file of JSON lines."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from semblance.data.csv_text import read_csv
from semblance.data.faq import Faq, FaqPair, FaqQuery, add_unique, require_pairs
from semblance.data.json_lines import read_json_lines
from semblance.data.raw import Raw
from semblance.data.text import filled
from semblance.errors import InputError, at


def read(raw: Raw, path: str) -> Faq:
    """Read the file at a path: it is in no manifest."""
    return read_own(raw.user_file(path))


def read_own(path: Path | str) -> Faq:
    """Read a user's FAQ, named after the file: ``.csv`` or JSON lines (``.jsonl``), plain or ``.gz``.

    Columns or keys: question, answer, and if wanted id (else the line number) and group (else the
    question). JSON lines may add "queries", a list of other wordings, which become annotated queries.
    """
    plain = Path(str(path).removesuffix(".gz"))
    pairs: dict[str, FaqPair] = {}
    queries: list[FaqQuery] = []
    for line, row in _read_rows(path, plain.suffix):
        question = filled(row.get("question"), "question", path, line)
        answer = filled(row.get("answer"), "answer", path, line)
        key = _optional(row, "id", str(line), path, line)
        group = _optional(row, "group", question, path, line)
        pair = FaqPair(key, question, answer, group)
        add_unique(pairs, pair, path, line)
        if plain.suffix == ".jsonl":
            queries += _read_wordings(row, pair, path, line)
    return Faq(plain.stem, require_pairs(pairs.values(), at(path, 1)), tuple(queries))


def _read_rows(path: Path | str, suffix: str) -> Iterator[tuple[int, dict[str, Any]]]:
    if suffix == ".csv":
        return read_csv(path, ("question", "answer"))
    if suffix == ".jsonl":
        return read_json_lines(path)
    raise InputError(path, "neither .csv nor .jsonl", "name the file after its format")


def _read_wordings(
    row: dict[str, Any], pair: FaqPair, path: Path | str, line: int
) -> list[FaqQuery]:
    """Return the other wordings of a pair's question as queries."""
    wordings = row.get("queries", [])
    if not isinstance(wordings, list):
        raise InputError(at(path, line), "queries is not a list", 'write "queries": ["…", "…"]')
    queries = []
    for number, wording in enumerate(wordings, 1):
        text = filled(wording, "a query", path, line)
        queries.append(FaqQuery(f"{pair.id}-q{number}", text, pair.group, (pair.id,)))
    return queries


def _optional(row: dict[str, Any], name: str, default: str, path: Path | str, line: int) -> str:
    """Return an optional field as text; an empty one counts as absent, an integer as its digits."""
    value = row.get(name)
    if value is None or value == "":
        return default
    if type(value) is int:  # bool is an int, too, and is refused
        value = str(value)
    return filled(value, name, path, line)
