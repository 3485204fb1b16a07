"""What the stages share that write a training corpus: its settings, and its numbered rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from semblance.data.corpus import number_sentences, write_corpus


@dataclass(frozen=True)
class CorpusSettings:
    """A training set: its kind, its datasets in the manifest, and a cap on its rows.

    ``path`` is a user's own file in place of the datasets. ``neutral``: a row of kind ``nli`` has a
    second hard negative, a neutral sentence.
    """

    kind: Literal["nli", "wiki"]
    datasets: tuple[str, ...]
    limit: int | None = None
    neutral: bool = False
    path: str | None = None


def write_corpus_rows(folder: Path, rows: Sequence[tuple], negatives: int = 1) -> dict[str, int]:
    """Write the rows (query, positive, negative or None) of a corpus; return its counts.

    With two ``negatives`` a row has a second one.
    """
    texts, numbered = number_sentences(rows, negatives)
    write_corpus(folder, texts, numbered)
    return {"rows": len(rows), "sentences": len(texts)}
