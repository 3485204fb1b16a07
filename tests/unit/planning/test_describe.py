"""docs/config.md is what the schema and config.yaml say, and every key says something."""

from collections.abc import Iterator

from semblance.strict_yaml import read_yaml
from tests.unit.planning.test_config import ROOT
from workflow.planning.describe import CONFIG, SCHEMA, main, page


def test_the_page_is_what_make_docs_writes(tmp_path):
    main([str(tmp_path / "config.md")])
    written = (tmp_path / "config.md").read_text(encoding="utf-8")
    assert (ROOT / "docs" / "config.md").read_text(encoding="utf-8") == written


def descriptions(node: dict, path: str = "config") -> Iterator[tuple[str, str]]:
    """Yield (path, description) of each key and each named entry of a schema; "" without one."""
    inner = {f"{path}.{key}": entry for key, entry in node.get("properties", {}).items()}
    if isinstance(node.get("additionalProperties"), dict):
        inner[f"{path}.NAME"] = node["additionalProperties"]
    for place, entry in inner.items():
        yield place, entry.get("description", "")
        yield from descriptions(entry, place)
    if "items" in node:
        yield from descriptions(node["items"], f"{path}[]")
    for name, entry in node.get("$defs", {}).items():
        yield from descriptions(entry, name)


def test_each_key_of_the_schema_has_a_description_that_is_a_sentence():
    found = dict(descriptions(read_yaml(SCHEMA)))
    assert len(found) > 100
    assert [path for path, text in found.items() if not text.endswith(".")] == []


def test_the_page_shows_the_value_of_a_key_and_the_choices_of_a_word():
    schema = {
        "properties": {
            "training": {
                "type": "object",
                "description": "What all have.",
                "properties": {
                    "word": {"enum": ["a", "b"], "description": "A word."},
                    "part": {
                        "type": "object",
                        "description": "A part.",
                        "properties": {
                            "size": {"type": "integer", "minimum": 1, "description": "a | b"}
                        },
                    },
                },
            }
        },
        "$defs": {"dropout": {"properties": {}}, "settings": {"properties": {}}},
    }
    lines = page(schema, {"training": {"word": "b", "part": {"size": 3}}}).splitlines()
    assert '| `word` | `a`, `b` | `"b"` | A word. |' in lines
    assert "| `part.size` | whole number ≥ 1 | `3` | a \\| b |" in lines


def test_no_line_of_the_configs_and_the_schema_is_longer_than_100_columns():
    files = [CONFIG, SCHEMA, ROOT / "demo/config.yaml", *(ROOT / "configs").glob("*.yaml")]
    for file in files:
        lines = file.read_text(encoding="utf-8").splitlines()
        assert [line for line in lines if len(line) > 100] == [], file
