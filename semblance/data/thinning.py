"""A part of a training corpus of a FAQ bank: some of its entries, or some of users' wordings.

A smaller part lies within each larger one of the same corpus and seed, so that trainings on them
differ by what is added alone.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

from semblance.data.arrow import read_parquet
from semblance.data.corpus import Rows, read_rows, read_sentences, write_rows
from semblance.errors import InputError
from semblance.settings import AtLeast, AtMost, Of, Seed

ENTRIES = "entries.parquet"  # of a prepared bank
TextRow = tuple[Any, ...]  # texts: query, positive, hard negatives or None
FEWEST = 2  # rows that a training needs


@dataclass(frozen=True)
class PartSettings:
    """How much of a corpus is kept: a number of percent of its entries, or of users' wordings."""

    percent: Annotated[int, AtLeast(1), AtMost(99)]
    of: Of
    seed: Seed


def write_part(corpus: Path, bank: Path, settings: PartSettings, folder: Path) -> dict[str, int]:
    """Write the part of the corpus in a folder; ``bank`` is that of the bank. Returns its counts."""
    rows = text_rows(read_sentences(corpus), read_rows(corpus))
    entries = read_parquet(bank / ENTRIES, ("question", "wordings")).to_pylist()
    wordings = {text for entry in entries for text in entry["wordings"]}
    wordings -= {entry["question"] for entry in entries}
    part = part_of(rows, wordings, settings)
    if len(part) < FEWEST:
        problem = f"{settings.percent} % of the {settings.of} are {len(part)} rows"
        raise InputError(corpus, problem, "a learning curve needs a larger FAQ")
    counts = write_rows(folder, part, negatives=len(rows[0]) - 2)
    return counts | {"rows of all": len(rows)}


def text_rows(sentences: Sequence[str], rows: Rows) -> list[TextRow]:
    """Return the rows of a corpus as texts, with None for a hard negative that is absent."""
    texts = [*sentences, None]  # NONE, -1, is the place of the last one
    return [tuple(texts[number] for number in row) for row in zip(*rows.columns(), strict=True)]


def part_of(
    rows: Sequence[TextRow], wordings: Collection[str], settings: PartSettings
) -> list[TextRow]:
    """Return the rows of a part, in their order.

    Of entries: rows that share a text belong to one entry, and an entry is in the part as a whole.
    Of ``wordings``, users' own that are no question of the bank: the rows of those that are not in
    the part are left out, all others stay. A hard negative that is a text of no row that stays is
    left out of its row.
    """
    # What names the unit of a row's query; the rows of other queries stay.
    units = {row[0]: row[0] for row in rows if row[0] in wordings}
    if settings.of == "entries":
        units = _connected(row[:2] for row in rows)
    of_queries = {units[row[0]] for row in rows if row[0] in units}
    chosen = _chosen(of_queries, settings)
    part = [row for row in rows if row[0] not in units or units[row[0]] in chosen]
    known = {text for row in part for text in row[:2]}
    return [(*row[:2], *(text if text in known else None for text in row[2:])) for row in part]


def _connected(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Map each text to the one that names all texts which pairs connect with it: the least."""
    parent: dict[str, str] = {}

    def find(text: str) -> str:
        """Return the text that names those connected with this one; it is found faster next time."""
        while parent.setdefault(text, text) != text:
            parent[text] = parent[parent[text]]
            text = parent[text]
        return text

    for one, other in pairs:
        first, second = sorted((find(one), find(other)))
        parent[second] = first
    return {text: find(text) for text in list(parent)}


def _chosen(units: Collection[str], settings: PartSettings) -> set[str]:
    """Return the units of a part: the first ones of an order that seed and name alone decide."""
    order = sorted(units, key=lambda unit: sha256(f"{settings.seed}:{unit}".encode()).digest())
    return set(order[: max(1, round(settings.percent * len(order) / 100))])
