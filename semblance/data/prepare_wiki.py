"""From a file of one sentence a line to a training corpus, with every count checked."""

from pathlib import Path

from semblance.data import wiki
from semblance.data.corpus_rows import CorpusSettings, write_corpus_rows
from semblance.data.raw import Raw


def write_sentences(raw: Raw, settings: CorpusSettings, folder: Path) -> dict[str, int]:
    """Write a corpus of single sentences, each its own positive; return its counts."""
    lines: list[str] = []
    for name in settings.datasets:
        found = wiki.read_sentences(raw.file(name))
        raw.check(name, sentences=len(found))
        lines += found
    return write_corpus_rows(folder, [(s, s, None) for s in lines[: settings.limit]])
