"""The keys of the config for readers and editors: docs/config.md and docs/config.schema.json."""

import json
import re

import pytest
from jsonschema import Draft202012Validator

from semblance.provenance import ROOT
from workflow.config.describe import PARTS, SCHEMA, page, schema
from workflow.config.layers import of_config, read_layer

FILES = [ROOT / "config.yaml", ROOT / "demo/config.yaml", *sorted(ROOT.glob("configs/*.yaml"))]
PAPERS = sorted(ROOT.glob("papers/*.yaml"))
VALIDATOR = Draft202012Validator(json.loads(schema()))


def test_the_schema_is_what_make_docs_writes():
    assert (ROOT / "docs/config.schema.json").read_text(encoding="utf-8") == schema()


def test_no_pattern_of_the_schema_has_what_javascript_lacks():
    """An editor says "Invalid pattern" at each key that has one, in a config without a fault."""
    assert re.findall(r"\(\?[^:=!<]|\\[AZz]", schema()) == []


@pytest.mark.parametrize("file", [*FILES, *PAPERS], ids=lambda file: file.name)
def test_a_shipped_config_fits_the_schema_and_a_wrong_key_or_value_does_not(file):
    layer = read_layer(file)
    layer = (of_config(layer) if file in PAPERS else layer).value
    assert VALIDATOR.is_valid(layer)
    assert not VALIDATOR.is_valid(layer | {"outptu": "x"})
    assert not VALIDATOR.is_valid(layer | {"resources": {"gpus": 2}})


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_first_line_of_a_config_tells_an_editor_where_the_schema_is(file):
    first = file.read_text(encoding="utf-8").splitlines()[0]
    path = first.removeprefix("# yaml-language-server: $schema=")
    assert (file.parent / path).resolve() == ROOT / "docs/config.schema.json"


def test_each_key_of_the_config_has_a_description_that_is_a_sentence():
    keys = {(name, key): node for name in PARTS for key, node in PARTS[name]["properties"].items()}
    keys |= {("", key): node for key, node in SCHEMA["properties"].items()}
    assert len(keys) > 100
    parts = {
        key: PARTS[node["$ref"].rpartition("/")[2]] for key, node in keys.items() if "$ref" in node
    }
    texts = {key: (parts.get(key, {}) | node).get("description", "") for key, node in keys.items()}
    assert [key for key, text in texts.items() if not text.endswith(".")] == []


def test_the_page_has_a_row_for_each_key_and_a_section_for_each_part():
    text = page()
    assert set(re.findall(r"^## (\w+)$", text, re.MULTILINE)) == PARTS.keys()
    assert "| `jobs_per_gpu` | whole number ≥ 1, ≤ 1,024 | Jobs that may share" in text
    assert "| `models` | `all`, `final` | " in text
    section = text.partition("## Recipe\n")[2].partition("\n## ")[0]
    for key in PARTS["Recipe"]["properties"]:
        assert f"`{key}`" in section


def test_no_line_of_the_configs_is_longer_than_100_columns():
    for file in [*FILES, *PAPERS]:
        lines = file.read_text(encoding="utf-8").splitlines()
        assert [line for line in lines if len(line) > 100] == [], file
