"""Unlabelled sentences, one a line, as in SimCSE's wiki1m_for_simcse.txt: from files to a corpus."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from semblance.data.corpus import write_rows
from semblance.data.raw import Raw
from semblance.data.text import normalise, refuse_traces
from semblance.errors import InputError, at
from semblance.lines import read_lines


@dataclass(frozen=True)
class WikiSettings:
    """A training set of sentences: data sets of the manifest."""

    kind: Literal["wiki"]
    datasets: tuple[str, ...]
    limit: int | None = None


def read_sentences(path: Path | str) -> tuple[list[str], list[int]]:
    """Return the sentences of a file, white space normalised, and the numbers of its blank lines.

    Raises InputError for a file without a sentence, and for a line that shows another way to end
    lines, or joined files.
    """
    texts = []
    blank = []
    for line, text in read_lines(path):
        refuse_traces(text, path, line)
        if text.strip():
            texts.append(normalise(text))
        else:
            blank.append(line)
    if not texts:
        raise InputError(at(path, 1), "no sentence", "one sentence a line")
    return texts, blank


def write_sentences(raw: Raw, settings: WikiSettings, folder: Path) -> dict[str, int]:
    """Write a corpus of single sentences, each its own positive; return its counts.

    Blank lines of the files are skipped, counted and named in one printed line.
    """
    texts: list[str] = []
    blank_lines = 0
    for name in settings.datasets:
        path = raw.file(name)
        sentences, blank = read_sentences(path)
        if blank:
            note = f"note: {at(path, blank[0])}: blank line skipped, {len(blank):,} in all"
            print(note, file=sys.stderr)
        raw.check(name, sentences=len(sentences), lines=len(sentences) + len(blank))
        texts += sentences
        blank_lines += len(blank)
    counts = write_rows(folder, [(s, s, None) for s in texts[: settings.limit]])
    return {**counts, "blank_lines": blank_lines}
