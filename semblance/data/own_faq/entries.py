"""From the rows of a user's files to the entries of a FAQ and the queries to them.

Rows with the same question and answer are one entry. A query that stands at several entries is one
query, and all of them are right answers to it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from semblance.data.bare import bare_or_whole
from semblance.data.faq import FaqPair, FaqQuery, in_bank_order
from semblance.data.own_faq.findings import (
    DUPLICATE,
    NEAR_ANSWER,
    NEAR_QUERY,
    NEAR_QUESTION,
    OTHER_ANSWER,
    OWN_QUESTION,
    REPEATED_QUERY,
    SHARED_QUERY,
    Findings,
)
from semblance.data.own_faq.tables import Row
from semblance.data.own_faq.visible import shows_nothing
from semblance.data.text import filled, normalise
from semblance.errors import InputError, at


@dataclass(frozen=True)
class Asked:
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
    lines: dict[str, int] = field(default_factory=dict)  # of each entry
    rows: dict[str, int] = field(default_factory=dict)  # the line of each id
    numbered: set[str] = field(default_factory=set)  # ids that are line numbers
    asked: list[Asked] = field(default_factory=list)
    by_texts: dict[tuple[str, str], str] = field(default_factory=dict)

    def add(self, line: int, row: dict[str, Any], findings: Findings) -> None:
        """Add a row; InputError with its line for a missing text or an id that stands twice."""
        question = _filled(row.get("question"), "question", self.path, line)
        answer = _filled(row.get("answer"), "answer", self.path, line)
        key = _optional(row, "id", "", self.path, line)
        has_id = bool(key)
        key = key or str(line)
        group = _optional(row, "group", question, self.path, line)
        if key in self.by_id:
            raise self._repeated_id(line, key, has_id)
        self.rows[key] = line
        if not has_id:
            self.numbered.add(key)
        entry = self.by_texts.setdefault((question, answer), key)
        self.by_id[key] = entry
        if entry == key:
            self.pairs[key] = FaqPair(key, question, answer, group)
            self.lines[key] = line
        else:
            findings.add(DUPLICATE, self.path, line, self.lines[entry])
        for wording in _wordings(row.get("queries"), self.path, line):
            self.asked.append(Asked(wording, entry, str(self.path), line))

    def _repeated_id(self, line: int, key: str, has_id: bool) -> InputError:
        where = at(self.path, line)
        first = self.rows[key]
        if not has_id:
            problem = f"the row has no id, and its line number is the id of line {first}"
            return InputError(where, problem, "give each row an id, or none")
        if key in self.numbered:
            problem = f"id {key!r} is the line number of line {first}, whose row has no id"
            return InputError(where, problem, "give each row an id, or none")
        return InputError(
            where, f"id {key!r} stands twice", f"ids must be unique: see line {first}"
        )

    def add_query(self, path: Path | str, line: int, row: dict[str, Any]) -> None:
        """Add a row of the file of queries; InputError with its line for an unknown id."""
        text = _filled(row.get("query"), "query", path, line)
        key = _optional(row, "id", "", path, line)
        if not key:
            raise InputError(at(path, line), "id is empty", "write the id of the entry")
        if key not in self.by_id:
            advice = f"ids are those of the column id of {self.path}, or its line numbers"
            raise InputError(at(path, line), f"no entry has the id {key!r}", advice)
        self.asked.append(Asked(text, self.by_id[key], str(path), line))

    def queries(self, findings: Findings) -> tuple[FaqQuery, ...]:
        """Return each query once, with all of its entries; its group is that of the first one."""
        by_text: dict[str, list[Asked]] = {}
        numbers: dict[str, int] = {}
        ids: dict[str, str] = {}
        questions = {bare_or_whole(pair.question) for pair in self.pairs.values()}
        first: dict[str, Asked] = {}  # by the bare text
        for asked in self.asked:
            numbers[asked.entry] = numbers.get(asked.entry, 0) + 1
            ids.setdefault(asked.text, f"{asked.entry}-q{numbers[asked.entry]}")
            places = by_text.setdefault(asked.text, [])
            bare = bare_or_whole(asked.text)
            like = first.setdefault(bare, asked)
            _tell_query(asked, places, findings)
            _tell_spelling(asked, places, like, bare in questions, findings)
            places.append(asked)
        return tuple(self._query(ids[text], places) for text, places in by_text.items())

    def _query(self, identity: str, places: list[Asked]) -> FaqQuery:
        relevant = {asked.entry for asked in places}
        group = self.pairs[places[0].entry].group
        ordered = (places[0].entry,)
        if len(relevant) > 1:
            ordered = in_bank_order(relevant, self.pairs)
        return FaqQuery(identity, places[0].text, group, ordered)


def read_entries(path: Path | str, rows: Iterable[Row], findings: Findings) -> Entries:
    """Return the entries of a file's rows, and tell what is alike among them."""
    entries = Entries(path)
    for line, row in rows:
        entries.add(line, row, findings)
    _tell_alike(entries, findings)
    return entries


