"""From the choices in a log of questions to new wordings of a FAQ, and to the file that holds them.

A question becomes a wording of each entry that was chosen for it. It is compared with what is known
without case, white space, punctuation and format characters. What the FAQ itself says counts more
than the log: the question or a wording of one entry never becomes a wording of another.
"""

import csv
import io
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from semblance.counts import counted
from semblance.data.bare import bare
from semblance.data.faq import Faq
from semblance.data.text import filled, normalise
from semblance_faq.read.faq import QUERY_COLUMNS
from semblance_faq.read.findings import Findings, listed
from semblance_faq.read.tables import read_table
from semblance_faq.serve.log import QuestionsRead

MARK = "\ufeff"  # tells Excel that a file is UTF-8
# At its start a spreadsheet takes a cell for a formula, the wide forms in some languages.
FORMULA = tuple("=+-@＝＋－＠")
SHIELD = "'"  # before them makes it a text; the words of the wording stay
LONGEST_SHOWN = 60  # characters of a question in a line of what was found
Row = tuple[str, str]  # of the file: query, id


@dataclass
class Learned:
    """The new wordings of a log, and what else was found in it.

    ``ids`` maps each new wording to the entries that were chosen for it, in the order of the log.
    The other fields count choices or name questions.
    """

    ids: dict[str, list[str]] = field(default_factory=dict)
    unknown: Counter[str] = field(default_factory=Counter)  # ids that no entry has
    known: int = 0
    wordless: int = 0
    shared: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def rows(self) -> list[Row]:
        """Return a row for each new wording and entry."""
        return [(text, key) for text, ids in self.ids.items() for key in ids]

    def lines(self) -> Iterator[str]:
        """Yield what was found, in plain lines."""
        if self.unknown:
            total = counted(self.unknown.total(), "choice")
            yield f"{total} of ids that the FAQ no longer has, left out: {listed(list(self.unknown))}"
        if self.known:
            yield f"{counted(self.known, 'choice')} of a wording that its entry has already, or said before"
        if self.wordless:
            yield f"{counted(self.wordless, 'choice')} for a question without a word, left out"
        if self.shared:
            yield (
                f"contradictions: {len(self.shared):,} (different answers were chosen for one"
                f" question; each counts as right): {listed(self.shared)}"
            )
        if self.refused:
            yield (
                f"contradictions: {len(self.refused):,} (the question or a wording of one entry,"
                f" and another entry was chosen; left out): {listed(self.refused)}"
            )
        entries = len({key for ids in self.ids.values() for key in ids})
        of = counted(entries, "entry", "entries")
        yield f"{counted(len(self.ids), 'new wording')} of {of}"


def learn_wordings(faq: Faq, log: QuestionsRead) -> Learned:
    """Return the wordings of a log that a FAQ does not know yet."""
    answers = {pair.id: normalise(pair.answer) for pair in faq.pairs}
    owners: dict[str, set[str]] = {}  # bare text -> the entries whose question or wording it is
    for pair in faq.pairs:
        owners.setdefault(bare(pair.question), set()).add(pair.id)
    for query in faq.queries:
        owners.setdefault(bare(query.text), set()).update(query.relevant)
    found = Learned()
    chosen: dict[str, list[str]] = {}  # bare text -> the ids chosen for it
    spelled: dict[str, str] = {}  # bare text -> the text as it was asked first
    for choice in log.choices:
        text = plain_text(choice.question)
        key = bare(text)
        if choice.id not in answers:
            found.unknown[choice.id] += 1
        elif not key:
            found.wordless += 1
        elif choice.id in chosen.get(key, ()):
            found.known += 1
        else:
            spelled.setdefault(key, text)
            chosen.setdefault(key, []).append(choice.id)
    for key, ids in chosen.items():
        text = spelled[key]
        known = owners.get(key, set())
        new = [entry for entry in ids if entry not in known]
        found.known += len(ids) - len(new)
        if known and new:
            found.refused.append(f"{text:.{LONGEST_SHOWN}}")
        elif new:
            found.ids[text] = new
            if len({answers[entry] for entry in new}) > 1:
                found.shared.append(f"{text:.{LONGEST_SHOWN}}")
    return found


def plain_text(text: str) -> str:
    """Return a text without control characters, which have no meaning to a model."""
    kept = (" " if unicodedata.category(c) == "Cc" else c for c in text)
    return normalise("".join(kept))


def own_rows(queries_path: Path | str | None) -> list[Row]:
    """Return the rows of a file of queries that a user has already, as they stand there."""
    if queries_path is None:
        return []
    found = []
    for line, row in read_table(queries_path, QUERY_COLUMNS, Findings()):
        text = filled(row.get("query"), "query", queries_path, line)
        found.append((text, normalise(str(row.get("id", "")))))
    return found


def wordings_csv(rows: Iterable[Row]) -> str:
    """Return a file of queries: each cell in quotes, and none that a spreadsheet would compute."""
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(("query", "id"))
    for query, entry in rows:
        shield = SHIELD * query.startswith(FORMULA)
        writer.writerow((shield + query, entry))
    return MARK + text.getvalue()
