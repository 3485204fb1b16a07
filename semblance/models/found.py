"""A model folder from anywhere, described as sentence-transformers would run it.

``models.folder`` reads the folders that this project writes. Here a folder may come from elsewhere:
without modules.json, with the transformer in a folder of its own, with prompts. What would be
computed in another way than sentence-transformers does is refused.
"""

from dataclasses import dataclass
from pathlib import Path

from semblance.data.tokens import load_tokenizer
from semblance.errors import InputError
from semblance.models.architecture import read_architecture
from semblance.models.encoder import Encoder
from semblance.models.folder import build
from semblance.models.modules import (
    ACTIVATIONS,
    HEAD_FOLDER,
    POOLER,
    WHITENING_FOLDER,
    Module,
    Modules,
)
from semblance.models.prompts import Prompts, read_prompts
from semblance.models.saved import LISTING, TOKENIZER_FILE, WEIGHTS_FILE, checked_length
from semblance.models.weights import has_pooler, load_weights
from semblance.provenance import read_object

LENGTHS = "sentence_*_config.json"  # sentence_bert_config.json; older versions name the family
KINDS = ("Transformer", "WeightedLayerPooling", "Pooling", "Dense", "Normalize")
BEHIND = {HEAD_FOLDER: "dense", WHITENING_FOLDER: "whitening"}  # dense layers behind the pooling
BARE = ("cls", "mean", "first_last", "static_last")  # poolings that every transformer can have


@dataclass(frozen=True)
class FoundModel:
    """What a folder states of its model."""

    folder: Path
    transformer: Path
    pooling: str | None  # None where the folder states none
    behind: tuple[str, ...]  # the layers behind the pooling
    max_length: int
    lower_case: bool  # texts are put in lower case before the tokenizer reads them
    prompts: Prompts

    @property
    def own(self) -> str | None:
        """What the folder itself computes, in words such as ``cls + dense``."""
        return None if self.pooling is None else " + ".join([self.pooling, *self.behind])

    @property
    def tokenizer(self) -> Path:
        """The tokenizer's file."""
        return self.transformer / TOKENIZER_FILE

    def text(self, sentence: str, prompt: str = "") -> str:
        """Return what the tokenizer reads of a sentence."""
        whole = prompt + sentence
        return whole.lower() if self.lower_case else whole

    def find_prompt(self, name: str | None) -> str:
        """Return the text of a prompt; without a name the default, as ``encode`` takes it."""
        if name is None:
            return self.prompts.default
        if name not in self.prompts.texts:
            known = ", ".join(self.prompts.texts) or "none"
            raise InputError(self.folder, f"has no prompt {name!r}", f"it declares {known}")
        return self.prompts.texts[name]


def read_found(folder: str | Path) -> FoundModel:
    """Describe a model folder; InputError for one that would not be computed as it is meant."""
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(folder, "no such folder", "name a folder of sentence-transformers")
    modules = Modules.of_any(folder)
    _check_modules(modules)
    prompts = read_prompts(folder)
    modules.check_prompts(prompts)
    listed = modules.listed
    inner = folder / listed[0].path if listed else folder
    # What the folder says of the texts that it reads.
    files = sorted(inner.glob(LENGTHS))
    stated = read_object(files[0]) if files else {}
    length = stated.get("max_seq_length")
    if length is not None:
        checked_length(files[0], length)
    return FoundModel(
        folder=folder,
        transformer=inner,
        pooling=modules.pooling() if listed else None,
        behind=tuple(BEHIND[module.role] for module in listed if module.role in BEHIND),
        max_length=_max_length(inner, length),
        lower_case=stated.get("do_lower_case") is True,
        prompts=prompts,
    )


def load_found(model: FoundModel) -> tuple[Encoder, tuple[str, ...]]:
    """Load the transformer on the CPU, in float32; return it and the poolings that it can have.

    Layers behind the pooling are left out; the encoder keeps all that these poolings read.
    """
    path = model.transformer / WEIGHTS_FILE
    stored = load_weights(path)
    poolings = (*BARE, POOLER) if has_pooler(stored) else BARE
    encoder = build(read_architecture(model.transformer), stored, path, poolings[-1])
    return encoder.eval(), poolings


def _check_modules(modules: Modules) -> None:
    path = modules.folder / LISTING
    if modules.listed and modules.listed[0].kind != "Transformer":
        problem = f"begins with {modules.listed[0].kind}, not with a transformer"
        raise InputError(path, problem, "choose another model")
    for module in modules.listed:
        known = module.kind in KINDS
        if module.kind == "Dense":
            known = _is_known_dense(modules, module)
        if not known:
            problem = f"module {module.path or module.kind} ({module.kind}) is not supported"
            raise InputError(path, problem, f"known are {', '.join(KINDS)}")


def _is_known_dense(modules: Modules, module: Module) -> bool:
    if module.role not in ACTIVATIONS:
        return False
    config = read_object(modules.config_path(module))
    expected = ACTIVATIONS[module.role].rpartition(".")[2]
    activation = str(config.get("activation_function", expected)).rpartition(".")[2]
    return activation == expected and config.get("in_features") == config.get("out_features")


def _max_length(inner: Path, stated: int | None) -> int:
    """Return the longest input: the stated one, else the tokenizer's, else the model's."""
    shape = read_architecture(inner)
    most = shape.max_position_embeddings - shape.position_offset
    of_tokenizer = None
    if (inner / "tokenizer_config.json").is_file():
        of_tokenizer = read_object(inner / "tokenizer_config.json").get("model_max_length")
    load_tokenizer(inner / TOKENIZER_FILE)  # before any work: a folder without one is of no use
    for length in (stated, of_tokenizer):
        if type(length) is int and length >= 3:
            return min(length, most)
    return most
