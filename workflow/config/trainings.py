"""What a run trains: the settings of a training, recipes, entropy models, methods."""

from typing import Annotated, Any, Literal

from pydantic import Field

from semblance.settings import (
    Apart,
    By,
    Head,
    Match,
    Matmul,
    Positive,
    PositiveShare,
    Precision,
    Rate,
    Seed,
    Share,
    Threads,
    WindowUnit,
)
from workflow.config.part import (
    Count,
    Distinct,
    Label,
    Length,
    Listed,
    Module,
    Name,
    Part,
    Phi,
    one_of,
    text,
)


class Sampled(Part):
    """Rates of dropout that are drawn anew all the time (S-SimCSE §3.1)."""

    distribution: Literal["uniform", "beta"] | None = None
    """Distribution of a rate. Without it: uniform (sampled.py)."""
    low: Rate | None = None
    """Least rate of `uniform`. Without it: 0 (sampled.py)."""
    high: Rate | None = None
    """Largest rate of `uniform`. Without it: 0.2 (sampled.py)."""
    alpha: Positive | None = None
    """First parameter of `beta`. Without it: 2 (sampled.py)."""
    beta: Positive | None = None
    """Second parameter of `beta`. Without it: 18 (sampled.py)."""
    granularity: Literal["view", "row", "pass", "shared"] | None = None
    """What shares a rate. `view`: the sentences of one view in one operation, S-SimCSE without sd.
    `row`: one sentence in one operation, S-SimCSE with sd. `pass`: one view in all its operations.
    `shared`: both views in one operation. Without it: view (sampled.py)."""
    layers: Literal["hidden", "hidden+attention"] | None = None
    """The dropouts whose rates are drawn. Without it: hidden (sampled.py)."""


class Dropout(Part, extra="allow"):
    """Dropout rates in training; further keys are modules of semblance/models/dropouts."""

    hidden: Rate | None = None
    """Rate after the embeddings, each attention block and each feed-forward block."""
    attention: Rate | None = None
    """Rate on the attention weights."""
    drophead: Rate | None = None
    """Share of attention heads that are dropped. Without it: 0."""
    sampled: Sampled | None = None
    """Rates that are drawn anew all the time, in the place of `hidden` (S-SimCSE §3.1). It takes
    the place of the whole `sampled` of a recipe."""


class MaskedWords(Part):
    """Masked words as a second loss."""

    weight: Positive
    """Weight λ of this loss; that of the other loss is 1."""
    share: PositiveShare | None = None
    """Share of the tokens that are chosen. Without it: 0.15 (MaskedWords)."""


