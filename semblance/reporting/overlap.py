"""The lexical overlap of sources of pairs, beside that of the paper (SimCSE, section 4.1)."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from semblance import layout
from semblance.csv_rows import rows_csv
from semblance.errors import InputError
from semblance.provenance import checked, read_object
from semblance.reporting.published import Published
from semblance.settings import decode

COLUMN = "overlap"  # of the printed rows
COLUMNS = ("corpus", "pairs", "overlap", "paper_row", "paper")


@dataclass(frozen=True)
class Overlap:
    """How many pairs a corpus has, and their lexical overlap in points."""

    pairs: int
    overlap: float


def read_overlaps(records: list[str]) -> dict[str, Overlap]:
    """Read the overlap of the corpora of these records, by the names of the corpora.

    Raises InputError for a file that is damaged, and for a corpus whose overlap was not measured.
    """
    found = {}
    for record in records:
        path = Path(record).parent / layout.OVERLAP
        if layout.OVERLAP not in checked(record, layout.OVERLAP)["outputs"]:
            raise InputError(record, "lists no lexical overlap", "prepare the corpus again")
        found[path.parent.name] = decode(Overlap, read_object(path), str(path))
    return found


def overlap_csv(found: Mapping[str, Overlap], rows: Mapping[str, str], published: Published) -> str:
    """Return one line for each corpus, unrounded.

    ``rows``: the printed row of each corpus that has one; without one, its two columns are empty.
    """
    lines = []
    for corpus, one in found.items():
        line = {"corpus": corpus, "pairs": one.pairs, "overlap": one.overlap}
        if corpus in rows:
            name = rows[corpus]
            line |= {"paper_row": name, "paper": published.row(name)[COLUMN].value}
        lines.append(line)
    return rows_csv(COLUMNS, lines)
