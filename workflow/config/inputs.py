"""What a run reads: bases, corpora, the tests of similarity, the FAQ banks."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from semblance.named_modules import BANKS, PAIRS, POOLINGS
from semblance.names import TRANSFER_TASKS, WITH_DEV_PAIRS
from semblance.settings import (
    Count,
    HoldOut,
    Length,
    Seed,
    StsProtocol,
    Together,
    TrainOn,
    module_of,
)
from semblance.training.settings import MaskedWords, TrainSettings
from workflow.config.part import (
    Distinct,
    File,
    Label,
    Name,
    Part,
    PathBelow,
    of,
    one_of,
    part_of,
    text,
)
from workflow.config.trainings import NEEDED, OF_ALL

Text = text(".+", 200)
Million = Annotated[float, Field(gt=0, le=10**6)]


class Prompts(Part):
    """Texts that stand before each text that the model reads, by its role."""

    query: text(r"[\s\S]*") | None = None
    """Before a question of a FAQ."""
    document: text(r"[\s\S]*") | None = None
    """Before an answer of a FAQ."""


class _Base(Part):
    label: Label | None = None
    """Its name in tables, which is also the label of the method `start`. Without it: the key."""


class Transformer(_Base):
    """A base whose files are there already: one of `hub`, `package` and `folder` says where.

    Only families with the forward pass of BERT or RoBERTa can be read; MPNet and ModernBERT, for
    example, are refused.
    """

    weights_sha256: text("[0-9a-f]{64}") | None = None
    """SHA-256 of model.safetensors, or of the file of word vectors. Without it, the weights are not
    checked."""
    layers: Count | None = None
    """Number of layers to keep, from the first. Without it: all."""
    pooling: module_of(POOLINGS) | None = None
    """How the tokens of a sentence become one vector: the name of a module of
    semblance/models/poolings. `cls`: the first token. `mean`: the mean of the tokens in the last
    layer. `first_last`: of the first and the last layer. `static_last`: of the embedding layer and
    the last one. `pooler`: the checkpoint's own dense layer over the first token. `mask`: a mask
    token at the end of the sentence. Without it: as the model's own files state."""
    prompts: Prompts | None = None
    """Texts that stand before each text that the model reads, by its role. Without it: as the
    model's own files declare (`prompts` in config_sentence_transformers.json). `{}`: none."""
    default_prompt: Literal["query", "document"] | None = None
    """Which of `prompts` stands before texts that are compared with their like: those of NLI, of
    pairs, of plain text, of STS and of the transfer tasks. Without it: none does."""
    max_length: Length
    """Longest input of the model, in tokens; its prompts count."""
    tokenizer: of("base", "bases")
    """The base whose tokenizer this one uses. A corpus is tokenised once for all bases that share a
    tokenizer."""
    million_parameters: Million | None = None
    """Size of the model in million parameters, for predicted costs only. Without it: the size of
    its weights once they are there, before that 110."""
    licence: Text | None = None
    """Licence of the model, for the cards of the models that are trained from it. Without it: none
    is stated."""
    seen: Distinct[str] | None = None
    """Data sets of FAQ banks that its makers trained it on. A table of such a bank marks its rows.
    Without it: none that is known."""


class OfHub(Transformer):
    """A base of the model hub."""

    hub: text("[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*")
    """OWNER/NAME of a repository of the model hub."""
    revision: text("[0-9a-f]{7,40}")
    """Commit of that repository."""


class OfPackage(Transformer):
    """A base in an installed Python package."""

    package: text("[A-Za-z_][A-Za-z0-9_]*")
    """Installed Python package that holds the model."""
    subfolder: PathBelow | None = None
    """Folder of the model inside the package."""


class OfFolder(Transformer):
    """A base of this machine."""

    folder: text(".+")
    """Folder of this machine that holds the model. Or a text file of word vectors, such as GloVe's:
    a word and its numbers a line. Then the vector of a text is the mean of those of its words."""


OF_PRETRAINING = [*(key for key in NEEDED if key != "views"), "seed"]
Pretraining = part_of(
    TrainSettings,
    "Pretraining",
    "The training of a base by masked words alone. It changes `training`.",
    (*OF_PRETRAINING, "max_steps", *(key for key in OF_ALL if key != "no_duplicates")),
    part_of(MaskedWords, "_Share", "", ["share"]),
    needed=OF_PRETRAINING,
)


class TrainedHere(_Base):
    """A base that is trained here, out of another one: all else is that of the other base."""

    base: of("base", "bases")
    """The base that this one is trained from."""
    corpus: of("corpus", "corpora")
    """The corpus that it is trained on: by `pretrain` on its distinct sentences."""


class Tuned(TrainedHere):
    """A base that is the model of a method with one seed, as the paper of RCL starts from a model
    that was tuned on its very triples."""

    method: of("method", "methods")
    """The method that trains it; the weights are those that it keeps."""
    seed: Annotated[int, Field(ge=0, le=10**6)]
    """The seed of that training."""


class Pretrained(TrainedHere):
    """A base that is trained by masked words alone."""

    pretrain: Pretraining
    """The training of a base by masked words alone, without a loss of sentences, before any method.
    It changes `training`; the last weights are the base."""


