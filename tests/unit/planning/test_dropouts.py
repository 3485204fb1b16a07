"""The options that a config may give a dropout are those of its module, read without importing it."""

import dataclasses
import typing

import pytest

from semblance import named_modules
from semblance.errors import InputError
from semblance.models.dropouts.sampled import Options
from semblance.named_modules import DROPOUTS, load_module, module_file, module_names
from workflow.planning import dropouts
from workflow.planning.checks import SAMPLED_RANGE, _check_sampled


def fields(kind):
    """The name, the type and whether a default exists, of each field of a dataclass."""
    hints = typing.get_type_hints(kind, include_extras=True)
    missing = dataclasses.MISSING
    return [(f.name, hints[f.name], f.default is missing) for f in dataclasses.fields(kind)]


@pytest.mark.parametrize("name", module_names(DROPOUTS))
def test_the_options_read_from_the_source_are_those_of_the_module(name):
    expected = load_module(DROPOUTS, name, "here").Options
    found = dropouts.options_type(module_file(DROPOUTS, name, "here"))
    if dataclasses.is_dataclass(expected):
        assert fields(found) == fields(expected)
    else:
        assert found == expected


@pytest.mark.parametrize(
    "dropout, key",
    [
        ({"nobody": 0.1}, "nobody"),
        ({"hidden": 0.1, "attention": 0.95}, "attention"),
        ({"drophead": "x"}, "drophead"),
        ({"drophead": -0.1}, "drophead"),
        ({"sampled": {"rate": 0.1}}, "sampled.rate"),
        ({"sampled": {"granularity": "rows"}}, "sampled.granularity"),
        ({"sampled": {"high": 1.0}}, "sampled.high"),
    ],
)
def test_each_wrong_option_is_named_by_its_key(dropout, key):
    with pytest.raises(InputError) as caught:
        dropouts.check(dropout, "config.methods.m.dropout")
    assert str(caught.value).startswith(f"config.methods.m.dropout.{key}: ")


def test_right_options_are_accepted():
    dropouts.check({"hidden": 0, "attention": 0.9, "drophead": 0.2, "sampled": {}}, "dropout")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of dropouts of its own."""
    made = tmp_path.joinpath(*DROPOUTS.split("."))
    made.mkdir(parents=True)
    monkeypatch.setattr(named_modules, "ROOT", tmp_path)
    return made


def test_a_new_dropout_may_require_an_option(folder):
    (folder / "rising.py").write_text(
        "import torch\n"
        "Word = Literal['linear', 'cosine']\n"
        "@dataclass(frozen=True)\n"
        "class Options:\n"
        "    '''Text.'''\n"
        "    most: Rate\n"
        "    course: Word = torch.tensor(1)\n"
    )
    dropouts.check({"rising": {"most": 0.3, "course": "cosine"}}, "dropout")
    for options, key in (
        ({}, "most"),
        ({"most": 2.0}, "most"),
        ({"most": 0, "course": 1}, "course"),
    ):
        with pytest.raises(InputError, match=f"^dropout.rising.{key}: "):
            dropouts.check({"rising": options}, "dropout")


@pytest.mark.parametrize(
    "text, problem",
    [
        ("Option = float\n", "no type `Options`"),
        ("class Options:\n    a: Thing = 1\n", "cannot be read: Thing"),
        ("class Options\n", "not Python"),
    ],
)
def test_a_dropout_that_cannot_be_read_is_named_by_its_file(folder, text, problem):
    (folder / "wrong.py").write_text(text)
    with pytest.raises(InputError, match=problem) as caught:
        dropouts.check({"wrong": {}}, "dropout")
    assert str(caught.value).startswith(str(folder / "wrong.py"))


def test_the_checked_range_of_a_sampled_rate_has_the_defaults_of_its_module():
    assert {"low": Options().low, "high": Options().high} == SAMPLED_RANGE


def test_a_lower_bound_above_the_default_upper_bound_is_refused():
    with pytest.raises(InputError, match="config.methods.ssimcse.dropout.sampled: low is above"):
        _check_sampled("methods.ssimcse", {"dropout": {"sampled": {"low": 0.5}}})
