"""The options that a config may give a view are those of its function, read without importing it."""

import importlib
import inspect

import pytest

from semblance.errors import InputError
from semblance.named_modules import VIEWS, module_file, module_names
from workflow.planning import views
from workflow.planning.signatures import read_signature

CHANGING = ("crop", "delete", "repeat", "replace")


def options_of(signature):
    """Return each option's annotation, and whether a call may leave it out."""
    return {
        p.name: (p.annotation, p.default is not inspect.Parameter.empty)
        for p in signature.parameters.values()
        if p.kind is inspect.Parameter.KEYWORD_ONLY
    }


def test_the_views_that_change_texts_are_found():
    found = [n for n in module_names(VIEWS) if read_signature(module_file(VIEWS, n, ""), "change")]
    assert found == list(CHANGING)


@pytest.mark.parametrize("name", CHANGING)
def test_the_options_read_from_the_source_are_those_of_the_function(name):
    function = importlib.import_module(f"semblance.training.views.{name}").change
    expected = options_of(inspect.signature(function, eval_str=True))
    assert options_of(read_signature(module_file(VIEWS, name, ""), "change")) == expected


@pytest.mark.parametrize(
    "name, options, key",
    [
        ("crop", {"part": 0.1}, "x.part"),
        ("crop", {}, "x.share"),
        ("crop", {"share": 1.1}, "x.share"),
        ("delete", {"words": 0}, "x.words"),
        ("twice", {"share": 0.1}, "x"),
    ],
)
def test_options_that_a_view_does_not_take_are_refused(name, options, key):
    with pytest.raises(InputError, match=f"^{key}: "):
        views.check_options(name, options, "x")


def test_options_that_a_view_takes_pass():
    views.check_options("crop", {"share": 0.1}, "x")
    views.check_options("repeat", {}, "x")
    views.check_options("rows", {}, "x")