def _tell_alike(entries: Entries, findings: Findings) -> None:
    """Tell questions with another answer, and near-duplicates: kept, each as it stands."""
    questions: dict[str, int] = {}
    bare_questions: dict[str, tuple[str, int]] = {}
    bare_answers: dict[str, tuple[str, int]] = {}
    for key, pair in entries.pairs.items():
        line = entries.lines[key]
        first = questions.setdefault(pair.question, line)
        if first != line:
            findings.add(OTHER_ANSWER, entries.path, line, first)
        for kind, text, known in (
            (NEAR_QUESTION, pair.question, bare_questions),
            (NEAR_ANSWER, pair.answer, bare_answers),
        ):
            like, first = known.setdefault(bare_or_whole(text), (text, line))
            if like != text:
                findings.add(kind, entries.path, line, first)


def _tell_query(asked: Asked, before: list[Asked], findings: Findings) -> None:
    """Tell that a query stands a second time; ``before``: where it stood."""
    if any(other.entry == asked.entry for other in before):
        findings.add(REPEATED_QUERY, asked.path, asked.line, _first(asked, before))
    elif before:
        findings.add(SHARED_QUERY, asked.path, asked.line, _first(asked, before))


def _tell_spelling(
    asked: Asked, before: list[Asked], like: Asked, is_question: bool, findings: Findings
) -> None:
    """Tell that a query is a question of the FAQ, or another query, in the same or another spelling.

    ``like`` is the first query with the same bare text.
    """
    if before:
        return  # told where it stood first
    if is_question:
        findings.add(OWN_QUESTION, asked.path, asked.line)
    elif like.text != asked.text:
        findings.add(NEAR_QUERY, asked.path, asked.line, _first(asked, [like]))


def _first(asked: Asked, before: list[Asked]) -> int:
    """Return the line where something like a query stands first, 0 if that is another file."""
    if before[0].path == asked.path:
        return before[0].line
    return 0


def _wordings(value: Any, path: Path | str, line: int) -> list[str]:
    """Return the other wordings of an entry."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise InputError(at(path, line), "queries is not a list", 'write "queries": ["…", "…"]')
    return [_filled(wording, "a query", path, line) for wording in value]


def _filled(value: Any, name: str, path: Path | str, line: int) -> str:
    """Return a field's text as ``filled`` does; InputError also for one that shows nothing."""
    if isinstance(value, str) and shows_nothing(value):
        value = ""
    return filled(value, name, path, line)


def _optional(row: dict[str, Any], name: str, default: str, path: Path | str, line: int) -> str:
    """Return an optional field as text; an empty one counts as absent, an integer as its digits."""
    value = row.get(name)
    if value is None or (isinstance(value, str) and not normalise(value)):
        return default
    if type(value) is int:  # bool is an int, too, and is refused
        value = str(value)
    return _filled(value, name, path, line)
