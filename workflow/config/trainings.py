"""What a run trains: the settings of a training, recipes, entropy models, methods."""

import functools
from typing import Annotated, Any, Literal

from pydantic import Field

from semblance.named_modules import LOSSES
from semblance.settings import By, Match, Rate, Seed, module_of
from semblance.training import settings as training
from semblance.training.settings import TrainSettings
from workflow.config.part import (
    Distinct,
    Label,
    Listed,
    Name,
    Part,
    names_of_fields,
    of,
    one_of,
    part_of,
    text,
    without_default,
)


class Dropout(Part, extra="allow"):
    """Dropout rates in training; further keys are modules of semblance/models/dropouts."""

    hidden: Rate | None = None
    """Rate after the embeddings, each attention block and each feed-forward block."""
    attention: Rate | None = None
    """Rate on the attention weights."""
    drophead: Rate | None = None
    """Share of attention heads that are dropped. Without it: 0."""
    sampled: dict[str, Any] | None = None
    """Rates that are drawn anew all the time, in the place of `hidden` (S-SimCSE §3.1): the
    `Options` of semblance/models/dropouts/sampled.py. It takes the place of the whole `sampled` of
    a recipe."""


OF_ALL = names_of_fields(training.Common)

_Steps = part_of(training.Steps, "Steps", training.Steps.__doc__)
Settings = part_of(
    training.Rhythm, "Settings", "What a recipe or a training changes of `training`.", base=_Steps
)
# What each training needs, from its recipe or from what all trainings have in common.
NEEDED = [
    key
    for kind in (training.Steps, training.Rhythm)
    for key in without_default(kind)
    if key not in OF_ALL
]
Common = part_of(
    TrainSettings,
    "Common",
    "The settings that all trainings have in common. A recipe or a method may change them.",
    (*OF_ALL, "threads"),
    Settings,
    needed=(*OF_ALL, "threads"),
)
EarlyStopping = part_of(
    training.EarlyStopping,
    "EarlyStopping",
    training.EarlyStopping.__doc__,
    needed=names_of_fields(training.EarlyStopping),
)


class Recipe(Settings):
    """One kind of training. It changes `training`."""

    loss: module_of(LOSSES) | None = None
    """Module of semblance/training/losses."""
    options: dict[str, Any] = {}
    """Keyword arguments of the loss."""
    dropout: Dropout = Dropout()
    """Dropout rates in training. Without them: the base model's own."""
    on_faq: Settings | None = None
    """What differs on the folds of a FAQ bank."""
    by_base: of("base", "bases", form=dict[Name, Settings]) = {}
    """What differs for a base model, by the base's name. It changes `on_faq`, too."""


class _OfRecipe(Part):
    recipe: of("recipe", "recipes")
    """The recipe that this training changes."""
    options: dict[str, Any] = {}
    """Keyword arguments of the loss, laid over the recipe's key by key. If the loss is another than
    the recipe's, only those options of the recipe stay that this loss takes, too."""
    dropout: Dropout = Dropout()
    """Dropout rates in training, laid over the recipe's key by key. A rate that stands nowhere is
    the base model's own."""


class TrainInitial(Settings, _OfRecipe):
    """FAQ banks only: the training of the model that the entropy models of a fold start from.

    It changes its recipe.
    """

    loss: module_of(LOSSES) | None = None
    """Module of semblance/training/losses. Without it: the recipe's."""


class Kind(_Steps, _OfRecipe):
    """One form of Eq. 2. It changes its recipe.

    It has no `epochs` and no `evaluate_every`: early stopping says when its training ends, at the
    latest after the epochs of its recipe.
    """

    stops_early: bool = True
    """Whether early stopping ends its training. If not, the last weights are its result."""

    label: Label | None = None
    """Its name in tables; `{phi}` stands for φ. Without it: the name of the method."""


class TrainEntropy(Part):
    """The entropy models: one for each φ that a method or a table names."""

    early_stopping: EarlyStopping
    """When the training of an entropy model ends: when the mean loss of a window of steps has not
    fallen for some windows."""
    kinds: dict[Name, Kind]
    """Forms of Eq. 2 by name. The loss is always `entropy`."""


class _Method(Part):
    label: Label | None = None
    """Its name in tables. Without it: the key."""


KindOfEntropy = of("kind of entropy model", "train_entropy.kinds")
Phi = Annotated[float, Field(ge=-(10**9), le=10**9)]


