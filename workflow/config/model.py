"""The whole config as one type: config.yaml has the sections of `Config`, in their order."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from semblance.provenance import ROOT
from semblance.settings import Count, Length, Matmul, Positive, Precision, Seed, Threads
from workflow.config.inputs import Base, Corpus, Faq, Sts, TrainedHere, Transfer
from workflow.config.outputs import Figure, Table
from workflow.config.part import Address, Listed, Name, Part, Place, each_once, text
from workflow.config.trainings import Common, Method, Recipe, Seeds, TrainEntropy, TrainInitial
from workflow.extensions import extensions

PAPERS = {path.stem: path for path in sorted((ROOT / "papers").glob("*.yaml"))}


class Resources(Part):
    """How jobs run."""

    gpus: Annotated[int, Field(ge=0, le=1)]
    """GPUs of each job that runs a model. 0: it runs on the CPU."""
    jobs_per_gpu: Annotated[int, Field(ge=1, le=1024)]
    """Jobs that may share one GPU of this machine at the same time. On a cluster, the scheduler
    decides."""
    checkpoint_minutes: Positive
    """Minutes between two checkpoints of a training, from which it goes on."""
    checkpoint_steps: Annotated[int, Field(ge=0)]
    """Steps between two checkpoints, besides those by minutes. 0: by minutes only."""
    fork: bool
    """Whether jobs on this machine are children of one process that has loaded the libraries, which
    saves each job its start. On a cluster each job starts by itself."""
    max_runtime: Annotated[int, Field(ge=30, le=525_600)]
    """Minutes: the longest time limit that a job asks a scheduler for."""


class Keep(Part):
    """What of a run stays after its use."""

    models: Literal["all", "final"]
    """all: every trained model stays. final: only those on a whole FAQ bank. The weights of each
    other model are deleted as soon as all jobs of the run that read them are done; its record, with
    their digest, and its dev curve stay. A later job that reads the weights has them trained again."""


class Threaded(Part):
    """A stage of which each job has threads of its own."""

    threads: Threads
    """Threads of a job. Another number changes the last digits of a result."""


class Reading(Threaded):
    """A stage in which a model reads texts."""

    precision: Precision
    """Precision of the encoder. It is a part of the result."""
    matmul: Matmul
    """Precision of the products of fp32 matrices, as in `training`."""


class EvaluateTransfer(Reading):
    """The evaluation on the transfer tasks."""

    folds: Annotated[int, Field(ge=2, le=100)]
    """Folds of a cross-validation, inner and outer."""
    seed: Seed
    """Seed of the shuffling before the items are dealt."""


class EvaluateFaq(Reading):
    """The evaluation on FAQ banks."""

    max_length: Length
    """Longest input, in tokens."""
    protocols: Listed[Literal["pairs", "annotated"]]
    """What is asked and what counts as right. `pairs`: the question of each test pair and its own
    answer. `annotated`: the users' questions and all answers that people judged relevant."""


class TrainCurve(Part):
    """The trainings of the figures of kind `curve`."""

    steps: Count
    """Steps, at most; the learning rate follows them."""
    every: Count
    """Steps between two measurements."""


