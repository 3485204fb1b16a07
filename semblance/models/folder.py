"""Model folders: read and written as sentence-transformers and transformers read them.

Weights are safetensors only. The pooling, the longest input and the optional head are stored in the
folder, once, in the files where sentence-transformers looks for them.
"""

from pathlib import Path

from torch import Tensor, nn

from semblance.files import copy_file
from semblance.models.architecture import read_architecture
from semblance.models.encoder import Encoder
from semblance.models.module_files import (
    HEAD_FOLDER,
    WHITENING_FOLDER,
    check_prompts,
    find_module,
    stored_normalise,
    stored_pooling,
)
from semblance.models.module_writing import write_modules
from semblance.models.prompts import PROMPTS_FILE, read_prompts
from semblance.models.tensors import save_tensors
from semblance.models.weights import (
    check_shape,
    fill,
    load_weights,
    pooler_to_ours,
    to_ours,
    to_theirs,
)

TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
)
HEAD_SPREAD = 0.02  # standard deviation of a fresh head's weights, as of BERT's own


def load(folder: str | Path, head: bool = False) -> Encoder:
    """Load a model folder as an Encoder on the CPU, in float32.

    ``head`` adds a fresh projection head (drawn from torch's generator) where the folder has none.
    Raises InputError for a folder that cannot be read as it is meant, such as one whose
    pooling leaves its prompts out.
    """
    folder = Path(folder)
    check_prompts(folder, read_prompts(folder))
    shape = read_architecture(folder)
    pooling = stored_pooling(folder)
    own_head = find_module(folder, "Dense", HEAD_FOLDER)
    stored = load_weights(folder / "model.safetensors")
    weights = to_ours(stored, shape.num_hidden_layers, folder)
    check_shape(shape, weights, folder)
    normalise = stored_normalise(folder)
    encoder = Encoder(shape, pooling, head=head or own_head is not None, normalise=normalise)
    if "pooler" in encoder.reads:
        weights |= pooler_to_ours(stored, folder)
    if own_head is not None:
        weights |= _read_dense(folder / own_head.path, "head")
    elif encoder.head is not None:
        weights |= _draw_head(encoder.head)
    weights |= _read_whitening(encoder, folder)
    fill(encoder, weights, folder)
    return encoder


def _read_whitening(encoder: Encoder, folder: Path) -> dict[str, Tensor]:
    """Give the encoder the folder's whitening, if it has one, and return the layer's weights."""
    module = find_module(folder, "Dense", WHITENING_FOLDER)
    if module is None:
        return {}
    width = encoder.shape.hidden_size
    encoder.whitening = nn.Linear(width, width)
    return _read_dense(folder / module.path, "whitening")


def _read_dense(folder: Path, name: str) -> dict[str, Tensor]:
    """Read the weights of a dense layer, to be called ``name``."""
    stored = load_weights(folder / "model.safetensors")
    return {f"{name}.{kind.removeprefix('linear.')}": value for kind, value in stored.items()}


def _draw_head(head: nn.Linear) -> dict[str, Tensor]:
    nn.init.normal_(head.weight, std=HEAD_SPREAD)
    nn.init.zeros_(head.bias)
    return {f"head.{name}": value.clone() for name, value in head.state_dict().items()}


def save(
    encoder: Encoder,
    folder: str | Path,
    source: str | Path,
    keep_head: bool,
    max_length: int,
    pooler: dict[str, Tensor] | None = None,
) -> list[str]:
    """Write ``encoder`` as a sentence-transformers folder, its config and tokenizer from ``source``.

    Returns the names of the files written. Weights that the encoder does not use (BERT's pooler) are
    carried over unchanged, from ``pooler`` or from the source's own, so that ``transformers`` finds
    the folder complete.
    """
    folder = Path(folder)
    source = Path(source)
    folder.mkdir(parents=True, exist_ok=True)
    if pooler is None:
        pooler = load_weights(source / "model.safetensors")
    weights = to_theirs(_on_cpu(encoder.state_dict()))
    carried = {name: value for name, value in pooler.items() if name.startswith("pooler.")}
    weights = carried | weights
    save_tensors(weights, folder / "model.safetensors")
    copied = _copy_description(source, folder)
    modules = write_modules(encoder, folder, keep_head, max_length)
    return ["model.safetensors", *copied, *modules]


def _on_cpu(state: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: value.detach().cpu().contiguous() for name, value in state.items()}


def _copy_description(source: Path, folder: Path) -> list[str]:
    """Copy config.json, the tokenizer's files and the prompts; return the names of those there are."""
    wanted = ("config.json", *TOKENIZER_FILES, PROMPTS_FILE)
    names = [name for name in wanted if (source / name).is_file()]
    if folder != source:
        for name in names:
            copy_file(source / name, folder / name)
    return names
