"""What the modules found by name take: a declaration is run alone, since its module imports torch."""

import ast
import contextlib
import functools
import inspect
import traceback
import typing
from dataclasses import dataclass
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any

from semblance import settings
from semblance.errors import InputError, at
from semblance.named_modules import DROPOUTS, LOSSES, VIEWS, module_file
from semblance.settings import PLAIN_RATES, Rate, check_keywords, decode

# What an annotation may name, beside Python's own types and those that the module makes.
NAMES = {**vars(typing), **vars(settings), "dataclass": dataclass}


def check_loss(name: str, options: dict[str, Any], where: str, may_miss: bool = False) -> None:
    """Raise InputError, with the key, unless a loss takes these options.

    ``may_miss``: another place may state those that are missing.
    """
    signature = loss_signature(name)
    if may_miss:
        optional = [option.replace(default=None) for option in signature.parameters.values()]
        signature = signature.replace(parameters=optional)
    check_keywords(signature, options, where)


def loss_options(name: str) -> set[str]:
    """Return the names of the options that a loss takes."""
    parameters = loss_signature(name).parameters.values()
    return {p.name for p in parameters if p.kind is Parameter.KEYWORD_ONLY}


def reads_regulators(name: str) -> bool:
    """Tell whether a loss reads the frozen embeddings of other models."""
    return "regulators" in loss_signature(name).parameters


def loss_signature(name: str) -> Signature:
    """Return the signature of a loss."""
    return required_signature(module_file(LOSSES, name, "loss"), "loss")


def check_view(name: str, options: dict[str, Any], where: str) -> None:
    """Raise InputError, with the key, unless the view changes texts and takes these options."""
    change = declaration(module_file(VIEWS, name, "views"), "change")
    if change is not None:
        check_keywords(inspect.signature(change), options, where)
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


def required_signature(path: Path, function: str) -> Signature:
    """Return the signature of a module's function: the types of its options, each default as None."""
    return inspect.signature(_required(path, "function", function))


def options_type(path: Path) -> Any:
    """Return the type ``Options`` of a dropout's module; of a dataclass, one with the same fields."""
    return _required(path, "type", "Options")


def _required(path: Path, kind: str, name: str) -> Any:
    declared = declaration(path, name)
    if declared is None:
        raise InputError(path, f"it defines no {kind} `{name}`", "see CONTRIBUTING.md")
    return declared


@functools.cache
def declaration(path: Path, name: str) -> Any:
    """Return what a module declares by a name, its code and its decorators left out; None if nothing.

    InputError, with the line, for an annotation that names anything but the types of
    ``semblance.settings`` and what the module makes of them: ``Margin = Annotated[float, Above(0)]``.
    """
    names = dict(NAMES)
    try:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign):
                with contextlib.suppress(Exception):  # it is no type
                    _run(node, path, names)
            elif getattr(node, "name", None) == name:
                _run(_bare(node), path, names)
    except SyntaxError as error:
        raise InputError(at(path, error.lineno), f"not Python: {error.msg}") from None
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        line = [frame.lineno for frame in frames if frame.filename == str(path)][-1]
        problem = f"an option's type cannot be read: {error}"
        raise InputError(
            at(path, line), problem, "use the types of semblance/settings.py"
        ) from None
    return names.get(name)


def _run(node: ast.stmt, path: Path, names: dict[str, Any]) -> None:
    exec(compile(ast.Module([node], []), path, "exec"), names)


def _bare(node: Any) -> ast.stmt:
    """Return a function without its body, or a dataclass with its fields alone."""
    if isinstance(node, ast.FunctionDef):
        node.decorator_list = []
        node.body = []
        node.returns = None
        for argument in node.args.args:
            argument.annotation = None
        given = node.args.kw_defaults
        node.args.kw_defaults = [default and ast.Constant(None) for default in given]
        node.args.defaults = []
    else:
        node.decorator_list = [ast.Name("dataclass", ast.Load())]
        node.body = [part for part in node.body if isinstance(part, ast.AnnAssign)]
        for field in node.body:
            if field.value and not isinstance(field.value, ast.Constant):
                field.value = ast.Constant(None)
    node.body.append(ast.Pass())
    return ast.fix_missing_locations(node)
