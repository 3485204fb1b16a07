"""The scores of one model out of the long CSV of a run."""

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


def scores_of(frame: pd.DataFrame, place: Place, weights: str) -> list[Score]:
    """Return the scores of a model: those of its weights and of its corpus, base and seed."""
    rows = frame[frame["weights"] == weights]
    rows = rows[(rows["subset"] == "") & (rows["task"] != TRAINING)]
    for name in ("corpus", "base", "seed"):
        rows = rows[rows[name].astype(str) == getattr(place, name)]
    return [Score(**row) for row in rows[list(Score._fields)].to_dict("records")]
