"""The keys of the config, from the JSON schema of its type: for editors, and as docs/config.md."""

import json
import re
from collections.abc import Iterator
from typing import Any

from workflow.config.model import Config

COLUMNS = "\n| key | value | meaning |\n| --- | --- | --- |"
WORDS = {"integer": "whole number", "string": "text", "boolean": "true or false"}
BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
SCHEMA = Config.model_json_schema()
PARTS = SCHEMA["$defs"]
SETTINGS = PARTS["Settings"]["properties"]  # of every training: described once


def schema() -> str:
    """Return the schema of a file that lies over others, as JSON: a line for each part."""
    text = json.dumps(_of_layer(SCHEMA), ensure_ascii=False)
    text = text.replace("(?s)", "").replace("\\\\Z", "$")  # patterns as JavaScript has them
    return re.sub(r'"\w+": {"additionalProperties"', r"\n\g<0>", text) + "\n"


def _of_layer(node: Any) -> Any:
    """Return a schema of which no key is needed and each may be null."""
    if isinstance(node, list):
        return [_of_layer(each) for each in node]
    if not isinstance(node, dict):
        return node
    kept = [k for k in node if k not in ("required", "title") or isinstance(node[k], dict)]
    layer = {"anyOf" if key == "oneOf" else key: _of_layer(node[key]) for key in kept}
    for group in ("properties", "patternProperties"):
        for name, inner in layer.get(group, {}).items():
            layer[group][name] = {"anyOf": [inner, {"type": "null"}]}
    return layer


def page() -> str:
    """Return the keys as Markdown: those of config.yaml, then those of each part that they name."""
    names = _named_in(SCHEMA["properties"])
    for name in names:  # the list grows while it is read
        names += [inner for inner in _named_in(PARTS[name]) if inner not in names]
    lines = [COLUMNS, *_table_rows(SCHEMA["properties"])]
    for name in names:
        lines += [f"\n## {name}\n", _flat(PARTS[name])]
        keys = PARTS[name].get("properties", {})
        if name != "Settings" and (shared := [k for k in keys if keys[k] == SETTINGS.get(k)]):
            keys = {key: keys[key] for key in keys if key not in shared}
            lines += [f"\nOf [Settings](#settings): `{'`, `'.join(shared)}`."]
        lines += [COLUMNS, *_table_rows(keys)] if keys else []
    return "\n".join(lines) + "\n"


def _named_in(node: dict) -> list[str]:
    return list(dict.fromkeys(re.findall(r"#/\$defs/(\w+)", json.dumps(node))))


def _table_rows(keys: dict[str, dict]) -> Iterator[str]:
    for key, node in keys.items():
        yield f"| `{key}` | {_allowed(node)} | {_flat(node)} |"


def _allowed(node: dict) -> str:
    """Say what a value may be."""
    if "$ref" in node:
        name = node["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if kinds := node.get("anyOf", node.get("oneOf")):
        return " or ".join(_allowed(kind) for kind in kinds if kind != {"type": "null"})
    if words := node.get("enum", [node["const"]] if "const" in node else []):
        return ", ".join(f"`{word}`" for word in words)
    if "items" in node:
        return f"list of: {_allowed(node['items'])}"
    if node.get("type") == "object":
        [named] = node.get("patternProperties", {"": node.get("additionalProperties")}).values()
        return f"NAME: {_allowed(named)}" if isinstance(named, dict) else "mapping"
    bounds = ", ".join(f"{sign} {node[key]:,}" for key, sign in BOUNDS.items() if key in node)
    return f"{WORDS.get(node.get('type'), 'number')} {bounds}".strip()


def _flat(node: dict) -> str:
    node = PARTS.get(node.get("$ref", "").rpartition("/")[2], {}) | node
    return " ".join(node.get("description", "").split()).replace("|", "\\|")
