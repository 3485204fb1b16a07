"""What the modules found by name take, read from their source: to import one would import torch.

A user's own loss is called once besides, in a process of its own.
"""

import ast
import dataclasses
import functools
import json
import os
import re
import subprocess
import sys
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any

from semblance import named_modules, settings
from semblance.errors import InputError, at
from semblance.named_modules import DROPOUTS, LOSSES, OWN_LOSS, VIEWS
from semblance.provenance import ROOT
from semblance.settings import PLAIN_RATES, Rate, check_keywords, decode

ADVICE = "see CONTRIBUTING.md"
# What an annotation may name. It is read node by node: Python's own evaluation would run any code.
NAMES = {**vars(settings), **{kind.__name__: kind for kind in (bool, dict, float, int, str, tuple)}}
SECONDS = 60  # that one call of a loss may take
NAME = re.compile(r"[a-z][a-z0-9_]*\.py")

module_file = functools.cache(named_modules.module_file)  # each method asks, and it reads folders


def check_loss(name: str, options: dict[str, Any], where: str, may_miss: bool = False) -> None:
    """Raise InputError, with the key, unless a loss takes these options.

    ``may_miss``: another place may state those that are missing.
    """
    signature = loss_signature(name)
    if may_miss:
        optional = [option.replace(default=None) for option in signature.parameters.values()]
        signature = signature.replace(parameters=optional)
    check_keywords(signature, options, where)
    if name == OWN_LOSS and not may_miss:
        path = Path(options["file"])
        if path.suffix != ".py" or not path.is_file():
            raise InputError(f"{where}.file", f"{str(path)!r} is no file of Python", ADVICE)
        own = required_signature(path, "loss")
        check_keywords(own, options.get("options") or {}, f"{where}.options")


