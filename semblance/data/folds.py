"""The folds of a FAQ bank: parts that are the same on every machine and keep each group whole."""

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

from semblance.errors import InputError

ANSWER, QUESTION = "answer", "question"  # what a text says of an answer: kinds of texts
WORDING = "wording"  # a user's own question


def split_groups(groups: Sequence[str], folds: int, seed: int) -> list[int]:
    """Assign each item a part, 0 to ``folds - 1``, the items of one group the same part.

    The largest group goes first, always to the smallest part so far, so that two parts differ by at
    most the largest group's size. Groups of one size are ordered by a hash of seed and name: it
    depends on neither the order of the items nor the process. Raises InputError if there are fewer
    groups than parts.
    """
    sizes = Counter(groups)
    if not 2 <= folds <= len(sizes):
        problem = f"{folds} parts of {len(sizes)} groups"
        raise InputError("folds", problem, "between 2 and the number of groups is possible")

    def rank(group: str) -> tuple[int, bytes, str]:
        """Return what orders the groups."""
        return -sizes[group], sha256(f"{seed}:{group}".encode()).digest(), group

    filled = [0] * folds  # items in each part so far
    part_of: dict[str, int] = {}
    for group in sorted(sizes, key=rank):
        part = filled.index(min(filled))
        part_of[group] = part
        filled[part] += sizes[group]
    return [part_of[group] for group in groups]


def dev_part(test: int, folds: int) -> int:
    """Return the part that a fold chooses its checkpoint by: the one after its test part.

    RCL's FAQ protocol: of 5 parts 3 to train, 1 dev, 1 test, in rotation.
    """
    return (test + 1) % folds
