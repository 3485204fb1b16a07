"""Write docs/config.md: every key of the config, from the schema's descriptions and config.yaml.

python -m workflow.planning.describe FILE        (or: make docs)
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from semblance.files import write_text
from semblance.strict_yaml import read_yaml

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "workflow" / "schemas" / "config.schema.yaml"
CONFIG = ROOT / "config.yaml"
SHARED = "dropout"  # a part of the schema that has a section of its own
HEAD = """# The keys of config.yaml

<!-- `make docs` writes this page from workflow/schemas/config.schema.yaml and config.yaml. -->

One section for each section of [config.yaml](../config.yaml), in its order. *Value* is what a key
may hold, *in config.yaml* what it holds there. NAME stands for a name that you choose, `[]` for each
entry of a list. A key that is not described here is refused, and so is a value of another kind.
Where the papers are silent, [decisions.md](decisions.md) says what was chosen and why.
"""
WORDS = {
    "integer": "whole number",
    "number": "number",
    "string": "text",
    "boolean": "true or false",
}
BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}


class Entry(NamedTuple):
    """One key: its path in its section, its part of the schema, its value in config.yaml."""

    path: str
    schema: dict
    value: Any = None


def page(schema: dict, config: dict) -> str:
    """Return the page, as Markdown."""
    plain = {k: p for k, p in schema["properties"].items() if not _is_section(schema, p)}
    parts = [HEAD, "## Folders and addresses\n", _key_table(schema, {"properties": plain}, config)]
    for key, section in schema["properties"].items():
        if key not in plain:
            parts += [f"## `{key}`\n", *_section(schema, section, config.get(key, {}))]
    parts += [
        f"## `{SHARED}` of a recipe or of a training\n",
        _key_table(schema, schema["$defs"][SHARED], {}),
    ]
    return "\n".join(parts)


def _section(schema: dict, section: dict, config: Any) -> Iterator[str]:
    yield section["description"] + "\n"
    section = _resolved(schema, section)
    if "properties" not in section:
        names = ", ".join(f"`{name}`" for name in config) or "none"
        yield f"In config.yaml: {names}.\n"
    yield _key_table(schema, section, config)


def _key_table(schema: dict, node: dict, config: Any) -> str:
    rows = [("key", "value", "in config.yaml", "meaning"), ("---", "---", "---", "---")]
    for path, entry, value in _entries(schema, node, config, ""):
        meaning = entry["description"]
        rows.append((f"`{path}`", _allowed(schema, entry), _written(value), meaning))
    if not any(row[2] for row in rows[2:]):  # nothing but names that a user chooses
        rows = [(path, kind, meaning) for path, kind, _, meaning in rows]
    lines = (" | ".join(cell.replace("|", "\\|") for cell in row) for row in rows)
    return "".join(f"| {line} |\n" for line in lines)


def _entries(schema: dict, node: dict, config: Any, path: str) -> Iterator[Entry]:
    """Yield all keys below a node, in the schema's order."""
    settings = schema["$defs"]["settings"]["properties"]
    own = node.get("properties", {})
    if path and own == settings:
        own = {}
    elif own != settings and settings.items() <= own.items():
        yield Entry(f"{path}…", {"description": "Each key of `training`."})
        own = {key: entry for key, entry in own.items() if key not in settings}
    for key, entry in own.items():
        value = config.get(key) if config else None
        yield Entry(f"{path}{key}", entry, value)
        if not _is_shared(entry):
            yield from _entries(schema, _resolved(schema, entry), value, f"{path}{key}.")
    named = node.get("additionalProperties")
    if isinstance(named, dict):
        yield Entry(f"{path}NAME", named)
        yield from _entries(schema, _resolved(schema, named), None, f"{path}NAME.")
    if "properties" in node.get("items", {}):
        yield from _entries(schema, node["items"], None, f"{path.removesuffix('.')}[].")


def _written(value: Any) -> str:
    """Return a value as config.yaml writes it; nothing for a mapping, whose keys have own rows."""
    if value is None or isinstance(value, dict):
        return ""
    return f"`{json.dumps(value, ensure_ascii=False)}`"


def _is_section(schema: dict, entry: dict) -> bool:
    return _resolved(schema, entry).get("type") == "object"


def _is_shared(entry: dict) -> bool:
    return entry.get("$ref") == f"#/$defs/{SHARED}"


def _resolved(schema: dict, entry: dict) -> dict:
    """Return an entry with what its reference stands for."""
    name = entry.get("$ref", "").rpartition("/")[2]
    return {**schema["$defs"].get(name, {}), **entry}


def _allowed(schema: dict, entry: dict) -> str:
    """Say what a key may hold."""
    full = _resolved(schema, entry)
    if "enum" in full:
        return ", ".join(f"`{choice}`" for choice in full["enum"])
    kinds = full.get("type", [])
    if isinstance(kinds, str):
        kinds = [kinds]
    words = [_word(schema, full, kind) for kind in kinds]
    bounds = [f"{sign} {full[key]:,}" for key, sign in BOUNDS.items() if key in full]
    return " ".join([" or ".join(words), ", ".join(bounds)]).strip()


def _word(schema: dict, full: dict, kind: str) -> str:
    if kind == "array":
        return f"list of: {_allowed(schema, full['items'])}"
    if kind == "object":
        return "mapping"
    return WORDS[kind]


def main(arguments: list[str]) -> None:
    """Write the page into the file that is named."""
    write_text(Path(arguments[0]), page(read_yaml(SCHEMA), read_yaml(CONFIG)))


if __name__ == "__main__":
    main(sys.argv[1:])
