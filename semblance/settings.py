"""Frozen settings, strictly decoded: an unknown key or a wrong type never passes silently."""

import dataclasses
import inspect
import json
import math
import types
import typing
from typing import Any, TypeVar

from semblance.errors import InputError

T = TypeVar("T")


def decode(cls: type[T], values: Any, where: str = "settings") -> T:
    """Build the frozen dataclass ``cls`` from plain JSON values.

    Raises InputError naming the key (``where.key``) for an unknown or missing key or a wrong type.
    """
    if not isinstance(values, dict):
        raise InputError(where, f"expected a mapping, found {type(values).__name__}")
    fields = {f.name: f for f in dataclasses.fields(cls)}
    for key in values:
        if key not in fields:
            raise InputError(
                f"{where}.{key}", "unknown key", f"known are {', '.join(sorted(fields))}"
            )
    hints = typing.get_type_hints(cls)
    built = {}
    for name, field in fields.items():
        if name in values:
            built[name] = _convert(values[name], hints[name], f"{where}.{name}")
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise InputError(f"{where}.{name}", "missing key")
    return cls(**built)


def decode_json(cls: type[T], text: str, where: str = "settings") -> T:
    """Decode the one ``--settings`` JSON of a script into ``cls``."""
    return decode(cls, parse_json(text, where), where)


def parse_json(text: str, where: str) -> Any:
    """Parse strict JSON: no key twice, no NaN; InputError for anything else."""
    try:
        return json.loads(text, parse_constant=_refuse, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise InputError(where, f"not JSON: {error}") from None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON number")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError(f"a key stands twice among {sorted(key for key, _ in pairs)}")
    return values


def check_type(value: Any, hint: Any, where: str) -> None:
    """Raise InputError unless ``value`` is of the annotated type; where nothing is annotated, all is well."""
    if hint is not inspect.Parameter.empty:
        _convert(value, hint, where)


def _convert(value: Any, hint: Any, where: str) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return value
    if origin in (types.UnionType, typing.Union):
        if value is None and type(None) in arguments:
            return None
        return _convert(value, next(a for a in arguments if a is not type(None)), where)
    if origin is tuple:
        if not isinstance(value, (list, tuple)):
            raise InputError(where, f"expected a list, found {value!r:.80}")
        return tuple(_convert(v, arguments[0], f"{where}[{i}]") for i, v in enumerate(value))
    if origin is dict:
        if not isinstance(value, dict):
            raise InputError(where, f"expected a mapping, found {value!r:.80}")
        return {str(k): _convert(v, arguments[1], f"{where}.{k}") for k, v in value.items()}
    if dataclasses.is_dataclass(hint):
        return decode(hint, value, where)
    return _scalar(value, hint, where)


def _scalar(value: Any, hint: type, where: str) -> Any:
    if (
        hint is float
        and isinstance(value, int)
        and not isinstance(value, bool)
        and abs(value) <= 2**53
    ):
        value = float(value)
    if not isinstance(value, hint) or (isinstance(value, bool) and hint is not bool):
        raise InputError(where, f"expected {hint.__name__}, found {value!r:.80}")
    if hint is float and not math.isfinite(value):
        raise InputError(where, f"{value} is no finite number")
    return value
