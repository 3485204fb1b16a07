"""Cross-validation folds that keep each group whole and are the same on every machine."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from semblance.errors import InputError


@dataclass(frozen=True)
class Fold:
    """Indices of the items to train on, to choose a checkpoint by, and to test on; ascending."""

    train: tuple[int, ...]
    dev: tuple[int, ...]
    test: tuple[int, ...]


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


def rotate(parts: Sequence[int], folds: int) -> list[Fold]:
    """Return one Fold for each part k: test is part k, dev is part (k + 1) mod folds, train the rest.

    RCL's FAQ protocol: of 5 parts 3 to train, 1 dev, 1 test, in rotation.
    """
    if folds < 3:
        raise InputError("folds", f"{folds} parts leave none to train on", "choose at least 3")
    if set(parts) != set(range(folds)):
        raise InputError("folds", f"parts {sorted(set(parts))}, expected each of 0 to {folds - 1}")
    rotated = []
    for test in range(folds):
        dev = (test + 1) % folds
        train = set(range(folds)) - {test, dev}
        rotated.append(Fold(_items(parts, train), _items(parts, {dev}), _items(parts, {test})))
    return rotated


def _items(parts: Sequence[int], wanted: set[int]) -> tuple[int, ...]:
    """Return the indices of the items in some parts, ascending."""
    return tuple(i for i, part in enumerate(parts) if part in wanted)
