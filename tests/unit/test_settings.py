"""Settings: strictly decoded, so that a slip in a key or a type never passes silently."""

import dataclasses
import inspect
import json
from typing import Any

import pytest

from semblance.errors import InputError
from semblance.settings import (
    NotNegative,
    Positive,
    Reduction,
    Share,
    check_keywords,
    decode,
    decode_json,
)


@dataclasses.dataclass(frozen=True)
class Inner:
    rate: Share = 0.1


@dataclasses.dataclass(frozen=True)
class Outer:
    """A field of each form that settings have."""

    count: int
    name: str
    flag: bool = False
    scale: Positive = 0.5
    limit: int | None = None
    how: Reduction = "mean"
    sizes: tuple[int, ...] = ()
    weights: dict[str, NotNegative] = dataclasses.field(default_factory=dict)
    by_word: dict[Reduction, int] = dataclasses.field(default_factory=dict)
    inner: Inner = Inner()
    maybe: Inner | None = None
    options: dict[str, Any] = dataclasses.field(default_factory=dict)


VALUES = {
    "count": 3,
    "name": "x",
    "flag": True,
    "scale": 2,
    "limit": None,
    "how": "sum",
    "sizes": [1, 2],
    "weights": {"a": 1.5, "b": 0},
    "by_word": {"sum": 1},
    "inner": {"rate": 1},
    "maybe": {"rate": 0},
    "options": {"phi": -0.02, "on": True},
}
# Values that fit none of the fields, and for some fields what is nearly right.
MISFITS = ([None], [["x"]], {"rate": True})
NEARLY = {
    "count": ("3", 3.0, True, None),
    "name": (5, None),
    "flag": (1, "false", None),
    "scale": ("0.5", True, None, 0, -1),
    "limit": ("7", 1.5, False),
    "how": ("avg", "Sum", "sum ", "", None, True, ["sum"]),
    "sizes": (3, "12", [1, "2"]),
    "weights": ([1], {"a": "b"}, {"a": -0.1}),
    "by_word": ({"avg": 1}, {"sum": 1.5}),
    "inner": (0.3, None, {"rate": "x"}, {"rate": 1.5}),
    "maybe": ({"rate": -1},),
}
WRONG = [(name, value) for name, values in NEARLY.items() for value in (*values, *MISFITS)]


def test_every_form_of_value_is_decoded_and_json_is_decoded_to_the_same():
    weights = {"a": 1.5, "b": 0.0}
    fields = {"scale": 2.0, "sizes": (1, 2), "weights": weights, "inner": Inner(1.0)}
    expected = Outer(**{**VALUES, **fields, "maybe": Inner(0.0)})
    decoded = decode(Outer, VALUES)
    assert decoded == expected and type(decoded.scale) is float
    assert decode_json(Outer, json.dumps(VALUES)) == expected
    needed = {"count": 3, "name": "x"}
    assert decode(Outer, needed) == Outer(**needed)


@pytest.mark.parametrize("name, value", WRONG, ids=repr)
def test_a_value_that_does_not_fit_is_refused_in_one_line_at_its_key(name, value):
    with pytest.raises(InputError) as caught:
        decode(Outer, VALUES | {name: value})
    assert caught.value.where.startswith(f"settings.{name}") and "\n" not in str(caught.value)
    assert "Input should" not in str(caught.value)  # pydantic's own words


@pytest.mark.parametrize(
    "change, message",
    [
        ({"sizes": [1, "2"]}, r"settings\.sizes\[1\]: '2' should be a whole number"),
        ({"by_word": {"avg": 1}}, r"settings\.by_word\.avg: 'avg' should be 'mean' or 'sum'"),
        ({"inner": {"rat": 1}}, r"settings\.inner\.rat: unknown key; known are rate"),
        ({"cuont": 3}, r"settings\.cuont: unknown key; known are by_word, count, "),
        ({"scale": float("nan")}, "settings: no plain value"),
    ],
)
def test_an_error_names_the_key_and_what_would_fit(change, message):
    with pytest.raises(InputError, match=f"^{message}"):
        decode(Outer, VALUES | change)


@pytest.mark.parametrize("key", ["count", "name"])
def test_a_missing_key_is_named(key):
    with pytest.raises(InputError, match=rf"^train\.{key}: missing key"):
        decode(Outer, {name: VALUES[name] for name in VALUES if name != key}, "train")


@pytest.mark.parametrize("values", [[], None, "x", 3])
def test_only_a_mapping_is_decoded(values):
    with pytest.raises(InputError, match="^settings: "):
        decode(Outer, values)


@pytest.mark.parametrize("text", ["{", '{"rate": NaN}', '{"rate": 0.1, "rate": 0.2}'])
def test_text_that_is_not_strict_json_is_refused_in_one_line(text):
    with pytest.raises(InputError, match="not JSON") as caught:
        decode_json(Inner, text)
    assert "\n" not in str(caught.value)


def example(batch, regulators, *, scale: Positive = 20.0, phi: float, how: Reduction = "mean"):
    """Stand for a loss."""


def test_keywords_that_a_function_takes_pass():
    check_keywords(inspect.signature(example), {"phi": -3}, "options")
    check_keywords(inspect.signature(example), {"phi": 0.1, "scale": 1, "how": "sum"}, "options")


@pytest.mark.parametrize(
    "values,message",
    [
        ({}, "options.phi: missing key"),
        ({"phi": "x"}, "options.phi: 'x' should be a number"),
        ({"phi": 1, "scal": 3}, "options.scal: unknown key; known are how, phi, scale"),
        ({"phi": 1, "batch": 3}, "options.batch: unknown key"),  # a tensor, no option
        ({"phi": 1, "scale": 0}, "options.scale: 0 should be greater than 0"),
        ({"phi": 1, "how": "avg"}, "options.how: 'avg' should be 'mean' or 'sum'"),
    ],
)
def test_keywords_that_a_function_cannot_take_are_refused(values, message):
    with pytest.raises(InputError, match=f"^{message}"):
        check_keywords(inspect.signature(example), values, "options")