class _Steps(Part):
    """The settings of every training, an entropy model's included."""

    views: Module | None = None
    """What a row of a batch is: the name of a module of semblance/training/views. `rows`: a query,
    its positive and, in a corpus of triples, its hard negative. `twice`: a sentence and the same
    sentence again, under other dropout. `crop`, `delete`, `repeat`, `replace`: a sentence and the
    same sentence with changed tokens."""
    view_options: dict[str, Any] = {}
    """How a view changes texts: the keyword arguments of its function `change`, such as `share`."""
    hard_negatives: bool | None = None
    """Whether the negatives of triples are candidates, too. Without it: true (TrainSettings)."""
    encoders: Annotated[int, Field(ge=1, le=2)] | None = None
    """With 2, the queries have an encoder of their own, and all other texts another; the first one
    is the trained model. Without it: 1 (TrainSettings)."""
    same_masks: bool | None = None
    """Whether the views of a row share their dropout masks, which needs `views: twice`. Without it:
    false (TrainSettings)."""
    masked_words: MaskedWords | None = None
    """Masked words as a second loss: some tokens of each text are hidden or replaced, and a head of
    its own names them. Without it: none (TrainSettings)."""
    no_duplicates: bool | None = None
    """Whether a sentence, or an entry, may stand only once in a batch."""
    apart: Apart | None = None
    """What may stand only once in a batch. `entries`: a question of a FAQ, its answer and the
    users' wordings of it count as one. Without it: sentences (TrainSettings)."""
    batch_size: Annotated[int, Field(ge=2, le=10**9)] | None = None
    """Rows of a batch."""
    micro_batch: Count | None = None
    """Rows of a batch that are embedded at a time, to save memory: the loss is still that of the
    whole batch, but for other draws of dropout. A step takes about a third longer. Masked words are
    read all at once. Without it: all rows at once (TrainSettings)."""
    max_steps: Count | None = None
    """Largest number of steps, whatever the epochs say. Without it: no limit."""
    learning_rate: PositiveShare | None = None
    """Largest learning rate of AdamW; it falls linearly to 0."""
    max_length: Length | None = None
    """Longest input in training, in tokens; the rest of a sentence is cut off."""
    weight_decay: Annotated[float, Field(ge=0, le=10)] | None = None
    """Weight decay of AdamW. Biases and layer norms have none."""
    clip: Positive | None = None
    """Largest norm of the gradient; a longer one is scaled down to it."""
    head: Head | None = None
    """The MLP on top of the pooled vector: `none`, in training only (`train`), or at test time, too
    (`keep`). Without it: none (TrainSettings)."""
    precision: Precision | None = None
    """Precision of the encoder. It is a part of the result."""
    matmul: Matmul | None = None
    """Precision of the products of fp32 matrices. `high` and `medium` are faster and, on some
    processors, less exact; the record of a job says which."""


class Settings(_Steps):
    """What a recipe or a training changes of `training`."""

    epochs: Count | None = None
    """Passes through the corpus."""
    warmup: Share | None = None
    """Share of the steps in which the learning rate rises to its largest value."""
    evaluate_every: Count | None = None
    """Steps between two evaluations on the dev set; the best model is kept. It takes the place of
    an `evaluate_share` that was set before it."""
    evaluate_share: PositiveShare | None = None
    """The same as a share of all steps: 0.1 evaluates ten times. It takes the place of an
    `evaluate_every` that was set before it; where both are set together, `evaluate_every`
    counts."""


class Common(Settings):
    """The settings that all trainings have in common. A recipe or a method may change them."""

    no_duplicates: bool
    """Whether a sentence, or an entry, may stand only once in a batch."""
    clip: Positive
    """Largest norm of the gradient; a longer one is scaled down to it."""
    precision: Precision
    """Precision of the encoder. It is a part of the result."""
    matmul: Matmul
    """Precision of the products of fp32 matrices. `high` and `medium` are faster and, on some
    processors, less exact; the record of a job says which."""
    threads: Threads
    """Threads of each training: here alone, since each job asks a scheduler for so many. Another
    number changes the last digits of a result."""


class Recipe(Settings):
    """One kind of training. It changes `training`."""

    loss: Module | None = None
    """Module of semblance/training/losses."""
    options: dict[str, Any] = {}
    """Keyword arguments of the loss."""
    dropout: Dropout = Dropout()
    """Dropout rates in training. Without them: the base model's own."""
    on_faq: Settings | None = None
    """What differs on the folds of a FAQ bank."""
    by_base: dict[Name, Settings] = {}
    """What differs for a base model, by the base's name. It changes `on_faq`, too."""


class _OfRecipe(Part):
    recipe: str
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

    loss: Module | None = None
    """Module of semblance/training/losses. Without it: the recipe's."""


class EarlyStopping(Part):
    """When the training of an entropy model ends.

    It ends when the mean loss of a window of steps has not fallen for some windows, and keeps the
    weights at the end of the window with the lowest one.
    """

    patience: Annotated[int, Field(ge=1)]
    """Windows without a fall after which it ends."""
    window: PositiveShare
    """Length of a window as a share of all steps."""
    least_window: Annotated[int, Field(ge=1)]
    """Least length of a window, in steps."""
    unit: WindowUnit
    """`batch`: each window is a single batch, whatever the two keys above say."""