def _kind_of_base(base: dict) -> str:
    if "method" in base:
        return "method"
    if not base.keys().isdisjoint(("base", "corpus", "pretrain")):
        return "pretrain"
    return next((key for key in ("package", "folder") if key in base), "hub")


Base = one_of(
    _kind_of_base,
    hub=OfHub,
    package=OfPackage,
    folder=OfFolder,
    pretrain=Pretrained,
    method=Tuned,
)


class _Corpus(Part):
    limit: Annotated[int, Field(ge=2)] | None = None
    """Number of rows to keep, from the first. Without it: all."""
    datasets: Distinct[str]
    """Data sets of the manifest that it is made from."""


class Nli(_Corpus):
    """Triples of premise, entailed and contradicted sentence."""

    kind: Literal["nli"]
    """`nli`: triples of premise, entailed and contradicted sentence."""
    neutral: bool | None = None
    """Whether a row has two hard negatives, a contradicted and a neutral sentence. The data sets
    must be of labelled pairs."""


class Wiki(_Corpus):
    """One sentence a line, of data sets of the manifest."""

    kind: Literal["wiki"]
    """`wiki`: one sentence a line."""


class Pairs(_Corpus):
    """Pairs of sentences."""

    kind: Literal["pairs"]
    """`pairs`: pairs of sentences."""
    format: module_of(PAIRS)
    """The format of its files, a module of `semblance/data/pairs`."""
    labels: Distinct[str] | None = None
    """The labels of the pairs to take. `qqp` has `duplicate` and `different`."""
    sample_seed: Seed | None = None
    """`limit` pairs are drawn at random, by this seed."""


class Triples(_Corpus):
    """Queries with their positives and hard negatives."""

    kind: Literal["triples"]
    """`triples`: CSV, Parquet or JSON lines with the columns `query`, `pos` and `neg`. In Parquet
    and JSON the last two may be lists."""


Corpus = one_of(
    lambda corpus: str(corpus.get("kind", "nli")),
    nli=Nli,
    wiki=Wiki,
    pairs=Pairs,
    triples=Triples,
)


class Sts(Part):
    """The tests of semantic textual similarity, and the dev set of the trainings."""

    datasets: Distinct[str]
    """Test sets: data sets of the manifest."""
    dev: Literal[*WITH_DEV_PAIRS]
    """Data set whose dev pairs choose the model that a training keeps. Its scores have the task `stsb-dev`."""
    protocol: StsProtocol
    """Form of the texts of the test pairs and the dev pairs. `senteval`: tokenised by Moses for
    English, and in lower case except SICK, as in SentEval's own script. `raw`: as released. It
    stands beside each score."""


class Transfer(Part):
    """SentEval's transfer tasks, which a linear classifier solves on the embeddings."""

    datasets: Distinct[Literal[*TRANSFER_TASKS]]
    """Tasks: data sets of the manifest. They are needed if a table has the layout `transfer` or
    `transfer-dev`; a task that is not in the list has no score there."""


class _Bank(Part):
    hold_out: HoldOut | None = None
    """What a fold tests. `entries`: questions whose entry it does not train on. `wordings`: users'
    wordings that it does not train on, of entries that are all known, which is what a service is
    asked. Without it: `entries`."""
    together: Together | None = None
    """What no split separates: the pairs of a `group` (of one question), or also all questions of
    one `answer`, and all spellings of a question or an answer. Without it: `answer` for your own
    file, else `group`."""
    train_on: TrainOn | None = None
    """What a fold trains on: each question with its answer; with `wordings` also users' wordings,
    each with the answer and with the question that it means. Without it: `wordings` for your own
    file, else `questions`."""


class DatasetBank(_Bank):
    """A bank of the manifest."""

    files: ClassVar[dict[str, str]] = {}
    kind: module_of(BANKS)
    """Format of its files: the name of a module of semblance/data/banks."""
    dataset: str
    """Data set of the manifest."""


class OwnBank(_Bank):
    """A file of the user's own."""

    kind: Literal["own"]
    """`own`: your own file."""
    path: File
    """Your own file: CSV, Excel (.xlsx) or JSON lines (docs/own-faq.md); its path has none of { } < >."""
    queries_path: File | None = None
    """A second file with the columns `query` and `id`, what users asked and the entry that answers
    it. Without it: the column `queries` alone."""
    question_column: Text | None = None
    """The column of the questions. Without it: by its name."""
    answer_column: Text | None = None
    """The column of the answers. Without it: by its name."""

    @property
    def files(self) -> dict[str, str]:
        """The user's own files by their keys."""
        named = {"path": self.path, "queries_path": self.queries_path}
        return {key: path for key, path in named.items() if path is not None}


OF_OWN_BANK = {"together": "answer", "train_on": "wordings"}  # of one that says nothing


Bank = one_of(
    lambda bank: "own" if bank.get("kind") == "own" else "dataset", dataset=DatasetBank, own=OwnBank
)


class Faq(Part):
    """The banks of frequently asked questions, and how they are split."""

    folds: Annotated[int, Field(ge=3, le=100)]  # each is a training of every method
    """Parts that a bank is split into: in each fold one is dev, one is test."""
    seed: Seed
    """Seed of the split."""
    banks: dict[Name, Bank]
    """FAQ banks by name."""
