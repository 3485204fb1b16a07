"""Types read from source: to import a loss or a dropout would import torch at every start."""

import ast
from pathlib import Path
from typing import Any

from semblance import settings
from semblance.errors import InputError, at

BUILT_IN = {kind.__name__: kind for kind in (bool, dict, float, int, str, tuple)}
TYPES = {**vars(settings), **BUILT_IN}  # what an annotation may name
BOUNDS = ("Above", "AtLeast", "AtMost", "Below")  # what an annotation may call


def parsed(path: Path) -> ast.Module:
    """Return the syntax tree of a module; InputError, with the line, if it is not Python."""
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        raise InputError(at(path, error.lineno), f"not Python: {error.msg}") from None


def types_of(tree: ast.Module, path: Path) -> dict[str, Any]:
    """Return the types that the annotations of a module may name, by name.

    These are the types of ``semblance.settings`` and those that the module makes of them, such as
    ``Margin = Annotated[float, Above(0)]``.
    """
    types = dict(TYPES)
    for node in tree.body:
        if _defines_a_type(node, types):
            types[node.targets[0].id] = resolved(node.value, types, path)
    return types


def _defines_a_type(node: ast.stmt, types: dict[str, Any]) -> bool:
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return False
    if isinstance(node.value, ast.Name):
        return node.value.id in types
    if isinstance(node.value, ast.Subscript):
        return ast.unparse(node.value.value) in ("Annotated", "Literal")
    return False


def resolved(node: ast.expr, types: dict[str, Any], path: Path) -> Any:
    """Return the type, or the part of one, that an expression of an annotation stands for.

    Raises InputError, with the line, where the annotation names anything but ``types``.
    """

    def part(inner: ast.expr) -> Any:
        return resolved(inner, types, path)

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
