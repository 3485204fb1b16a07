"""The questions of a log that was written anywhere: one a line, a table, or what our server writes."""

import unicodedata
from collections.abc import Iterable

from semblance.counts import counted
from semblance.data.text import bare, normalise
from semblance.errors import InputError
from semblance.files import open_regular
from semblance_faq.answer.questions import LONGEST
from semblance_faq.read.columns import Columns
from semblance_faq.read.findings import Findings
from semblance_faq.read.tables import is_table, read_table
from semblance_faq.read.text import read_text
from semblance_faq.serve.log import START, read_log

COLUMNS = Columns(("query",))


def read_asked(path: str) -> tuple[dict[str, int], list[str]]:
    """Return how often each question of a log was asked, and what was found, in lines.

    Questions that differ in case, white space and punctuation alone are one, as it was asked first.
    InputError for a file that cannot be read or holds no question.
    """
    findings = Findings()
    times: dict[str, int] = {}
    spelled: dict[str, str] = {}
    left_out = 0
    for question in map(plain_text, _texts(path, findings)):
        if len(question) <= LONGEST and bare(question):
            first = spelled.setdefault(bare(question), question)
            times[first] = times.get(first, 0) + 1
        else:
            left_out += bool(question)
    if not times:
        raise InputError(path, "holds no question", "name a file with one question a line")
    summary = f"{path}: {counted(sum(times.values()), 'question')}, {len(times):,} different"
    if left_out:
        summary += (
            f"; {left_out:,} without a word, or of more than {LONGEST:,} characters, left out"
        )
    return times, [*findings.reading().lines, summary]


def _texts(path: str, findings: Findings) -> Iterable[str]:
    """Return the text of each question, in the order of the log."""
    with open_regular(path) as stream:
        if stream.read(len(START)) == START:
            return read_log(path)
    if is_table(path):
        return (str(row["query"] or "") for _, row in read_table(path, COLUMNS, findings))
    return read_text(path, findings).replace("\r", "\n").split("\n")


def plain_text(text: str) -> str:
    """Return a text without control characters, which have no meaning to a model."""
    kept = (" " if unicodedata.category(c) == "Cc" else c for c in text)
    return normalise("".join(kept))