class Entropy(_Method):
    """An entropy model. Each `{kind: KIND, phis: [...]}` of a config makes some, so few need an entry."""

    label: Label | None = None
    """Its name in tables. Without it: that of its kind."""
    kind: KindOfEntropy
    """A key of `train_entropy.kinds`."""
    phi: Phi
    """The weight φ of the entropy term."""

    @property
    def printed_phi(self) -> str:
        """φ as names, paths and tables print it: as Python prints the float, without a sign of 0."""
        return repr(float(self.phi) + 0.0)


class Entropies(Part):
    """Entropy models of one kind, one for each φ."""

    kind: KindOfEntropy
    """A key of `train_entropy.kinds`."""
    phis: Distinct[Phi]
    """The weights φ of the entropy term; each makes one entropy model, a method that is named by its
    kind and φ: `entropy-0.01`."""

    @functools.cached_property
    def models(self) -> dict[str, Entropy]:
        models = [Entropy(kind=self.kind, phi=phi) for phi in self.phis]
        return {f"{model.kind}-{model.printed_phi}": model for model in models}


NAMED = "[A-Za-z0-9][A-Za-z0-9._-]*"


def names_of(entries: list) -> list[str]:
    """Return the names that a list of names, and of entropy models of a kind, stands for."""
    names: list[str] = []
    for entry in entries:
        is_name = isinstance(entry, str)
        names += [entry] if is_name else entry.models
    return names


Regulator = one_of(lambda _: "phis", str=text(f"{NAMED}(/{NAMED})?", 200), phis=Entropies)


class Ranking(Part):
    """Another way to rank the answers of a FAQ bank with a model that another method has."""

    of: Name
    """That method: `start`, an entropy model or a trained one."""
    by: By
    """`vectors`: by the cosine of the embeddings, as without `ranking`. `words`: by BM25, which
    uses no model. `hybrid`: by the cosine plus a tenth of the
    BM25 score, which is divided by the question's highest."""
    match: Match | None = None
    """What a question is compared with: the answers, the questions and wordings that are known for
    them, or both, of which the better counts. Without it: `answer`. The last two need a bank that
    holds out `wordings`."""


class Trained(Settings, _OfRecipe, _Method):
    """A method that is trained: it changes its recipe."""

    loss: module_of(LOSSES) | None = None
    """Module of semblance/training/losses. Without it: the recipe's."""
    on_faq: Settings | None = None
    """What differs on the folds of a FAQ bank, also from the keys beside it."""
    regulators: one_of(lambda _: "phis", phis=Entropies, list=Listed[Regulator]) | None = None
    """The models whose frozen embeddings of the corpus regulate the training: a kind of entropy
    models and its φs, or a list of such pairs and of names. A name is another method, or `start`,
    the base before any training; BASE/NAME takes it on another base. All models of a training are
    those of its seed, unless `regulator_seeds` says so."""
    regulator_seeds: Distinct[Annotated[int, Field(ge=0, le=10**6)]] | None = None
    """Each of the `regulators` is read once for each of these numbers, from the model whose seed is
    that of the training plus the number. Without it: of the training's own seed."""
    steps_of: of("method", "methods", form=Name | None) = None
    """A method: the training takes as many steps as that method's and those of its trained
    regulators took together, by their records, whatever `max_steps` says; no more than its own
    `epochs`."""

    @property
    def regulator_entries(self) -> list[str | Entropies]:
        """What is said of the regulators, as a list; an empty one without regulators."""
        stated = self.regulators or []
        return [stated] if isinstance(stated, Entropies) else stated

    @property
    def regulator_names(self) -> list[str]:
        """The names of the regulators: METHOD, or BASE/METHOD."""
        return names_of(self.regulator_entries)


class Whitened(_Method):
    """The base, its vectors mapped to mean 0 and covariance 1 (BERT-whitening)."""

    whitening: Literal[True, "target"]
    """`true`: of the distinct sentences of the row's corpus, in a model that sentence-transformers
    loads. `target`: in the evaluation on STS, of the distinct sentences of each task."""


class Reranked(_Method):
    """The answers of a FAQ bank, ranked in another way with the model of another method."""

    ranking: Ranking
    """Another way to rank the answers of a FAQ bank with a model that another method has."""


def _kind_of_method(method: dict) -> str:
    return next((key for key in ("whitening", "ranking", "phi") if key in method), "recipe")


Method = one_of(_kind_of_method, recipe=Trained, whitening=Whitened, ranking=Reranked, phi=Entropy)
# Each is a training of every method; 0 stands for the one score of a model without a training.
Seeds = Annotated[Distinct[Annotated[Seed, Field(ge=1)]], Field(max_length=100)]
