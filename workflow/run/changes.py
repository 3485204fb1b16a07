"""What changed between the parameters that made a result and those of now, key by key.

Snakemake notes the parameters of each job as texts without names, and says of a change only all
texts of before and of now. Of code, which is a parameter as one digest, notes below the output
folder say which modules it covers. No snakemake here.
"""

import ast
import contextlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from semblance.code_digest import code_digest, module_digests
from semblance.counts import counted
from semblance.errors import InputError
from semblance.files import write_text
from semblance.provenance import read_object

NOTES = "logs/code.json"  # below the output folder
DIGITS = 12  # of the digest of a module
MOST = 200  # digests of code that are noted, the latest ones
DIGEST = re.compile(r"[0-9a-f]{64}")  # of code
FEW = 3  # so many keys or files are named, the rest counted
LONGEST = 40  # characters of a value
ABSENT = object()

Parts = Mapping[str, Mapping[str, str]]  # a digest of code -> its modules -> the digest of each

_stages: dict[str, tuple[str, ...]] = {}  # the digests of this process: of which modules


def digest(*modules: str) -> str:
    """Return the digest of all code that modules run, and remember which modules they are."""
    code = code_digest(*modules)
    _stages[code] = modules
    return code


def parts_of_code(out: str | Path) -> dict[str, dict[str, str]]:
    """Return each known digest of code with its modules and the beginnings of their digests."""
    known: dict[str, dict[str, str]] = {}
    with contextlib.suppress(InputError, OSError):
        known = read_object(Path(out, NOTES))
    for code, modules in _stages.items():
        digests = module_digests(*modules)
        known.pop(code, None)  # so that it becomes the last one
        known[code] = {name: text[:DIGITS] for name, text in sorted(digests.items())}
    return known


def note_code(out: str | Path) -> None:
    """Note what the digests of this process cover, beside those of earlier starts."""
    latest = dict(list(parts_of_code(out).items())[-MOST:])
    write_text(Path(out, NOTES), json.dumps(latest, indent=2) + "\n")  # their order is their age


def describe_changes(
    before: Iterable[str], now: Iterable[str], names: Mapping[str, str], parts: Parts
) -> Iterator[str]:
    """Yield what changed, a text for each parameter.

    ``before`` and ``now`` hold the ``repr`` of those parameters that the other one lacks; ``names``
    has the names of the parameters of now by their ``repr``.
    """
    old = [_parsed(text) for text in sorted(before)]
    for text in sorted(now):
        new = _parsed(text)
        kin = [other for other in old if _type_of(other) == _type_of(new)]
        if isinstance(new, dict):
            kin.sort(key=lambda other: len(other.keys() & new.keys()), reverse=True)
        counterpart = ABSENT
        if kin:
            counterpart = kin[0]
            old.remove(counterpart)
        yield _parameter_change(names.get(text, "a parameter"), counterpart, new, parts)


def _parsed(text: str) -> Any:
    """Return what a ``repr`` stands for: the settings that it holds as JSON or as flags, or a value."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
    if not isinstance(value, str):
        return value
    if value.startswith("--"):
        words = value.split()
        flags = [word.removeprefix("--") for word in words[::2]]
        return dict(zip(flags, words[1::2], strict=False))
    if value[:1] in ("{", "["):
        with contextlib.suppress(ValueError):
            return json.loads(value)
    return value


def _type_of(value: Any) -> str:
    if isinstance(value, str) and DIGEST.fullmatch(value):
        return "code"
    return type(value).__name__


def _parameter_change(name: str, old: Any, new: Any, parts: Parts) -> str:
    """Return the change of one parameter."""
    if _type_of(new) == "code":
        modules = parts.get(old, {}), parts.get(new, {})
        if not all(modules):
            return "code changed: which files is not noted"
        changed = {module for module, _ in modules[0].items() ^ modules[1].items()}
        files = [f"{module.replace('.', '/')}.py" for module in sorted(changed)]
        return f"code changed: {few(files, 'file', FEW)}"
    if not isinstance(old, dict) or not isinstance(new, dict):
        return _change(name, old, new)
    before, now = dict(_leaves(old)), dict(_leaves(new))
    pairs = {key: (before.get(key, ABSENT), now.get(key, ABSENT)) for key in {**before, **now}}
    told = [_change(key, *pair) for key, pair in pairs.items() if pair[0] != pair[1]]
    return few(told, "key", FEW)


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the settings of a tree, each with its path; those in a list by their label."""
    children = []
    if isinstance(value, dict):
        children = [(f"{path}.{key}" if path else key, inner) for key, inner in value.items()]
    elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        children = [(f"{path}[{item.get('label', i)}]", item) for i, item in enumerate(value)]
    if not children:
        yield path, value
    for inner_path, inner in children:
        yield from _leaves(inner, inner_path)


def _change(name: str, old: Any, new: Any) -> str:
    if old is ABSENT:
        return f"{name} is new: {_shortened(new)}"
    if new is ABSENT:
        return f"{name} left out: {_shortened(old)}"
    return f"{name} {_shortened(old)} -> {_shortened(new)}"


def _shortened(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"{text[:LONGEST]}…" if len(text) > LONGEST else text


def few(texts: Sequence[str], noun: str, most: int) -> str:
    """Return the first ``most`` texts, and how many more there are of what ``noun`` says."""
    named = ", ".join(texts[:most])
    if len(texts) > most:
        named += f" and {counted(len(texts) - most, f'more {noun}')}"
    return named