def check_own_loss(file: Path, given: dict[str, Any], texts: int) -> dict[str, Any]:
    """Return those of the control's options that a loss takes, once it was called with them.

    Raises InputError, with the line, for a file whose loss cannot train a model.
    """
    if not NAME.fullmatch(file.name):
        problem = "is no NAME.py of small letters, digits and _, and no method that is trained here"
        raise InputError(file, problem)
    if not file.is_file():
        raise InputError(file, "no such file")
    signature = required_signature(file, "loss")
    options = {key: value for key, value in given.items() if key in signature.parameters}
    check_keywords(signature, options, f"{file}: options")
    probe = [sys.executable, "-P", "-m", "semblance.training.probe", str(file)]
    try:
        child = subprocess.run(
            [*probe, json.dumps(options), str(texts)],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise InputError(file, f"one call did not end in {SECONDS} s") from None
    if child.returncode:
        lines = [line for line in child.stdout.splitlines() if line.startswith(f"{file}:")]
        said = [f"{file}: it ended the process", *lines][-1]
        where, _, problem = said.partition(": ")
        raise InputError(where, problem)
    return options


def loss_options(name: str) -> set[str]:
    """Return the names of the options that a loss takes."""
    parameters = loss_signature(name).parameters.values()
    return {p.name for p in parameters if p.kind is Parameter.KEYWORD_ONLY}


def reads_regulators(name: str) -> bool:
    """Tell whether a loss reads the frozen embeddings of other models."""
    return "regulators" in loss_signature(name).parameters


def loss_signature(name: str) -> Signature:
    return required_signature(module_file(LOSSES, name, "loss"), "loss")


def required_signature(path: Path, function: str) -> Signature:
    """Return a signature as ``read_signature`` does; InputError where there is no such function."""
    signature = read_signature(path, function)
    if signature is None:
        raise InputError(path, f"it defines no function `{function}`", ADVICE)
    return signature


def check_view(name: str, options: dict[str, Any], where: str) -> None:
    """Raise InputError, with the key, unless the view changes texts and takes these options."""
    change = read_signature(module_file(VIEWS, name, "views"), "change")
    if change is not None:
        check_keywords(change, options, where)
    elif options:
        raise InputError(where, f"view {name!r} changes no text", "remove these options")


def check_dropout(dropout: dict[str, Any], where: str) -> None:
    """Raise InputError, with the key, unless each dropout exists and takes these options."""
    for name, value in dropout.items():
        key = f"{where}.{name}"
        kind = Rate if name in PLAIN_RATES else options_type(module_file(DROPOUTS, name, key))
        options = decode(kind, value, key)
        if name == "sampled" and options.low > options.high:
            raise InputError(key, "low is above high")


@functools.cache
def read_signature(path: Path, function: str) -> Signature | None:
    """Return a function's signature with the annotations of its options alone, defaults as None.

    None where the module defines no such function. InputError, with the line, for an annotation
    that names anything but the types of ``semblance.settings`` and what the module makes of them.
    """
    tree = _parsed(path)
    types = _types_of(tree)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            positional = [Parameter(a.arg, Parameter.POSITIONAL_OR_KEYWORD) for a in node.args.args]
            options = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            return Signature([*positional, *(_option(*option, types, path) for option in options)])
    return None


def _option(
    argument: ast.arg, default: ast.expr | None, types: dict[str, Any], path: Path
) -> Parameter:
    option = Parameter(argument.arg, Parameter.KEYWORD_ONLY)
    if default is not None:
        option = option.replace(default=None)
    if argument.annotation is not None:
        option = option.replace(annotation=_evaluated(argument.annotation, types, path))
    return option


@functools.cache
def options_type(path: Path) -> Any:
    """Return the type ``Options`` of a dropout's module; of a dataclass, one with the same fields."""
    tree = _parsed(path)
    types = _types_of(tree)
    if "Options" in types:
        return types["Options"]
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == "Options":
            parts = [part for part in node.body if isinstance(part, ast.AnnAssign)]
            fields = [_field(part, types, path) for part in parts]
            return dataclasses.make_dataclass("Options", fields, frozen=True)
    raise InputError(path, "it defines no type `Options`", ADVICE)


def _field(node: ast.AnnAssign, types: dict[str, Any], path: Path) -> tuple:
    """Return the name and the type of a field, and its default: None where it is no plain value."""
    described = (ast.unparse(node.target), _evaluated(node.annotation, types, path))
    if node.value is None:
        return described
    default = node.value.value if isinstance(node.value, ast.Constant) else None
    return (*described, dataclasses.field(default=default))


@functools.cache
def _parsed(path: Path) -> ast.Module:
    """Return the syntax tree of a module; InputError, with the line, if it is not Python."""
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        raise InputError(at(path, error.lineno), f"not Python: {error.msg}") from None
    except UnicodeDecodeError as error:
        raise InputError(path, f"not UTF-8: {error.reason} at byte {error.start}") from None


def _types_of(tree: ast.Module) -> dict[str, Any]:
    """Return what the annotations of a module may name: also ``Margin = Annotated[float, Above(0)]``."""
    types = dict(NAMES)
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                types[node.targets[0].id] = _type_of(node.value, types)
            except Exception:  # anything else that the module defines
                continue
    return types


def _evaluated(node: ast.expr, types: dict[str, Any], path: Path) -> Any:
    try:
        return _type_of(node, types)
    except Exception:
        problem = f"an option's type cannot be read: {ast.unparse(node)}"
        advice = "use the types of semblance/settings.py"
        raise InputError(at(path, node.lineno), problem, advice) from None


def _type_of(node: ast.expr, types: dict[str, Any]) -> Any:
    """Return the type that an annotation writes; an error of any kind for other code."""
    match node:
        case ast.Name(name):
            return types[name]
        case ast.Subscript(kind, of):
            return _type_of(kind, types)[_type_of(of, types)]
        case ast.Tuple(parts):
            return tuple(_type_of(part, types) for part in parts)
        case ast.BinOp(one, ast.BitOr(), other):
            return _type_of(one, types) | _type_of(other, types)
        case ast.Call(kind, arguments, []):
            return _type_of(kind, types)(*(_type_of(argument, types) for argument in arguments))
    return ast.literal_eval(node)
