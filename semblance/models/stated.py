"""What a folder from anywhere states in files that are not read here: refused where it matters.

Ours are the texts as tokenizer.json reads them and the whole vectors. transformers, and so
sentence-transformers, builds the tokenizer of a family anew from tokenizer_config.json, whatever
tokenizer.json says, and takes a default for a key that is not there.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from semblance.data.tokens import load_tokenizer
from semblance.errors import InputError
from semblance.models.prompts import PROMPTS_FILE
from semblance.models.saved import TOKENIZER_FILE
from semblance.provenance import read_object

LENGTHS = "sentence_*_config.json"  # sentence_bert_config.json; older versions name the family
TOKENIZER_CONFIG = "tokenizer_config.json"
AS_IT_IS = ("PreTrainedTokenizerFast", "TokenizersBackend")  # classes that keep tokenizer.json
ADVICE = "make the two files agree, in the way in which the model was trained"


def check_stated(folder: Path, transformer: Path) -> None:
    """Raise InputError where sentence-transformers would read other texts, or cut the vectors.

    ``transformer``: the folder of the transformer and its tokenizer, which may be ``folder``.
    """
    if not (transformer / TOKENIZER_FILE).is_file():
        problem = f"has no {TOKENIZER_FILE}"
        advice = "AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER) writes it"
        raise InputError(transformer, problem, advice)
    path = transformer / TOKENIZER_CONFIG
    config = read_object(path) if path.is_file() else {}
    if config.get("truncation_side", "right") != "right":
        problem = "truncation_side is left: of a long text its end is read, which is not supported"
        raise InputError(path, problem, "choose another model, or state right")
    # Only what tokenizer.json has a part for can differ: RoBERTa's has no normalizer at all.
    for key, value in _of_tokenizer(transformer / TOKENIZER_FILE).items():
        stated = _stated(config, key)
        if stated != value and config.get("tokenizer_class") not in AS_IT_IS:
            problem = f"{key} is {json.dumps(stated)}, in {TOKENIZER_FILE} {json.dumps(value)}"
            raise InputError(path, problem, ADVICE)
    path = folder / PROMPTS_FILE
    length = read_object(path).get("truncate_dim") if path.is_file() else None
    if length is not None:
        problem = f"truncate_dim is {length!r:.20}: vectors are cut, which is not supported"
        raise InputError(path, problem, "remove it from the file to have the whole vectors")


def refuse_lower_case(transformer: Path) -> None:
    """Raise InputError where texts are to be put in lower case before the tokenizer reads them."""
    for path in transformer.glob(LENGTHS):
        lower = read_object(path).get("do_lower_case") is True
        if lower and not _of_tokenizer(transformer / TOKENIZER_FILE).get("do_lower_case"):
            problem = (
                f"do_lower_case is true, in {TOKENIZER_FILE} it is not: not supported of a base"
            )
            raise InputError(path, problem, ADVICE)


def _of_tokenizer(path: Path) -> dict[str, bool]:
    """Return what tokenizer.json says, by the names of tokenizer_config.json."""
    tokenizer = load_tokenizer(path)
    values = {}
    for part in (tokenizer.normalizer, tokenizer.pre_tokenizer):
        state = json.loads(part.__getstate__()) if part else {"type": ""}
        for each in (state, *state.get("normalizers", []), *state.get("pretokenizers", [])):
            if each["type"] == "BertNormalizer":
                # Without a word on accents they go where letters are put in lower case, as in BERT.
                lower = each["lowercase"]
                strip = each["strip_accents"]
                values["do_lower_case"] = lower
                values["strip_accents"] = lower if strip is None else strip
                values["tokenize_chinese_chars"] = each["handle_chinese_chars"]
            elif each["type"] == "ByteLevel":
                values["add_prefix_space"] = each["add_prefix_space"]
    return values


def _stated(config: Mapping[str, Any], key: str) -> Any:
    """Return the value of a key, or what transformers takes in its place."""
    if key == "strip_accents" and config.get(key) is None:
        return config.get("do_lower_case", True)
    return config.get(key, key != "add_prefix_space")
