"""What each loss takes, read from its source."""

import ast
import functools
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any

from semblance import settings
from semblance.errors import InputError
from semblance.named_modules import LOSSES, module_file
from workflow.planning.annotations import parsed, resolved, types_of


def reads_regulators(name: str) -> bool:
    """Tell whether a loss reads the frozen embeddings of entropy models."""
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
    """Return the signature of a loss, its tensors without annotation and its defaults as None.

    The annotation of an option may use the names of ``semblance.settings`` and types that the
    module defines of these; InputError, with the line, for any other.
    """
    path = module_file(LOSSES, name, "loss")
    tree = parsed(path)
    types = types_of(tree, path)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "loss":
            return Signature(_parameters(node.args, types, path))
    raise InputError(path, "it defines no function `loss`", "see CONTRIBUTING.md")


def _parameters(arguments: ast.arguments, types: dict[str, Any], path: Path) -> list[Parameter]:
    found = [Parameter(a.arg, Parameter.POSITIONAL_OR_KEYWORD) for a in arguments.args]
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        option = Parameter(argument.arg, Parameter.KEYWORD_ONLY)
        if default is not None:
            option = option.replace(default=None)
        if argument.annotation is not None:
            option = option.replace(annotation=resolved(argument.annotation, types, path))
        found.append(option)
    return found
