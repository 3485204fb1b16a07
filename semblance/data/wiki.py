"""Unlabelled sentences, one a line, in the format of SimCSE's wiki1m_for_simcse.txt."""

from pathlib import Path

from semblance.data.text import normalise, read_rows
from semblance.errors import InputError, at


def read_sentences(path: Path | str) -> list[str]:
    """Read one sentence a line, white space normalised; a blank line that is not the last is an error."""
    sentences = [normalise(text) for _, text in read_rows(path)]
    if not sentences:
        raise InputError(at(path, 1), "no sentence", "one sentence a line")
    return sentences
