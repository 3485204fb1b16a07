"""What a folder from anywhere states beside its weights: read as its libraries read it, or refused.

Ours are the texts as tokenizer.json reads them and the whole vectors. transformers, and so
sentence-transformers, builds a family's tokenizer anew from several files. Here both are compared part
by part, and of each other file the keys are known, with the values that change nothing here.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from tokenizers.pre_tokenizers import ByteLevel

from semblance.data.tokens import REGEXES, load_tokenizer, refuse_tokenizer
from semblance.errors import InputError
from semblance.files import require_regular
from semblance.models.architecture import read_architecture
from semblance.models.modules import CONFIG, check_keys
from semblance.models.prompts import PROMPTS_FILE
from semblance.models.saved import LENGTH_FILE, TOKENIZER_FILE, WEIGHTS_FILE
from semblance.models.weights import ADAPTER, load_tensors, no_weights
from semblance.provenance import read_object

if TYPE_CHECKING:
    from tokenizers import Tokenizer

VECTORS = "SentenceTransformer"  # the type of model that gives vectors
WRITTEN_ANEW = "AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER) writes it"
ADVICE = f"make its files agree as the model was trained ({WRITTEN_ANEW}), or choose another model"
# Where sentence-transformers looks for the longest input, one after the other.
FAMILIES = ("roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet")
LENGTH_FILES = (LENGTH_FILE, *(f"sentence_{family}_config.json" for family in FAMILIES))
LENGTH_KEYS = {  # of these files, with the values that are computed; any value of the first two
    "max_seq_length": None,
    "do_lower_case": None,
    "transformer_task": ["feature-extraction"],
    "modality_config": [{"text": {"method": "forward", "method_output_name": "last_hidden_state"}}],
    "module_output_name": ["token_embeddings"],
}
PROBES = ["", "a"]  # texts that show what is put around a text
# What our reader does, whatever tokenizer.json says.
OURS = {"padding_side": "right", "truncation_side": "right", "split_special_tokens": False}


def check_stated(folder: Path, transformer: Path) -> list[str]:
    """Return in words what sentence-transformers computes otherwise than in float32 and by cosine.

    Raises InputError where it would give no vectors of texts, or cut them. ``transformer``: the folder
    of the transformer and its tokenizer, which may be ``folder``.
    """
    if (transformer / ADAPTER).is_file():
        raise no_weights(transformer / WEIGHTS_FILE)
    read_architecture(transformer)  # of what cannot be computed at all this is said first
    path = folder / PROMPTS_FILE
    stated = read_object(path) if path.is_file() else {}
    kind = stated.get("model_type", VECTORS)
    if kind != VECTORS:
        problem = f"is a {kind!s:.40}, which gives no vector of a text"
        raise InputError(path, problem, f"choose a model of the type {VECTORS}")
    length = stated.get("truncate_dim")
    if length is not None:
        problem = f"truncate_dim is {length!r:.20}: vectors are cut, which is not supported"
        raise InputError(path, problem, "remove it from the file to have the whole vectors")
    differs = []
    if (precision := _precision(transformer)) != "float32":
        differs.append(f"{precision} in its files, computed in float32")
    if (similarity := stated.get("similarity_fn_name") or "cosine") != "cosine":
        differs.append(f"similarity {similarity!s:.40} in its files, cosine here")
    return differs


def _precision(transformer: Path) -> str:
    """Return the type of numbers in which transformers computes, as torch calls it."""
    config = read_object(transformer / CONFIG)
    stated = config.get("dtype") or config.get("torch_dtype")
    if stated is None:  # then that of the weights
        weights = load_tensors(transformer / WEIGHTS_FILE).values()
        stated = next((each.dtype for each in weights if each.is_floating_point()), torch.float32)
    return str(stated).removeprefix("torch.")


def read_lengths(transformer: Path) -> tuple[Path, dict[str, Any]]:
    """Return what is stated of the texts that a transformer reads, and the file; InputError for more."""
    for name in LENGTH_FILES:
        path = transformer / name
        if path.is_file() and (stated := read_object(path)):
            check_keys(path, stated, LENGTH_KEYS)
            return path, stated
    return transformer / LENGTH_FILE, {}


def check_tokenizer(transformer: Path) -> None:
    """Raise InputError, by the first part that differs, where transformers reads other tokens."""
    path = transformer / TOKENIZER_FILE
    if not path.is_file():
        raise InputError(transformer, f"has no {TOKENIZER_FILE}", WRITTEN_ANEW)
    for each in transformer.iterdir():
        if each.exists() and not each.is_dir():
            require_regular(each)
    tokenizer = load_tokenizer(path)
    from transformers import AutoTokenizer, __version__  # slow to import

    with refuse_tokenizer(transformer, ADVICE):
        found = _parts(tokenizer) | OURS
        theirs = AutoTokenizer.from_pretrained(
            str(transformer), local_files_only=True, trust_remote_code=False
        )
        expected = _parts(theirs.backend_tokenizer) | {key: getattr(theirs, key) for key in OURS}
    for name in [*found, *expected]:
        here, there = found.get(name), expected.get(name)
        if here != there:
            problem = f"{name} is {json.dumps(there):.60} to transformers {__version__}"
            problem += f", which is read here as {json.dumps(here):.60}"
            raise InputError(path, problem, ADVICE)
    around = tokenizer.encode(PROBES[-1])
    if around.special_tokens_mask[-2:] != [0, 1] or any(around.type_ids):
        problem = (
            "post_processor puts other than one token behind a text, or states types of tokens"
        )
        raise InputError(path, problem, "choose another model")


def _parts(tokenizer: "Tokenizer") -> dict[str, Any]:
    """Return what decides on the tokens of a text, by the names of the parts.

    Two spellings of one thing are one. Truncation and padding are no part: each call states them.
    """
    tokenizer.no_truncation()
    tokenizer.no_padding()
    state = json.loads(tokenizer.to_str())
    normalizer = list(_leaves(state["normalizer"] or {}))
    words = list(_leaves(state["pre_tokenizer"] or {}))
    kinds = [each["type"] for each in words]
    if kinds[:1] == ["WhitespaceSplit"]:  # then runs of blanks are as good as one
        normalizer = [each for each in normalizer if each.get("pattern") != {"Regex": REGEXES[0]}]
    # Of pieces with scores the pieces count: two readers of JSON differ in a last digit.
    state["model"]["vocab"] = tokenizer.get_vocab(with_added_tokens=False)
    model = {f"model.{key}": value or None for key, value in state["model"].items()}
    if kinds[-1:] == ["ByteLevel"] and tokenizer.get_vocab().keys() >= set(ByteLevel.alphabet()):
        model.pop("model.unk_token", None)  # each byte is a token: none is unknown
    added = {f"added token {token['content']!r}": token for token in state["added_tokens"]}
    for token in added.values():
        if not normalizer:  # then a token that is looked for before it, is so after it
            del token["normalized"]
    # What stands around a text: by what it does, since it can be written in several ways.
    around = [(" ".join(each.tokens), each.ids) for each in tokenizer.encode_batch(PROBES)]
    parts = {"normalizer": normalizer, "pre_tokenizer": words}
    return {**parts, **model, **added, "post_processor": around}


def _leaves(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the parts of a sequence in order, each as it is written in full; of no part none."""
    inner = [*part.get("normalizers", []), *part.get("pretokenizers", [])]
    for each in inner:
        yield from _leaves(each)
    if part and not inner:
        leaf = {key: value for key, value in part.items() if key != "trim_offsets"}
        # Without a word on accents they go where letters are put in lower case, as in BERT.
        if leaf.get("strip_accents", False) is None:
            leaf["strip_accents"] = leaf["lowercase"]
        yield leaf
