"""The cosines of the STS-B test pairs in five groups of gold score (SimCSE, Figure G.1)."""

from collections.abc import Iterator
from pathlib import Path

from semblance.errors import InputError
from semblance.figures import Row
from semblance.reporting.predictions import sts_frame

COLUMNS = ("group", "index", "gold", "cosine")
GROUPS = 5  # 0 to 1, 1 to 2, ..., 4 to 5


def rows(path: Path) -> Iterator[Row]:
    """Yield one row for each pair, from the predictions of a model.

    ASSUME a gold score on a border belongs to the higher group; 5 belongs to the highest.
    Raises InputError for a gold score outside of 0 to 5.
    """
    frame = sts_frame(path)
    pairs = frame[frame.index.get_level_values("task") == "stsb"]
    for (_, _, index), pair in pairs.iterrows():
        gold = float(pair["gold"])
        group = group_of(gold, path)
        yield {"group": group, "index": index, "gold": gold, "cosine": float(pair["similarity"])}


def group_of(gold: float, path: Path) -> str:
    """Return the group of a gold score, such as ``0-1``."""
    if not 0 <= gold <= GROUPS:
        problem = f"a gold score is {gold:g}, outside of 0 to {GROUPS}"
        raise InputError(path, problem, "prepare STS-B again")
    low = min(int(gold), GROUPS - 1)
    return f"{low}-{low + 1}"
