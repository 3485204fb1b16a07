"""From a file of one sentence a line to a training corpus, with every count checked."""

import sys
from collections.abc import Iterator
from pathlib import Path

from semblance.data import wiki
from semblance.data.corpus_rows import CorpusSettings, write_corpus_rows
from semblance.data.raw import Raw
from semblance.errors import at


def write_sentences(raw: Raw, settings: CorpusSettings, folder: Path) -> dict[str, int]:
    """Write a corpus of single sentences, each its own positive; return its counts.

    Blank lines of the files are skipped, counted and named in one printed line.
    """
    texts: list[str] = []
    skipped = 0
    for found in _texts_of_files(raw, settings):
        texts += found.texts
        skipped += len(found.blank_lines)
    counts = write_corpus_rows(folder, [(s, s, None) for s in texts[: settings.limit]])
    return {**counts, "blank_lines": skipped}


def _texts_of_files(raw: Raw, settings: CorpusSettings) -> Iterator[wiki.Sentences]:
    """Yield the sentences of each data set, its counts checked, or of a user's own file."""
    if settings.path is not None:
        yield _sentences_of(raw.user_file(settings.path))
    for name in settings.datasets:
        found = _sentences_of(raw.file(name))
        sentences = len(found.texts)
        raw.check(name, sentences=sentences, lines=sentences + len(found.blank_lines))
        yield found


def _sentences_of(path: Path) -> wiki.Sentences:
    found = wiki.read_sentences(path)
    blank = found.blank_lines
    if blank:
        note = f"note: {at(path, blank[0])}: blank line skipped, {len(blank):,} in all"
        print(note, file=sys.stderr)
    return found
