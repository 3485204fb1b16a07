"""What each loss takes, read from its source."""

import functools
from inspect import Parameter, Signature
from typing import Any

from semblance import settings
from semblance.errors import InputError
from semblance.named_modules import LOSSES, module_file
from workflow.planning.signatures import read_signature


def reads_regulators(name: str) -> bool:
    """Tell whether a loss reads the frozen embeddings of other models."""
    return "regulators" in signature(name).parameters


def options(name: str) -> set[str]:
    """Return the names of the options that a loss takes."""
    parameters = signature(name).parameters.values()
    return {p.name for p in parameters if p.kind is Parameter.KEYWORD_ONLY}


def check_values(name: str, options: dict[str, Any], where: str) -> None:
    """Raise InputError, with the key, unless the loss takes these options; others may be missing."""
    whole = signature(name)
    optional = [p.replace(default=None) for p in whole.parameters.values()]
    settings.check_keywords(whole.replace(parameters=optional), options, where)


def check_options(name: str, options: dict[str, Any], where: str) -> None:
    """Raise InputError, with the key, unless the loss takes these options."""
    settings.check_keywords(signature(name), options, where)


@functools.cache
def signature(name: str) -> Signature:
    """Return the signature of a loss, as ``read_signature``."""
    path = module_file(LOSSES, name, "loss")
    found = read_signature(path, "loss")
    if found is None:
        raise InputError(path, "it defines no function `loss`", "see CONTRIBUTING.md")
    return found