class Kind(_Steps, _OfRecipe):
    """One form of Eq. 2. It changes its recipe.

    It has no `epochs` and no `evaluate_every`: early stopping says when its training ends, at the
    latest after the epochs of its recipe.
    """

    stops_early: bool = True
    """Whether early stopping ends its training. If not, the last weights are its result."""

    label: Label | None = None
    """Its name in tables; `{phi}` stands for φ. Without it: KIND-PHI."""


class TrainEntropy(Part):
    """The entropy models: one for each φ that a method or a table names."""

    early_stopping: EarlyStopping
    """When the training of an entropy model ends: when the mean loss of a window of steps has not
    fallen for some windows."""
    kinds: dict[Name, Kind]
    """Forms of Eq. 2 by name. The loss is always `entropy`. An entropy model is named KIND-PHI."""


class Entropies(Part):
    """Entropy models of one kind, one for each φ."""

    kind: Name
    """A key of `train_entropy.kinds`."""
    phis: Distinct[Phi]
    """The weights φ of the entropy term; each makes one entropy model. Each φ has one spelling,
    0.01 and not 0.010 or 1e-2: another one is refused."""

    @property
    def names(self) -> list[str]:
        """The names of the models: a φ that is a text as it stands, a number by its shortest form."""
        return [f"{self.kind}-{phi}" for phi in self.phis]


NAMED = "[A-Za-z0-9][A-Za-z0-9._-]*"


def names_of(entries: list) -> list[str]:
    """Return the names that a list of names, and of entropy models of a kind, stands for."""
    return [
        name
        for entry in entries
        for name in (entry.names if isinstance(entry, Entropies) else [entry])
    ]


Regulator = one_of(lambda _: "phis", str=text(f"{NAMED}(/{NAMED})?", 200), phis=Entropies)


class Ranking(Part):
    """Another way to rank the answers of a FAQ bank with a model that another method has."""

    of: Name
    """That method: `start`, KIND-PHI or a trained one."""
    by: By
    """`vectors`: by the cosine of the embeddings, as without `ranking`. `words`: by BM25, which
    uses no model. `hybrid`: by the cosine plus a tenth of the
    BM25 score, which is divided by the question's highest."""
    match: Match | None = None
    """What a question is compared with: the answers, the questions and wordings that are known for
    them, or both, of which the better counts. Without it: `answer`. The last two need a bank that
    holds out `wordings`."""


class _Method(Part):
    label: Label | None = None
    """Its name in tables. Without it: the key."""


class Trained(Settings, _OfRecipe, _Method):
    """A method that is trained: it changes its recipe."""

    loss: Module | None = None
    """Module of semblance/training/losses. Without it: the recipe's."""
    on_faq: Settings | None = None
    """What differs on the folds of a FAQ bank, also from the keys beside it."""
    regulators: one_of(lambda _: "phis", phis=Entropies, list=Listed[Regulator]) | None = None
    """The models whose frozen embeddings of the corpus regulate the training: a kind of entropy
    models and its φs, or a list of such pairs and of names. A name is KIND-PHI, another method, or
    `start`, the base before any training; BASE/NAME takes it on another base. All models of a
    training are those of its seed, unless `regulator_seeds` says so."""
    regulator_seeds: Distinct[Annotated[int, Field(ge=0, le=10**6)]] | None = None
    """Each of the `regulators` is read once for each of these numbers, from the model whose seed is
    that of the training plus the number. Without it: of the training's own seed."""
    steps_of: Name | None = None
    """A method: the training takes as many steps as that method's and those of its trained
    regulators took together, by their records; no more than its own `epochs`."""

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
    return next((key for key in ("whitening", "ranking") if key in method), "recipe")


Method = one_of(_kind_of_method, recipe=Trained, whitening=Whitened, ranking=Reranked)
Seeds = Annotated[Distinct[Seed], Field(max_length=100)]  # each is a training of every method
