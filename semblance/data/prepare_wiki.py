"""From a file of one sentence a line to a training corpus, with every count checked."""

import sys
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
    for name in settings.datasets:
        path = raw.file(name)
        found = wiki.read_sentences(path)
        blank = found.blank_lines
        raw.check(name, sentences=len(found.texts), lines=len(found.texts) + len(blank))
        if blank:
            note = f"note: {at(path, blank[0])}: blank line skipped, {len(blank):,} in all"
            print(note, file=sys.stderr)
        texts += found.texts
        skipped += len(blank)
    counts = write_corpus_rows(folder, [(s, s, None) for s in texts[: settings.limit]])
    return {**counts, "blank_lines": skipped}