class Reproduction(Part):
    """Everything that a run is made from."""

    output: Place
    """Folder of everything that is computed: relative to the working folder, absolute or below `~`,
    also on another disk or a symbolic link. It may not be, hold or lie in a folder of the project
    or the mirror."""
    downloads: Place
    """Folder of the raw data and the base models, named as `output`."""
    manifest: Place
    """YAML file with the addresses, checksums, licences and sizes of the raw data. It is looked for
    in the working folder, then in the project's own, as are `mirror`, the `folder` of a base and
    the `path` of a bank."""
    mirror: text(".+") | None = None
    """Folder or URL that holds the raw data under the paths of the manifest, and base models of the
    hub under `models/`. The raw data then come from no other place; a base that is not there comes
    from the hub. `semblance fetch` fills such a folder."""
    hub: Address
    """Address of the model hub, or of a mirror of it."""
    token_hub: Address | None = None
    """Address of the hub that your token (HF_TOKEN) is for. Without it: https://huggingface.co. No
    other server gets the token: set this only if `hub` is a server that may read it."""
    resources: Resources
    """How jobs run. Of these keys only `gpus` can change a result: a GPU rounds differently, so a
    change of it trains again."""
    anyway: bool
    """Whether a run starts although its disks have too little room, or 24 GPU-hours of work meet a
    machine without a GPU. No result depends on it."""
    papers: Annotated[list[Literal[*PAPERS]], AfterValidator(each_once)]
    """The papers whose tables and figures are made. papers/NAME.yaml has them. Those files lie below
    all config files, which can change each of their keys; what these change of a paper that is not
    named counts for nothing. The methods of all papers are known."""
    keep: Keep
    """What of a run stays after its use. No result depends on it."""
    seeds: dict[str, Seeds]
    """Lists of seeds by name: one training for each. A table names the list that its runs use."""
    bases: Annotated[dict[Name, Base], Field(min_length=1)]
    """The models that trainings start from, by name. A base has `hub`, `package` or `folder`. Or it
    is trained here, out of another base: then it has `base` and `corpus`, and `pretrain` or `method`."""
    corpora: dict[Name, Corpus]
    """Training sets by name. Each fold of a FAQ bank is one more, named BANK-FOLD."""
    sts: Sts
    """The tests of semantic textual similarity, and the dev set of the trainings."""
    transfer: Transfer
    """SentEval's transfer tasks, which a linear classifier solves on the embeddings."""
    faq: Faq
    """The banks of frequently asked questions, and how they are split."""
    training: Common
    """The settings that all trainings have in common. A recipe or a method may change them."""
    recipes: dict[Name, Recipe]
    """Kinds of training by name: loss, dropout and hyper-parameters. A setting whose text
    does not say what holds without it must stand here or in `training`."""
    train_initial: TrainInitial
    """FAQ banks only: the training of the model that the entropy models of a fold start from. It
    changes its recipe."""
    train_entropy: TrainEntropy
    """The entropy models: one for each φ that a method or a table names."""
    embed: Reading
    """The frozen embeddings of models, which the regulators of a method read."""
    fit_whitening: Reading
    """The whitening of a base on the sentences of a corpus (`whitening: true`)."""
    methods: dict[Name, Method]
    """What the rows of the tables train, by name. A method changes its recipe. Or it is an entropy
    model (`kind`, `phi`), or not trained at all (`whitening`, `ranking`): then it has no recipe."""
    evaluate_sts: Reading
    """The evaluation on the STS tests."""
    evaluate_transfer: EvaluateTransfer
    """The evaluation on the transfer tasks, of those models alone that a table of the layout
    `transfer` or `transfer-dev` names."""
    train_curve: TrainCurve
    """The trainings of the figures of kind `curve`: those of the methods, but with steps of their
    own. They measure alignment and uniformity on a fixed sample of STS-B's dev pairs."""
    measure_figure: Reading
    """The figures that are measured on the embeddings of models."""
    evaluate_faq: EvaluateFaq
    """The evaluation on the test part of each fold of a FAQ bank."""
    instead: dict[Name, Name] = {}
    """Your bases, corpora and FAQ banks in place of those that the rows of the tables and the figures
    name: THEIRS: OURS, such as `nli-roberta-base-v2: minilm`. A row of a paper
    that gets another one is a stand-in. Without it: none."""
    tables: Annotated[dict[Name, Table], Field(min_length=1)]
    """The tables by name. They say which runs exist."""
    figures: dict[Name, Figure] = {}
    """The figures by name: `figures/NAME.csv` in the output folder has the data, `figures/NAME.svg`
    and `.png` the drawing. Without it: none."""

    def origin(self, base: str) -> Base:
        """Return the base itself, or the one that it is trained from: all but its weights."""
        entry = self.bases[base]
        return self.bases[entry.base] if isinstance(entry, TrainedHere) else entry


class Config(*(each.Sections for each in extensions("settings")), Reproduction):
    """All sections, those of the distributions beside the project included."""
