"""Unlabelled sentences, one a line, in the format of SimCSE's wiki1m_for_simcse.txt."""

from pathlib import Path
from typing import NamedTuple

from semblance.data.text import normalise, read_lines, refuse_traces
from semblance.errors import InputError, at


class Sentences(NamedTuple):
    """The sentences of a file, and the numbers of its blank lines, which hold none."""

    texts: list[str]
    blank_lines: list[int]


def read_sentences(path: Path | str) -> Sentences:
    """Read one sentence a line, white space normalised; blank lines are skipped and their numbers kept.

    Raises InputError for a file without a sentence, and for a line that shows another way to end
    lines, or joined files.
    """
    texts = []
    blank_lines = []
    for line, text in read_lines(path):
        refuse_traces(text, path, line)
        if text.strip():
            texts.append(normalise(text))
        else:
            blank_lines.append(line)
    if not texts:
        raise InputError(at(path, 1), "no sentence", "one sentence a line")
    return Sentences(texts, blank_lines)
