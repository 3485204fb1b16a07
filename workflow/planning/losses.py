"""What each loss takes, read from its source: importing it would import torch at every start."""

import ast
import functools
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any

from semblance import settings
from semblance.errors import InputError, at

FOLDER = Path(__file__).parents[2] / "semblance" / "training" / "losses"
BUILT_IN = {kind.__name__: kind for kind in (bool, dict, float, int, str, tuple)}
TYPES = {**vars(settings), **BUILT_IN}  # what an annotation may name
BOUNDS = ("Above", "AtLeast", "AtMost", "Below")  # what an annotation may call


def names() -> list[str]:
    """Return the losses' names, each that of a module."""
    return sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")


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
    path = FOLDER / f"{name}.py"
    types = dict(TYPES)
    for node in _parsed(path).body:
        if _defines_a_type(node):
            types[node.targets[0].id] = _resolved(node.value, types, path)
        elif isinstance(node, ast.FunctionDef) and node.name == "loss":
            return Signature(_parameters(node.args, types, path))
    raise InputError(path, "it defines no function `loss`", "see CONTRIBUTING.md")


def _parsed(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        raise InputError(at(path, error.lineno), f"not Python: {error.msg}") from None


def _defines_a_type(node: ast.stmt) -> bool:
    """Tell whether a statement is like ``Margin = Annotated[float, Above(0)]``."""
    return (
        isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Subscript)
        and ast.unparse(node.value.value) in ("Annotated", "Literal")
    )


def _parameters(arguments: ast.arguments, types: dict[str, Any], path: Path) -> list[Parameter]:
    found = [Parameter(a.arg, Parameter.POSITIONAL_OR_KEYWORD) for a in arguments.args]
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        option = Parameter(argument.arg, Parameter.KEYWORD_ONLY)
        if default is not None:
            option = option.replace(default=None)
        if argument.annotation is not None:
            option = option.replace(annotation=_resolved(argument.annotation, types, path))
        found.append(option)
    return found


def _resolved(node: ast.expr, types: dict[str, Any], path: Path) -> Any:
    """Return the type, or the part of one, that an expression of an annotation stands for."""

    def part(inner: ast.expr) -> Any:
        return _resolved(inner, types, path)

    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name) if name in types:
            return types[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -part(operand)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return part(left) | part(right)
        case ast.Tuple(elts=parts):
            return tuple(map(part, parts))
        case ast.Subscript(value=outer, slice=inner):
            return part(outer)[part(inner)]
        case ast.Call(func=ast.Name(id=name), args=[limit]) if name in BOUNDS:
            return types[name](part(limit))
    problem = f"an option's type cannot be read: {ast.unparse(node)}"
    raise InputError(at(path, node.lineno), problem, "use the types of semblance/settings.py")
