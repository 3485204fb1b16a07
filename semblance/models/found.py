"""A model folder from anywhere, described as sentence-transformers would run it.

``models.folder`` reads the folders that this project writes. Here a folder may come from elsewhere:
without modules.json, with the transformer in a folder of its own, with prompts. What would be
computed in another way than sentence-transformers does is refused.
"""

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from torch import Tensor

from semblance.errors import InputError
from semblance.models import word_head
from semblance.models.architecture import read_architecture
from semblance.models.encoder import Encoder
from semblance.models.folder import build
from semblance.models.modules import (
    HEAD_FOLDER,
    POOLER,
    WHITENING_FOLDER,
    Modules,
)
from semblance.models.prompts import Prompts, read_prompts
from semblance.models.saved import (
    TOKENIZER_CONFIG,
    TOKENIZER_FILE,
    WEIGHTS_FILE,
    SavedModel,
    checked_length,
)
from semblance.models.stated import check_stated, check_tokenizer, read_lengths
from semblance.models.weights import POOLER_NAMES, has_pooler, load_weights, to_theirs
from semblance.provenance import read_object

BEHIND = {HEAD_FOLDER: "dense", WHITENING_FOLDER: "whitening"}  # dense layers behind the pooling
BARE = ("cls", "mean", "first_last", "static_last")  # poolings that every transformer can have
SHOWN = 4  # names of weights that are not read
OWN_HEAD = "mlp.dense"
OF_SIMCSE = (
    "This is a checkpoint of SimCSE as its training wrote it. A supervised model is scored with this "
    f"layer: rename {OWN_HEAD} to pooler.dense and read the row “pooler”. An unsupervised one is not."
)


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
    differs: tuple[str, ...]  # what sentence-transformers computes otherwise, in words

    @property
    def own(self) -> str | None:
        """What the folder itself computes, in words such as ``cls + dense``."""
        return None if self.pooling is None else " + ".join([self.pooling, *self.behind])

    @property
    def tokenizer(self) -> Path:
        """The tokenizer's file."""
        return self.transformer / TOKENIZER_FILE

    def find_prompt(self, name: str | None) -> str:
        """Return the text of a prompt; without a name the default, as ``encode`` takes it."""
        if name is None:
            return self.prompts.default
        if name not in self.prompts.texts:
            known = ", ".join(self.prompts.texts) or "none"
            raise InputError(self.folder, f"has no prompt {name!r}", f"it declares {known}")
        return self.prompts.texts[name]


def read_found(source: SavedModel | str | Path) -> FoundModel:
    """Describe a model folder; InputError for one that would not be computed as it is meant.

    The tokenizer of a model of a run was compared with that of transformers when its base was made.
    """
    is_own = isinstance(source, SavedModel)
    folder = source.folder if is_own else Path(source)
    if not folder.is_dir():
        raise InputError(folder, "no such folder", "name a folder of sentence-transformers")
    modules = Modules.of_any(folder)
    modules.check()
    prompts = read_prompts(folder)
    modules.check_prompts(prompts)
    listed = modules.listed
    inner = folder / listed[0].path if listed else folder
    differs = check_stated(folder, inner)
    if not is_own:
        check_tokenizer(inner)
    # sentence-transformers reads these files of its own folders alone.
    path, stated = read_lengths(inner) if listed else (inner, {})
    length = stated.get("max_seq_length")
    if length is not None:
        checked_length(path, length)
    return FoundModel(
        folder=folder,
        transformer=inner,
        pooling=modules.pooling() if listed else None,
        behind=tuple(BEHIND[module.part] for module in listed if module.part in BEHIND),
        max_length=_max_length(inner, length),
        lower_case=bool(stated.get("do_lower_case")),
        prompts=prompts,
        differs=tuple(differs),
    )


class Loaded(NamedTuple):
    """A transformer, the poolings that it can have, and which weights of its file are not read."""

    encoder: Encoder
    poolings: tuple[str, ...]
    unread: str


def load_found(model: FoundModel) -> Loaded:
    """Load the transformer on the CPU, in float32.

    Layers behind the pooling are left out; the encoder keeps all that these poolings read.
    """
    path = model.transformer / WEIGHTS_FILE
    stored = load_weights(path)
    poolings = (*BARE, POOLER) if has_pooler(stored) else BARE
    encoder = build(read_architecture(model.transformer), stored, path, poolings[-1])
    return Loaded(encoder.eval(), poolings, _unread(stored, encoder))


def _unread(stored: dict[str, Tensor], encoder: Encoder) -> str:
    """Name the stored weights that no score rests on; empty where all are read.

    Behind [CLS] SimCSE has a dense layer, ``mlp``: in its converted checkpoints it is the pooler.
    """
    # By transformers' names, in which the file has them: ours join query, key and value.
    read = to_theirs(dict(encoder.state_dict()), encoder.shape.num_hidden_layers)
    of_words = itertools.chain(*word_head.NAMES.values())
    names = sorted(stored.keys() - {*read, *POOLER_NAMES.values(), *of_words})
    if not names:
        return ""
    text = f"not read: {', '.join(names[:SHOWN])}"
    if len(names) > SHOWN:
        text += f" and {len(names) - SHOWN} weights more"
    return f"{text}. {OF_SIMCSE}" if f"{OWN_HEAD}.weight" in names else text


def _max_length(inner: Path, stated: int | None) -> int:
    """Return the longest input: the stated one, else the tokenizer's, else the model's."""
    shape = read_architecture(inner)
    most = shape.max_position_embeddings - shape.position_offset
    of_tokenizer = None
    if (inner / TOKENIZER_CONFIG).is_file():
        of_tokenizer = read_object(inner / TOKENIZER_CONFIG).get("model_max_length")
    for length in (stated, of_tokenizer):
        if type(length) is int and length >= 3:
            return min(length, most)
    return most
