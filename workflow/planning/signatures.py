"""What a function takes, read from its source: to import it would import torch at every start."""

import ast
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any

from workflow.planning.annotations import parsed, resolved, types_of


def read_signature(path: Path, function: str) -> Signature | None:
    """Return a function's signature, without other annotations than its options', defaults as None.

    None where the module defines no such function. The annotation of an option may use the names of
    ``semblance.settings`` and types that the module defines of these; InputError, with the line, for
    any other.
    """
    tree = parsed(path)
    types = types_of(tree, path)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return Signature(_parameters(node.args, types, path))
    return None


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
