"""A model on the disk, a base model or a trained one, known by the record of its stage.

This module does not import torch, so that a stage that needs a tokenizer alone does not depend on
the code of the encoder. ``models.folder.load`` makes an encoder of a model's folder.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semblance import layout
from semblance.errors import InputError
from semblance.models.prompts import NO_PROMPTS, PROMPTS_FILE, Prompts, read_prompts
from semblance.provenance import canonical, checked, read_object, text_digest

# The files of a model's folder, and where they lie beside its record.
WEIGHTS = layout.WEIGHTS
FOLDER, _, WEIGHTS_FILE = WEIGHTS.partition("/")
TOKENIZER_FILE = "tokenizer.json"
TOKENIZER_CONFIG = "tokenizer_config.json"
TOKENIZER = f"{FOLDER}/{TOKENIZER_FILE}"
LENGTH_FILE = "sentence_bert_config.json"  # states the longest input
LENGTH = f"{FOLDER}/{LENGTH_FILE}"
LISTING = "modules.json"
PROMPTS = f"{FOLDER}/{PROMPTS_FILE}"  # of a model that has prompts
LONGEST = 1 << 24  # tokens; no model comes near it


@dataclass(frozen=True)
class SavedModel:
    """A model folder and the record, beside it, that holds the digest of each file."""

    record_path: Path
    record: dict[str, Any]

    @classmethod
    def read(cls, record_path: str | Path, *names: str) -> "SavedModel":
        """Read a model's record and check its files against it: all of them, or ``names`` alone."""
        return cls(Path(record_path), checked(record_path, *names))

    @property
    def folder(self) -> Path:
        """The folder, as sentence-transformers reads it."""
        return self.record_path.parent / FOLDER

    @property
    def weights_digest(self) -> str:
        """The sha256 of the weights."""
        return self.record["outputs"][WEIGHTS]

    @property
    def tokenizer(self) -> Path:
        """The tokenizer's file."""
        return self.record_path.parent / TOKENIZER

    @property
    def tokenizer_digest(self) -> str:
        """The sha256 of the tokenizer, whatever longest input its file states beside it."""
        parts = json.loads(self.tokenizer.read_text(encoding="utf-8"))
        parts.pop("truncation", None)
        return text_digest(canonical(parts))

    @property
    def prompts(self) -> Prompts:
        """What the model wants before each text; InputError for a damaged file."""
        if PROMPTS not in self.record["outputs"]:
            return NO_PROMPTS
        checked(self.record_path, PROMPTS)
        return read_prompts(self.folder)

    @property
    def max_length(self) -> int:
        """The longest input in tokens that the folder states."""
        return stored_length(self.folder)

    def check_tokens(self, path: str, tokens: dict[str, Any]) -> None:
        """Raise InputError, at ``path``, for a record of tokens that the model does not read."""
        what = None
        if tokens["tokenizer"] != self.tokenizer_digest:
            what = "another tokenizer"
        elif tokens.get("prompts") != self.prompts.as_json():
            what = "other prompts"
        if what is not None:
            problem = f"made by {what} than that of {self.record_path}"
            raise InputError(path, problem, "correct the base's tokenizer key in the config")


def stored_length(folder: Path) -> int:
    """Return the longest input in tokens that a model folder states; InputError if it is none."""
    path = folder / LENGTH_FILE
    return checked_length(path, read_object(path).get("max_seq_length"))


def checked_length(path: Path, length: object) -> int:
    """Return the longest input in tokens; InputError if it is none."""
    if type(length) is not int or not 3 <= length <= LONGEST:
        problem = f"max_seq_length is {length!r:.40}"
        raise InputError(path, problem, "expected a whole number of at least 3")
    return length
