"""A user's own FAQ: one file of CSV, Excel or JSON lines, and if wanted one of users' queries.

Rows with the same question and answer are one entry. A query that stands at several entries is one
query, and all of them are right answers to it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from semblance.counts import counted
from semblance.data.faq import Faq, FaqPair, FaqQuery, in_bank_order, require_pairs
from semblance.data.text import bare_or_whole, filled, normalise, shows_nothing
from semblance.errors import InputError, at
from semblance_faq.read.columns import Columns
from semblance_faq.read.findings import Finding, Findings
from semblance_faq.read.html import has_html, shown_text
from semblance_faq.read.tables import Row, read_table, split_queries

QUERY_COLUMNS = Columns(("query", "id"))
SEVERAL = re.compile(r"[?？].*\w.*[?？]|\w.*[;；].*\w")  # what may be two wordings
NUMBERED = "which change as rows come and go: give it a column id"


def read_own(
    path: Path | str,
    given: Mapping[str, str | None] | None = None,
    queries_path: Path | str | None = None,
) -> Faq:
    """Read a user's FAQ, and the queries to it if they are in a file of their own.

    The name of a file says its format: ``.csv``, ``.tsv`` or JSON (``.jsonl``, ``.json``), plain or
    ``.gz``, or ``.xlsx``. Columns or keys: question, answer, and if wanted id (else the line
    number), group (else the question) and queries, other wordings, which become annotated queries:
    in one cell one a line or with ``|`` between them, in JSON a list. Answers keep their lines. The
    second file has the columns query and id. ``given`` names the columns of question and answer; else
    they are found by ``columns.NAMES``. What was recognised and found is the ``reading`` of the result.
    Raises InputError with file and line for what cannot be read.
    """
    findings = Findings()
    names = {role: name for role, name in (given or {}).items() if name is not None}
    columns = Columns(("question", "answer"), ("id", "group", "queries"), names)
    entries = read_entries(path, read_table(path, columns, findings), findings)
    pairs = require_pairs(entries.pairs.values(), at(path, 1))
    if queries_path is not None:
        for line, row in read_table(queries_path, QUERY_COLUMNS, findings):
            entries.add_query(queries_path, line, row)
        if all(key == str(line) for key, line in entries.rows.items()):
            findings.note(queries_path, f"ids are line numbers of {path}, {NUMBERED}")
    queries = entries.queries(findings)
    name = Path(str(path).removesuffix(".gz")).stem
    return Faq(name, pairs, queries, reading=findings.reading())


class WrittenQuery(NamedTuple):
    """A query of an entry, and where it stands."""

    text: str
    entry: str
    path: str
    line: int


@dataclass
class Entries:
    """The entries that were read so far, in the order of their rows.

    ``by_id`` maps each id that a row had to the id of its entry, which is another one if the row
    repeats an earlier row.
    """

    path: Path | str
    pairs: dict[str, FaqPair] = field(default_factory=dict)
    by_id: dict[str, str] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)  # the line of each id
    written: list[WrittenQuery] = field(default_factory=list)
    by_texts: dict[tuple[str, str], str] = field(default_factory=dict)
    of_html: int = 0  # answers that were HTML
    in_lines: list[int] = field(default_factory=list)  # wordings of each cell with one a line

    def add(self, line: int, row: dict[str, Any], findings: Findings) -> None:
        """Add a row; InputError with its line for a missing text or an id that stands twice."""
        asked, *wordings = _several(row.get("question"))
        told, *others = _several(row.get("answer"))
        question = _filled(asked, "question", self.path, line)
        in_one_line = _filled(told, "answer", self.path, line)
        answer = in_lines(_shown(told))
        self.of_html += has_html(told)
        if others:
            findings.add(Finding.OTHER_ANSWERS, self.path, line)
        key = _optional(row, "id", str(line), self.path, line)
        group = _optional(row, "group", question, self.path, line)
        if key in self.by_id:
            advice = f"see line {self.rows[key]}; a row without one has its number"
            problem = f"id {key!r} stands twice"
            raise InputError(at(self.path, line), problem, f"ids must be unique: {advice}")
        self.rows[key] = line
        entry = self.by_texts.setdefault((question, in_one_line), key)
        self.by_id[key] = entry
        if entry == key:
            self.pairs[key] = FaqPair(key, question, answer, group)
        else:
            findings.add(Finding.DUPLICATE, self.path, line, self.rows[entry])
        for wording in (*wordings, *self._wordings(row.get("queries"), line)):
            text = _filled(wording, "a query", self.path, line)
            if SEVERAL.search(text):
                findings.add(Finding.SEVERAL_QUERIES, self.path, line)
            self.written.append(WrittenQuery(text, entry, str(self.path), line))

    def _wordings(self, value: Any, line: int) -> list[Any]:
        """Return the wordings of a cell, and count it if they stand one a line."""
        if isinstance(value, str):
            wordings = split_queries(_shown(value))
            if "\n" in in_lines(_shown(value)):
                self.in_lines.append(len(wordings))
            return wordings
        if not isinstance(value, list | None):
            advice = 'write "queries": ["…", "…"]'
            raise InputError(at(self.path, line), "queries is not a list", advice)
        return value or []

    def add_query(self, path: Path | str, line: int, row: dict[str, Any]) -> None:
        """Add a row of the file of queries; InputError with its line for an unknown id."""
        text = _filled(row.get("query"), "query", path, line)
        key = _optional(row, "id", "", path, line)
        if not key:
            raise InputError(at(path, line), "id is empty", "write the id of the entry")
        spelled = (key, key.removesuffix(".0"), f"{key}.0")  # pandas writes ids beside a gap as 1.0
        key = next((each for each in spelled if each in self.by_id), key)
        if key not in self.by_id:
            advice = f"ids are those of the column id of {self.path}, or its line numbers"
            raise InputError(at(path, line), f"no entry has the id {key!r}", advice)
        self.written.append(WrittenQuery(text, self.by_id[key], str(path), line))

    def queries(self, findings: Findings) -> tuple[FaqQuery, ...]:
        """Return each query once, with all of its entries; its group is that of the first one."""
        by_text: dict[str, list[WrittenQuery]] = {}
        numbers: Counter[str] = Counter()  # of the queries of each entry
        ids: dict[str, str] = {}
        questions = {bare_or_whole(pair.question) for pair in self.pairs.values()}
        spelled: dict[str, WrittenQuery] = {}  # the first query of each bare text
        for query in self.written:
            numbers[query.entry] += 1
            ids.setdefault(query.text, f"{query.entry}-q{numbers[query.entry]}")
            places = by_text.setdefault(query.text, [])
            bare = bare_or_whole(query.text)
            like = spelled.setdefault(bare, query)
            alike = {
                Finding.REPEATED_QUERY: any(other.entry == query.entry for other in places),
                Finding.SHARED_QUERY: places,
                Finding.OWN_QUESTION: bare in questions,
                Finding.NEAR_QUERY: like.text != query.text,
            }
            kind = next((each for each, is_so in alike.items() if is_so), None)
            if kind is not None:
                first = (places or [like])[0]
                is_earlier = kind != Finding.OWN_QUESTION and first.path == query.path
                findings.add(kind, query.path, query.line, first.line * is_earlier)
            places.append(query)
        asked = []
        for text, places in by_text.items():
            owners = {query.entry: None for query in places}
            if len(owners) > 1:  # few have more than one: to look through the bank takes time
                owners = in_bank_order(owners, self.pairs)
            group = self.pairs[places[0].entry].group
            asked.append(FaqQuery(ids[text], text, group, tuple(owners)))
        return tuple(asked)


def read_entries(path: Path | str, rows: Iterable[Row], findings: Findings) -> Entries:
    """Return the entries of a file's rows, and note what is alike among them: each is kept."""
    entries = Entries(path)
    for line, row in rows:
        entries.add(line, row, findings)
    if entries.of_html:
        rows = len(entries.rows)
        findings.note(path, f"answers: HTML in {entries.of_html:,} of {rows:,}, read as text")
    if cells := entries.in_lines:
        told = f"{sum(cells):,} wordings, one a line in {counted(len(cells), 'cell')}"
        findings.note(path, f"queries: {told}")
    known: dict[tuple[Finding, str], tuple[str, int]] = {}
    for key, pair in entries.pairs.items():
        line = entries.rows[key]
        for kind, mark, text in (
            (Finding.OTHER_ANSWER, pair.question, key),
            (Finding.NEAR_QUESTION, bare_or_whole(pair.question), pair.question),
            (Finding.NEAR_ANSWER, bare_or_whole(pair.answer), normalise(pair.answer)),
        ):
            like, first = known.setdefault((kind, mark), (text, line))
            if like != text:
                findings.add(kind, path, line, first)
    return entries


def in_lines(text: str) -> str:
    """Return a text in its lines, the white space of each normalised; of blank lines one stays."""
    lines = map(normalise, text.splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _several(value: Any) -> list[Any]:
    """Return the values of a field, of a JSON list each, and an empty one of an empty list."""
    return (value or [""]) if isinstance(value, list) else [value]


def _shown(value: Any) -> Any:
    """Return a field's text, of HTML what it shows, and nothing of one that shows nothing."""
    if isinstance(value, str) and has_html(value):
        value = shown_text(value)
    return "" if isinstance(value, str) and shows_nothing(value) else value


def _filled(value: Any, name: str, path: Path | str, line: int) -> str:
    """Return what a field shows in one line; InputError as ``filled``, also where that is nothing."""
    return filled(_shown(value), name, path, line)


def _optional(row: dict[str, Any], name: str, default: str, path: Path | str, line: int) -> str:
    """Return an optional field as text; an empty one counts as absent, an integer as its digits."""
    value = row.get(name)
    if value is None or (isinstance(value, str) and not normalise(value)):
        return default
    if type(value) in (int, float) and value == int(value):  # bool is an int, too, and is refused
        value = str(int(value))
    return _filled(value, name, path, line)
