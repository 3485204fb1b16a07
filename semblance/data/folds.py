"""Cross-validation folds that keep each group whole and are the same on every machine."""

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

from semblance.errors import InputError


def split_groups(groups: Sequence[str], folds: int, seed: int) -> list[int]:
    """Assign each item a part, 0 to ``folds - 1``, the items of one group the same part.

    The largest group goes first, always to the smallest part so far, so that two parts differ by at
    most the largest group's size. Groups of one size are ordered by a hash of seed and name: it
    depends on neither the order of the items nor the process. Raises InputError if there are fewer
    groups than parts.
    """
    sizes = Counter(groups)
    if not 2 <= folds <= len(sizes):
        raise InputError(
            "folds",
            f"{folds} parts of {len(sizes)} groups",
            "between 2 and the number of groups is possible",
        )
    order = sorted(sizes, key=lambda group: (-sizes[group], _shuffle_key(seed, group), group))
    filled = [0] * folds  # items in each part so far
    part_of: dict[str, int] = {}
    for group in order:
        part = filled.index(min(filled))
        part_of[group] = part
        filled[part] += sizes[group]
    return [part_of[group] for group in groups]


def _shuffle_key(seed: int, group: str) -> bytes:
    return sha256(f"{seed}:{group}".encode()).digest()


def dev_part(test: int, folds: int) -> int:
    """Return the part that a fold chooses its checkpoint by: the one after its test part.

    RCL's FAQ protocol: of 5 parts 3 to train, 1 dev, 1 test, in rotation.
    """
    return (test + 1) % folds
