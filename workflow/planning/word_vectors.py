"""Bases that are a user's file of word vectors: they are read as they are and never trained."""

from typing import Any

from semblance.errors import InputError
from workflow.planning.methods import reads_no_corpus

READ_AS_IT_IS = "word vectors are not trained: name another base, or the method start"


def is_word_vectors(base: dict) -> bool:
    """Tell whether a base of the config is a file of word vectors."""
    return "word_vectors" in base


def word_vector_bases(config: dict) -> list[str]:
    """Return the bases of the config that are files of word vectors."""
    return [name for name, base in config["bases"].items() if is_word_vectors(base)]


def settings_of(base: dict) -> dict[str, Any]:
    """Return the settings of ``prepare_word_vectors``."""
    settings = {"path": base["word_vectors"]}
    if "words" in base:
        settings["words"] = base["words"]
    return settings


def check_method(config: dict, where: str, base: str, method: str) -> None:
    """Raise InputError, at ``where``, for a method that cannot read a base of word vectors."""
    if is_word_vectors(config["bases"][base]) and not reads_no_corpus(config, method):
        problem = f"{method!r} needs a training on {base!r}"
        raise InputError(where, problem, READ_AS_IT_IS)


def check_transformer(config: dict, where: str, base: str) -> None:
    """Raise InputError, at ``where``, for a base of word vectors."""
    if is_word_vectors(config["bases"][base]):
        raise InputError(where, f"{base!r} is a file of word vectors", "name another base")
