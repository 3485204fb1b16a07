"""Write docs/config.md: every key of the config, from its type and config.yaml.

python -m workflow.planning.describe FILE        (or: make docs)
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

from pydantic.fields import FieldInfo

from semblance.config.misfits import is_part, kinds_of
from semblance.config.model import Config
from semblance.config.part import Part
from semblance.config.trainings import Dropout, Settings
from semblance.files import write_text
from workflow.planning.layers import PROJECT, laid_over

HEAD = """# The keys of config.yaml

<!-- `make docs` writes this page from semblance/config and config.yaml. -->

One section for each section of [config.yaml](../config.yaml), in its order. *Value* is what a key
may hold, *in config.yaml* what it holds there. NAME stands for a name that you choose, `[]` for each
entry of a list. A key that is not described here is refused, and so is a value of another kind.
Where the papers are silent, [decisions.md](decisions.md) says what was chosen and why.
"""
WORDS = {int: "whole number", float: "number", str: "text", bool: "true or false", Any: "number"}
BOUNDS = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}


class Row(NamedTuple):
    """One key: its path in its section, what it may hold, what config.yaml has, its meaning."""

    path: str
    value: str
    given: Any
    meaning: str


def page(config: type[Part], values: dict) -> str:
    """Return the page of a type of config, as Markdown; ``values`` is config.yaml."""
    plain, parts = [], []
    for name, field in config.model_fields.items():
        hint = kinds_of(field.annotation).get("")
        below = list(_below(hint, values.get(name), ""))
        if not below:
            plain.append(_row(name, field, values.get(name)))
            continue
        parts += [f"## `{name}`\n", _flat(field.description) + "\n"]
        if not is_part(hint):
            names = ", ".join(f"`{each}`" for each in values.get(name, {})) or "none"
            parts.append(f"In config.yaml: {names}.\n")
        parts.append(_key_table(below))
    dropout = [
        "## `dropout` of a recipe or of a training\n",
        _key_table(list(_keys(Dropout, {}, ""))),
    ]
    return "\n".join([HEAD, "## Folders and addresses\n", _key_table(plain), *parts, *dropout])


def _values(hint: Any) -> Any:
    """Return the type of the values of a mapping from names; None of anything else."""
    hint = kinds_of(hint).get("")
    return get_args(hint)[1] if get_origin(hint) is dict and get_args(hint)[1] is not Any else None


def _below(hint: Any, given: Any, path: str) -> Iterator[Row]:
    """Yield all keys below a type: of a part, of the entries of a mapping, of those of a list."""
    if named := _values(hint):
        kinds = kinds_of(named)
        about = [_flat(kind.__doc__) for kind in kinds.values() if is_part(kind)]
        meaning = " ".join(about) or "A list, by its name."
        yield Row(f"{path}NAME", _allowed(named), None, meaning)
        yield from _of_kinds(kinds, f"{path}NAME.")
    elif is_part(hint) and hint is not Dropout:
        yield from _keys(hint, given or {}, path)
    elif get_origin(hint) is list and is_part(kinds_of(get_args(hint)[0]).get("")):
        yield from _keys(kinds_of(get_args(hint)[0])[""], {}, f"{path.removesuffix('.')}[].")


def _of_kinds(kinds: dict[str, Any], path: str) -> Iterator[Row]:
    """Yield the keys of all kinds of an entry, each once; a key of some says of which."""
    parts = {name: kind for name, kind in kinds.items() if is_part(kind)}
    rows_of: dict[str, dict[str, Row]] = {}
    for name, part in parts.items():
        for row in _keys(part, {}, path):
            rows_of.setdefault(row.path, {})[name] = row
    for place, rows in rows_of.items():
        words = ", ".join(row.value for row in rows.values()).split(", ")
        meaning = " ".join(dict.fromkeys(row.meaning for row in rows.values()))
        if len(rows) < len(parts):
            meaning += f" (Of kind {', '.join(f'`{name}`' for name in rows)}.)"
        yield Row(place, ", ".join(dict.fromkeys(words)), None, meaning)


def _keys(part: type[Part], given: dict, path: str) -> Iterator[Row]:
    """Yield the keys of a part and all below them; the settings of a training in one row."""
    shared = Settings.model_fields.keys() & part.model_fields.keys()
    if path and len(shared) > len(Settings.model_fields) / 2:
        without = sorted(Settings.model_fields.keys() - shared)
        but = f" but {', '.join(f'`{key}`' for key in without)}" if without else ""
        yield Row(f"{path}…", "", None, f"Each key of `training`{but}, and not `threads`.")
    else:
        shared = set()
    for name, field in part.model_fields.items():
        if name not in shared:
            yield _row(f"{path}{name}", field, given.get(name))
            hint = kinds_of(field.annotation).get("")
            yield from _below(hint, given.get(name), f"{path}{name}.")


def _row(path: str, field: FieldInfo, given: Any) -> Row:
    value = " ".join([_allowed(field.annotation), _bounds(field.metadata)]).strip()
    return Row(path, value, given, _flat(field.description))


def _flat(text: str | None) -> str:
    return " ".join((text or "").split())


def _key_table(found: list[Row]) -> str:
    rows = [("key", "value", "in config.yaml", "meaning"), ("---", "---", "---", "---")]
    rows += [(f"`{row.path}`", row.value, _written(row.given), row.meaning) for row in found]
    if not any(row.given is not None for row in found):  # nothing but names that a user chooses
        rows = [(path, kind, meaning) for path, kind, _, meaning in rows]
    lines = (" | ".join(cell.replace("|", "\\|") for cell in row) for row in rows)
    return "".join(f"| {line} |\n" for line in lines)


def _written(value: Any) -> str:
    """Return a value as config.yaml writes it; nothing for a mapping, whose keys have own rows."""
    if value is None or isinstance(value, dict):
        return ""
    return f"`{json.dumps(value, ensure_ascii=False)}`"


def _allowed(hint: Any) -> str:
    """Say what a value of a type may be."""
    if get_origin(hint) is Annotated:
        return f"{_allowed(hint.__origin__)} {_bounds(hint.__metadata__)}".strip()
    kinds = kinds_of(hint)
    if len(kinds) > 1:
        return " or ".join(dict.fromkeys(map(_allowed, kinds.values())))
    (kind,) = kinds.values()
    if kind is not hint:
        inner = next(arg for arg in get_args(hint) if arg is not type(None))
        return _allowed(inner)
    if get_origin(kind) is Literal:
        return ", ".join(f"`{json.dumps(word).strip(chr(34))}`" for word in get_args(kind))
    if get_origin(kind) is list:
        return f"list of: {_allowed(get_args(kind)[0])}"
    return WORDS.get(kind, "mapping")


def _bounds(metadata: tuple | list) -> str:
    """Return the bounds of a number as ``≥ 1, ≤ 9``."""
    flat = []
    for data in metadata:
        flat += data.metadata if isinstance(data, FieldInfo) else [data]
    limits = [
        (sign, getattr(data, key))
        for data in flat
        for key, sign in BOUNDS.items()
        if hasattr(data, key)
    ]
    return ", ".join(f"{sign} {limit:,}" for sign, limit in limits)


def main(arguments: list[str]) -> None:
    """Write the page into the file that is named."""
    write_text(Path(arguments[0]), page(Config, laid_over([PROJECT])))


if __name__ == "__main__":
    main(sys.argv[1:])
