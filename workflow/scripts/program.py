"""The program of a stage: its command line has a flag for each parameter of one function."""

import argparse
import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import is_dataclass
from types import UnionType
from typing import Any, Literal, get_args, get_origin

from semblance.settings import decode_json, parse_json

JSON = {"settings": "settings", "run": "--run"}  # flags of one JSON; what an error calls each


def program(description: str | None) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator: the function takes its arguments from a command line.

    A flag is named as its parameter. ``settings``, ``run`` and each ``dict`` come as one JSON. The
    fields of any other dataclass are flags themselves.
    """

    def decorated(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def main(argv: list[str] | None = None) -> None:
            parser = argparse.ArgumentParser(
                description=description, formatter_class=argparse.RawDescriptionHelpFormatter
            )
            _add_flags(parser, function)
            _call(function, vars(parser.parse_args(argv)))

        return main

    return decorated


def _add_flags(parser: argparse.ArgumentParser, function: Callable[..., Any]) -> None:
    for parameter in inspect.signature(function).parameters.values():
        if _has_flags_of_its_own(parameter):
            _add_flags(parser, parameter.annotation)
        else:
            flag = f"--{parameter.name.replace('_', '-')}"
            parser.add_argument(flag, **_form(parameter))


def _has_flags_of_its_own(parameter: inspect.Parameter) -> bool:
    return is_dataclass(parameter.annotation) and parameter.name not in JSON


def _form(parameter: inspect.Parameter) -> dict[str, Any]:
    """Return how argparse reads a parameter, by its annotation and its default."""
    form: dict[str, Any] = {"required": True}
    if parameter.default is not inspect.Parameter.empty:
        form = {"default": parameter.default}
    hint = parameter.annotation
    if is_dataclass(hint) or hint is dict:  # of one JSON
        return form
    if get_origin(hint) is UnionType:  # float | None
        hint = get_args(hint)[0]
    if get_origin(hint) is Literal:
        return {**form, "choices": get_args(hint)}
    if get_origin(hint) is Sequence:
        return {**form, "nargs": "+" if "required" in form else "*"}
    return {**form, "type": hint}


def _call(function: Callable[..., Any], flags: dict[str, Any]) -> Any:
    values = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if _has_flags_of_its_own(parameter):
            values[name] = _call(parameter.annotation, flags)
        elif is_dataclass(parameter.annotation):
            values[name] = decode_json(parameter.annotation, flags[name], JSON[name])
        elif parameter.annotation is dict:
            values[name] = parse_json(flags[name], f"--{name}")
        else:
            values[name] = flags[name]
    return function(**values)
