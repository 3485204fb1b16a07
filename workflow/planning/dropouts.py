"""What each dropout takes, read from its source: plain rates, and the Options of its module."""

import ast
import dataclasses
import functools
from pathlib import Path
from typing import Any

from semblance.errors import InputError
from semblance.named_modules import DROPOUTS, module_file
from semblance.settings import Rate, decode_as
from workflow.planning.annotations import parsed, resolved, types_of

PLAIN_RATES = ("hidden", "attention")  # every model has them, so no module does


def check(dropout: dict[str, Any], where: str) -> None:
    """Raise InputError, with the key, unless each dropout exists and takes these options."""
    for name, value in dropout.items():
        key = f"{where}.{name}"
        kind = Rate if name in PLAIN_RATES else options_type(module_file(DROPOUTS, name, key))
        decode_as(kind, value, key)


@functools.cache
def options_type(path: Path) -> Any:
    """Return the type ``Options`` of a dropout's module; of a dataclass, one with the same fields."""
    tree = parsed(path)
    types = types_of(tree, path)
    if "Options" in types:
        return types["Options"]
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == "Options":
            fields = [_field(part, types, path) for part in node.body if _is_field(part)]
            return dataclasses.make_dataclass("Options", fields, frozen=True)
    raise InputError(path, "it defines no type `Options`", "see CONTRIBUTING.md")


def _is_field(node: ast.stmt) -> bool:
    return isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)


def _field(node: ast.AnnAssign, types: dict[str, Any], path: Path) -> tuple:
    """Return the name and the type of a field, and a default if it has one."""
    described = (node.target.id, resolved(node.annotation, types, path))
    if node.value is None:
        return described
    return (*described, dataclasses.field(default=None))
