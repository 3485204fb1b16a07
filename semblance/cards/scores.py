"""The scores of one model out of the long CSV of a run."""

from collections.abc import Iterable
from typing import NamedTuple

import pandas as pd

from semblance.names import IN_NATURAL_UNIT, TRAINING


class Place(NamedTuple):
    """The names of a trained model, as its path has them."""

    corpus: str
    base: str
    method: str
    seed: str

    @property
    def path(self) -> str:
        """Its place below the folder of all models."""
        return f"{self.corpus}/{self.base}/{self.method}/seed-{self.seed}"


class Score(NamedTuple):
    """One score: what was tested, how, and its value in its natural unit.

    ``method`` may be another one than the model's: a whitening or a ranking that reads the model.
    """

    method: str
    fold: str
    task: str
    metric: str
    aggregation: str
    protocol: str
    value: float
    n: int
    precision: str

    @property
    def shown(self) -> float:
        """The value times 100, as tables show it; in its natural unit where they do, too."""
        if self.metric in IN_NATURAL_UNIT:
            return self.value
        return self.value * 100


class Scores:
    """The scores of all models of a run, each by its weights."""

    def __init__(self, frame: pd.DataFrame):
        whole = frame[(frame["subset"] == "") & (frame["task"] != TRAINING)]
        self._by_weights = dict(list(whole.groupby("weights", sort=False)))

    def of(self, place: Place, weights: str) -> list[Score]:
        """Return the scores of a model: those of its weights and of its corpus, base and seed."""
        frame = self._by_weights.get(weights)
        if frame is None:
            return []
        rows: Iterable[dict] = frame.to_dict("records")
        return [_score(row) for row in rows if _is_of(row, place)]


def _is_of(row: dict, place: Place) -> bool:
    found = (row["corpus"], row["base"], str(row["seed"]))
    return found == (place.corpus, place.base, place.seed)


def _score(row: dict) -> Score:
    return Score(**{name: row[name] for name in Score._fields})
