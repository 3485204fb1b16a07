"""Model folders: read and written as sentence-transformers and transformers read them.

Weights are safetensors only. The pooling, the longest input and the optional head are stored in the
folder, once, in the files where sentence-transformers looks for them (``models.modules``).
"""

import json
from pathlib import Path

from torch import Tensor, nn

from semblance.data.tokens import MOST_BYTES
from semblance.files import copy_file, write_text
from semblance.models.architecture import Architecture, read_architecture
from semblance.models.encoder import Encoder
from semblance.models.modules import (
    AVERAGED_LAYER,
    CONFIG,
    HEAD_FOLDER,
    POOLER,
    POOLER_FOLDER,
    WHITENING_FOLDER,
    Modules,
    Writer,
)
from semblance.models.prompts import PROMPTS_FILE, read_prompts
from semblance.models.saved import TOKENIZER_CONFIG, TOKENIZER_FILE, WEIGHTS_FILE
from semblance.models.weights import (
    check_shape,
    fill,
    load_weights,
    pooler_to_ours,
    save_tensors,
    to_ours,
    to_theirs,
)
from semblance.provenance import read_object, read_text, write_json
from semblance.settings import Head

TOKENIZER_FILES = (
    TOKENIZER_FILE,
    TOKENIZER_CONFIG,
    "special_tokens_map.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
)
OF_ITS_SOURCE = ("_or_path", "_file", "_version")  # ends of keys that say where a folder came from
HEAD_SPREAD = 0.02  # standard deviation of a fresh head's weights, as of BERT's own


def load(folder: str | Path, head: Head = "none") -> Encoder:
    """Load a model folder as an Encoder on the CPU, in float32.

    ``head`` adds a fresh projection head (drawn from torch's generator) where the folder has none. One
    that the folder has is kept, unless ``head`` is for training only.
    Raises InputError for a folder that cannot be read as it is meant, such as one whose
    pooling leaves its prompts out.
    """
    folder = Path(folder)
    modules = Modules.read(folder)
    modules.check()
    modules.check_prompts(read_prompts(folder))
    transformer = folder / modules.listed[0].path
    shape = read_architecture(transformer)
    pooling = modules.pooling()
    own_head = modules.find("Dense", HEAD_FOLDER)
    whitening = modules.find("Dense", WHITENING_FOLDER)
    path = transformer / WEIGHTS_FILE
    encoder = build(
        shape,
        load_weights(path),
        path,
        pooling,
        head="keep" if own_head is not None and head == "none" else head,
        normalise=modules.find("Normalize") is not None,
    )
    if own_head is not None:
        fill(encoder.head, modules.dense(own_head), folder / own_head.path)
    elif encoder.head is not None:
        nn.init.normal_(encoder.head.weight, std=HEAD_SPREAD)
        nn.init.zeros_(encoder.head.bias)
    if whitening is not None:
        encoder.whitening = nn.Linear(shape.hidden_size, shape.hidden_size)
        fill(encoder.whitening, modules.dense(whitening), folder / whitening.path)
    return encoder


def build(
    shape: Architecture,
    stored: dict[str, Tensor],
    path: Path,
    pooling: str,
    head: Head = "none",
    normalise: bool = False,
) -> Encoder:
    """Return an encoder with the weights ``stored`` of the file ``path``; a head stays as drawn.

    Raises InputError for weights that are not those of the shape, or that the pooling misses.
    """
    weights = to_ours(stored, shape.num_hidden_layers, path)
    check_shape(shape, weights, path)
    encoder = Encoder(shape, pooling, head=head, normalise=normalise)
    if "pooler" in encoder.reads:
        weights |= pooler_to_ours(stored, path)
    if encoder.head is not None:
        weights |= {f"head.{name}": value for name, value in encoder.head.state_dict().items()}
    fill(encoder, weights, path)
    return encoder


def save(
    encoder: Encoder,
    folder: str | Path,
    source: str | Path,
    max_length: int,
    pooler: dict[str, Tensor] | None = None,
) -> list[str]:
    """Write a sentence-transformers folder, its config and tokenizer from ``source``.

    Returns the names of its files. Weights that the encoder does not use (BERT's pooler) are
    carried over from ``pooler``, or from the source: ``transformers`` finds the folder complete.
    """
    folder = Path(folder)
    source = Path(source)
    folder.mkdir(parents=True, exist_ok=True)
    if pooler is None:
        pooler = load_weights(source / WEIGHTS_FILE)
    state = encoder.state_dict()
    ours = {name: value.detach().cpu().contiguous() for name, value in state.items()}
    carried = {name: value for name, value in pooler.items() if name.startswith("pooler.")}
    weights = carried | to_theirs(ours, encoder.shape.num_hidden_layers)
    save_tensors(weights, folder / WEIGHTS_FILE)
    wanted = (CONFIG, *TOKENIZER_FILES, PROMPTS_FILE)
    for name in wanted:
        if folder != source and (source / name).is_file():
            copy_file(source / name, folder / name)
    length = encoder.max_length(max_length)  # others would read beyond the positions
    _write_length(folder, length)
    copied = [name for name in wanted if (folder / name).is_file()]
    for name in {CONFIG, TOKENIZER_CONFIG, PROMPTS_FILE}.intersection(copied):
        _forget_source(folder / name)
    return [WEIGHTS_FILE, *copied, *_write_modules(encoder, folder, length)]


def _write_length(folder: Path, length: int) -> None:
    """State the longest input where readers of the tokenizer look for it, and no padding.

    Some read tokenizer.json alone, and some the smaller of two lengths in the tokenizer's config.
    """
    path = folder / TOKENIZER_FILE
    parts = json.loads(read_text(path, MOST_BYTES))
    cut = {"direction": "Right", "max_length": length, "strategy": "LongestFirst", "stride": 0}
    parts |= {"truncation": cut, "padding": None}
    write_text(path, json.dumps(parts, ensure_ascii=False, separators=(",", ":")))
    path = folder / TOKENIZER_CONFIG
    config = read_object(path) if path.is_file() else {}
    config.pop("max_length", None)
    write_json(path, config | {"model_max_length": length})
    return TOKENIZER_FILE, TOKENIZER_CONFIG


def _forget_source(path: Path) -> None:
    """Take out of a config what is true of the source alone: its paths, versions and private keys.

    Private keys begin with "_"; of transformers and sentence-transformers these are ``_name_or_path``,
    ``_commit_hash`` and ``__version__``.
    """
    config = read_object(path).items()
    kept = {k: v for k, v in config if not k.startswith("_") and not k.endswith(OF_ITS_SOURCE)}
    write_json(path, kept)


def _write_modules(encoder: Encoder, folder: Path, length: int) -> list[str]:
    """Write the modules behind the transformer, in order; return the names of their files."""
    shape = encoder.shape
    writer = Writer(folder)
    if encoder.pooling in AVERAGED_LAYER:
        writer.add_layer_average(encoder.pooling, shape.hidden_size, shape.num_hidden_layers)
        writer.add_pooling("mean", shape.hidden_size)
    elif encoder.pooling == POOLER:
        writer.add_pooling("cls", shape.hidden_size)
        writer.add_dense(encoder.pooler, POOLER_FOLDER)
    else:
        writer.add_pooling(encoder.pooling, shape.hidden_size)
    if encoder.keeps_head:
        writer.add_dense(encoder.head, HEAD_FOLDER)
    if encoder.normalise:
        writer.add("Normalize", "Normalize")
    if encoder.whitening is not None:
        writer.add_dense(encoder.whitening, WHITENING_FOLDER)
    return writer.finish(length)
