"""The settings in which papers evaluate STS, besides all pairs of a task: SimCSE's App. B."""

from typing import NamedTuple

from semblance.names import REGRESSOR, RELATEDNESS_TASKS


class StsSetting(NamedTuple):
    """A layout's name, the metric and aggregation that it shows, and what its footnote says of them.

    ``tasks``: those that have such scores; None: all tasks of STS.
    """

    name: str
    metric: str
    aggregation: str
    footnote: str
    tasks: tuple[str, ...] | None = None


_TRAINED = "A regressor is trained on the embeddings of a task's train pairs"
_OF_ITS_SCORES = "the correlation of its scores with those of people is"
STS_SETTINGS = (
    StsSetting(
        "sts-mean", "spearman", "mean", "A task's value is the mean of its subsets' correlations."
    ),
    StsSetting(
        "sts-wmean",
        "spearman",
        "wmean",
        "A task's value is the mean of its subsets' correlations, each with the weight of its pairs.",
    ),
    StsSetting(
        "sts-pearson", "pearson", "all", "The correlation is Pearson's, over all pairs of a task."
    ),
    StsSetting(
        "sts-regressor",
        "spearman",
        REGRESSOR["test"],
        f"{_TRAINED}; {_OF_ITS_SCORES} Spearman's.",
        RELATEDNESS_TASKS,
    ),
    StsSetting(
        "sts-regressor-pearson",
        "pearson",
        REGRESSOR["test"],
        f"{_TRAINED}; {_OF_ITS_SCORES} Pearson's.",
        RELATEDNESS_TASKS,
    ),
)
