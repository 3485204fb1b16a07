"""What changed between the parameters that made a result and those of now, key by key.

Snakemake notes the parameters of each job as texts without names, and says of a change only all
texts of before and of now. No snakemake here.
"""

import ast
import contextlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from semblance.counts import counted

DIGEST = re.compile(r"[0-9a-f]{64}")  # of code
FEW = 3  # so many keys or files are named, the rest counted
LONGEST = 40  # characters of a value
ABSENT = object()

Parts = Mapping[str, Mapping[str, str]]  # a digest of code -> its modules -> the digest of each


def describe_changes(
    before: Iterable[str], now: Iterable[str], names: Mapping[str, str], parts: Parts
) -> Iterator[str]:
    """Yield what changed, a text for each parameter.

    ``before`` and ``now`` hold the ``repr`` of those parameters that the other one lacks; ``names``
    has the names of the parameters of now by their ``repr``.
    """
    old = [_decode_value(text) for text in sorted(before)]
    new = [(names.get(text, ""), _decode_value(text)) for text in sorted(now)]
    for name, value in new:
        counterpart = _counterpart(value, old)
        if counterpart is not ABSENT:
            old.remove(counterpart)
        yield from _of_one(name, counterpart, value, parts)


def _decode_value(text: str) -> Any:
    """Return what a ``repr`` stands for."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
    if isinstance(value, str):
        return _decoded(value)
    return value


def _decoded(text: str) -> Any:
    """Return the settings that a text holds, as JSON or as flags with values; else the text."""
    if text.startswith("--"):
        words = text.split()
        flags = [word.removeprefix("--") for word in words[::2]]
        return dict(zip(flags, words[1::2], strict=False))
    if text[:1] in ("{", "["):
        with contextlib.suppress(ValueError):
            return json.loads(text)
    return text


def _counterpart(value: Any, others: Iterable[Any]) -> Any:
    """Return the one of the other values that was most likely the same parameter."""
    kin = [other for other in others if _type_of(other) == _type_of(value)]
    if isinstance(value, dict):
        kin.sort(key=lambda other: len(other.keys() & value.keys()), reverse=True)
    return next(iter(kin), ABSENT)


def _type_of(value: Any) -> str:
    if isinstance(value, str) and DIGEST.fullmatch(value):
        return "code"
    return type(value).__name__


def _of_one(name: str, old: Any, new: Any, parts: Parts) -> Iterator[str]:
    """Yield the change of one parameter."""
    if _type_of(new) == "code":
        yield f"code changed: {_files(parts.get(old, {}), parts.get(new, {}))}"
    elif isinstance(old, dict) and isinstance(new, dict):
        yield _few(list(_of_keys(dict(_leaves(old)), dict(_leaves(new)))), "key")
    else:
        yield _change(name or "a parameter", old, new)


def _files(old: Mapping[str, str], new: Mapping[str, str]) -> str:
    """Return the files that differ between the modules of two digests of code, where known."""
    if not old or not new:
        return "which files is not noted"
    changed = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    return _few([f"{name.replace('.', '/')}.py" for name in sorted(changed)], "file")


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the settings of a tree, each with its path; those in a list by their label."""
    children = []
    if isinstance(value, dict):
        children = [(f"{path}.{key}" if path else key, inner) for key, inner in value.items()]
    elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        children = [(f"{path}[{_label(item, i)}]", item) for i, item in enumerate(value)]
    if not children:
        yield path, value
    for inner_path, inner in children:
        yield from _leaves(inner, inner_path)


def _label(item: Mapping[str, Any], number: int) -> str:
    return str(item.get("label", number))


def _of_keys(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for key in {**old, **new}:
        before = old.get(key, ABSENT)
        now = new.get(key, ABSENT)
        if before != now:
            yield _change(key, before, now)


def _change(name: str, old: Any, new: Any) -> str:
    if old is ABSENT:
        return f"{name} is new: {_shown(new)}"
    if new is ABSENT:
        return f"{name} left out: {_shown(old)}"
    return f"{name} {_shown(old)} -> {_shown(new)}"


def _shown(value: Any) -> str:
    text = value
    if not isinstance(value, str):
        text = json.dumps(value, ensure_ascii=False)
    if len(text) > LONGEST:
        return f"{text[:LONGEST]}…"
    return text


def _few(texts: list[str], noun: str) -> str:
    """Join a few texts; count the rest."""
    named = ", ".join(texts[:FEW])
    others = len(texts) - FEW
    if others > 0:
        named += f" and {counted(others, f'more {noun}')}"
    return named
