"""A user's own file of scored pairs: what a config states of it.

Its reader is imported by name, so that its code counts in the digest of those runs alone that have
such a file.
"""

import importlib
from dataclasses import dataclass, field
from typing import Literal

from semblance.data.raw import Raw
from semblance.data.sts import ScoredPair
from semblance.errors import InputError

READER = "semblance_faq.read.pairs"
ROLES = ("sentence1", "sentence2", "score")


@dataclass(frozen=True)
class OwnPairs:
    """A user's file of scored pairs; ``columns`` names those whose names are not known."""

    kind: Literal["pairs"]
    path: str
    columns: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise InputError for a column that no pair has."""
        for role in self.columns:
            if role not in ROLES:
                known = ", ".join(ROLES)
                raise InputError(f"columns.{role}", "pairs have no such column", f"known: {known}")


def pairs_of(raw: Raw, task: str, settings: OwnPairs) -> list[ScoredPair]:
    """Return a user's pairs, with what the reader tells of them; ``raw`` notes the file."""
    return importlib.import_module(READER).pairs_of(raw, task, settings)
