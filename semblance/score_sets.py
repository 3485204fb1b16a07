"""Sets of scores that were made elsewhere."""

from dataclasses import dataclass, field

Scores = dict[str, dict[str, float]]  # seed -> item -> score


@dataclass
class ScoreSet:
    """The scores of one model or method.

    ``gold`` and ``clusters`` are by task and item; they are empty where a file has no such column.
    ``revisions``: of the data, with what was read of them, by item, where the files state them.
    """

    name: str
    place: str
    tasks: dict[str, Scores] = field(default_factory=dict)
    gold: dict[str, dict[str, float]] = field(default_factory=dict)
    clusters: dict[str, dict[str, str]] = field(default_factory=dict)
    revisions: dict[str, str] = field(default_factory=dict)
