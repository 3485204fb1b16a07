"""docs/config.md is what the types and config.yaml say, and every key says something."""

import typing
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field
from pydantic.fields import FieldInfo

from semblance.config.misfits import is_part
from semblance.config.model import Config
from semblance.config.part import Part
from tests.unit.planning.test_config import ROOT
from workflow.planning.describe import main, page


def test_the_page_is_what_make_docs_writes(tmp_path):
    main([str(tmp_path / "config.md")])
    written = (tmp_path / "config.md").read_text(encoding="utf-8")
    assert (ROOT / "docs" / "config.md").read_text(encoding="utf-8") == written


def fields(part: type[Part], path: str = "config") -> Iterator[tuple[str, FieldInfo]]:
    """Yield each key of a part and of the parts below it."""
    for name, field in part.model_fields.items():
        yield f"{path}.{name}", field
        for inner in parts_in(field.annotation):
            yield from fields(inner, f"{path}.{name}")


def parts_in(hint) -> Iterator[type[Part]]:
    if is_part(hint):
        yield hint
    for argument in typing.get_args(hint):
        yield from parts_in(argument)


def test_each_key_of_the_config_has_a_description_that_is_a_sentence():
    found = dict(fields(Config))
    assert len(found) > 100
    texts = {path: field.description or "" for path, field in found.items()}
    assert [path for path, text in texts.items() if not text.endswith(".")] == []


class Inner(Part):
    """A part."""

    size: Annotated[int, Field(ge=1)]
    """a | b."""


class Training(Part):
    """What all have."""

    word: Literal["a", "b"]
    """A word."""
    part: Inner
    """A part."""


class Outer(Part):
    """A config."""

    training: Training
    """What all have."""


def test_the_page_shows_the_value_of_a_key_and_the_choices_of_a_word():
    lines = page(Outer, {"training": {"word": "b", "part": {"size": 3}}}).splitlines()
    assert '| `word` | `a`, `b` | `"b"` | A word. |' in lines
    assert "| `part.size` | whole number ≥ 1 | `3` | a \\| b. |" in lines


def test_no_line_of_the_configs_is_longer_than_100_columns():
    files = [*map(ROOT.joinpath, ("config.yaml", "demo/config.yaml")), *ROOT.glob("configs/*.yaml")]
    files += ROOT.glob("papers/*.yaml")
    for file in files:
        lines = file.read_text(encoding="utf-8").splitlines()
        assert [line for line in lines if len(line) > 100] == [], file
