"""docs/deviations.md names keys that the shipped configuration has, and decisions that are told."""

import re
from typing import Any

import pytest
import yaml

from tests.dag.tiny import ROOT
from workflow.planning.config import load
from workflow.planning.layers import laid_over

PAGE = (ROOT / "docs/deviations.md").read_text()
DECISIONS = (ROOT / "docs/decisions.md").read_text()
CONFIG = load(laid_over([ROOT / "config.yaml"])).written()
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith(("| what", "| ---"))
]
KEYS = [
    key
    for row in ROWS
    for key in re.findall(r"`([^`]+)`", row[2])
    if key.partition(".")[0] in CONFIG and "." in key and "*" not in key
]


def value_of(key: str) -> Any:
    """Return what the config holds at ``a.b.c``; a name may hold dots."""
    found, rest = CONFIG, key
    while rest:
        name = max((n for n in found if f"{rest}.".startswith(f"{n}.")), key=len)
        found, rest = found[name], rest[len(name) + 1 :]
    return found


def test_each_line_has_six_cells_and_a_kind():
    assert len(ROWS) > 50
    assert {len(row) for row in ROWS} == {6}
    assert {row[5].split(",")[0].split()[0] for row in ROWS} == {"paper", "code", "open"}


@pytest.mark.parametrize("key", KEYS)
def test_each_key_is_in_the_shipped_config(key: str):
    name, _, stated = key.partition(": ")
    value = value_of(name)
    if stated:
        assert yaml.safe_load(stated) == value


def test_each_id_is_that_of_a_decision():
    ids = {i for row in ROWS for i in re.findall(r"\b[RSET]\d+\b", row[5])}
    assert len(ids) > 40
    assert ids <= set(re.findall(r"^\*\*(\w+) ·", DECISIONS, re.MULTILINE))
