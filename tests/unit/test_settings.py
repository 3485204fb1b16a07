"""Settings: strictly decoded, so that a slip in a key or a type never passes silently."""

import inspect
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest

from semblance.errors import InputError
from semblance.settings import (
    Above,
    AtLeast,
    AtMost,
    Below,
    Count,
    NotNegative,
    Positive,
    Reduction,
    check_keywords,
    decode,
    decode_json,
    unknown_word,
)


@dataclass(frozen=True)
class Inner:
    rate: float = 0.1


@dataclass(frozen=True)
class Outer:
    count: int
    name: str
    flag: bool = False
    share: float = 0.5
    limit: int | None = None
    sizes: tuple[int, ...] = ()
    weights: dict[str, float] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    inner: Inner = Inner()
    maybe: Inner | None = None


GOOD = {"count": 3, "name": "x"}


def test_defaults_fill_what_is_not_given():
    assert decode(Outer, GOOD) == Outer(3, "x", False, 0.5, None, (), {}, {}, Inner(0.1), None)


def test_every_kind_of_value_is_decoded():
    values = GOOD | {
        "flag": True,
        "share": 0.25,
        "limit": 7,
        "sizes": [1, 2],
        "weights": {"a": 1.5, "b": 2},
        "options": {"phi": -0.02, "on": True},
        "inner": {"rate": 0.3},
        "maybe": {"rate": 0.4},
    }
    assert decode(Outer, values) == Outer(
        3,
        "x",
        True,
        0.25,
        7,
        (1, 2),
        {"a": 1.5, "b": 2.0},
        {"phi": -0.02, "on": True},
        Inner(0.3),
        Inner(0.4),
    )


def test_json_is_decoded_to_the_same():
    assert decode_json(Outer, '{"count": 3, "name": "x", "maybe": null}') == decode(Outer, GOOD)


def test_an_integer_is_a_float_where_a_float_is_asked():
    share = decode(Outer, GOOD | {"share": 1}).share
    assert share == 1.0 and type(share) is float


WRONG = [
    ({"cuont": 3}, "settings.cuont"),
    ({"count": "3"}, "settings.count"),
    ({"count": 3.0}, "settings.count"),
    ({"count": True}, "settings.count"),
    ({"count": None}, "settings.count"),
    ({"name": 5}, "settings.name"),
    ({"name": None}, "settings.name"),
    ({"flag": 1}, "settings.flag"),
    ({"flag": "false"}, "settings.flag"),
    ({"share": "0.5"}, "settings.share"),
    ({"share": True}, "settings.share"),
    ({"share": None}, "settings.share"),
    ({"limit": "7"}, "settings.limit"),
    ({"limit": 1.5}, "settings.limit"),
    ({"limit": False}, "settings.limit"),
    ({"sizes": 3}, "settings.sizes"),
    ({"sizes": "12"}, "settings.sizes"),
    ({"sizes": [1, "2"]}, "settings.sizes[1]"),
    ({"weights": [1]}, "settings.weights"),
    ({"weights": {"a": "b"}}, "settings.weights.a"),
    ({"options": 3}, "settings.options"),
    ({"inner": 0.3}, "settings.inner"),
    ({"inner": None}, "settings.inner"),
    ({"inner": {"rate": "x"}}, "settings.inner.rate"),
    ({"inner": {"rat": 0.3}}, "settings.inner.rat"),
    ({"maybe": {"rate": True}}, "settings.maybe.rate"),
]


@pytest.mark.parametrize("change,where", WRONG)
def test_a_wrong_key_or_type_is_refused_where_it_stands(change, where):
    with pytest.raises(InputError) as caught:
        decode(Outer, GOOD | change)
    assert caught.value.where == where and "\n" not in str(caught.value)


@pytest.mark.parametrize("key", ["count", "name"])
def test_a_missing_key_is_named(key):
    with pytest.raises(InputError, match=rf"train\.{key}: missing key"):
        decode(Outer, {k: v for k, v in GOOD.items() if k != key}, "train")


def test_an_unknown_key_comes_with_the_known_ones():
    with pytest.raises(InputError, match="unknown key; known are rate"):
        decode(Inner, {"rte": 1.0})


@pytest.mark.parametrize("values", [[], None, "x", 3])
def test_only_a_mapping_is_decoded(values):
    with pytest.raises(InputError, match="expected a mapping"):
        decode(Outer, values)


@pytest.mark.parametrize("text", ["", "{", "{'count': 3}", '{"count": 3,}'])
def test_text_that_is_not_json_is_refused_in_one_line(text):
    with pytest.raises(InputError, match="not JSON") as caught:
        decode_json(Outer, text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text", ['{"rate": NaN}', '{"rate": Infinity}', '{"rate": 0.1, "rate": 0.2}']
)
def test_json_that_no_standard_allows_is_refused(text):
    with pytest.raises(InputError):
        decode_json(Inner, text)


Colour = Literal["red", "blue"]


@dataclass(frozen=True)
class Choices:
    one: Colour = "red"
    maybe: Colour | None = None
    several: tuple[Colour, ...] = ()
    by_name: dict[str, Colour] = field(default_factory=dict)
    by_colour: dict[Colour, int] = field(default_factory=dict)
    number: Literal[1, 2] = 1
    word_or_number: float | Colour = 1.0
    count: Count = 1
    scale: Positive = 1.0
    weight: NotNegative = 0.0
    rate: Annotated[float, AtLeast(0), Below(1)] = 0.0
    rates: tuple[Annotated[float, Above(0), AtMost(1)], ...] = ()
    limit: Count | None = None


def test_the_words_of_a_choice_are_decoded():
    values = {
        "one": "blue",
        "maybe": "red",
        "several": ["red", "blue"],
        "by_name": {"a": "blue"},
        "by_colour": {"red": 3},
        "number": 2,
        "word_or_number": "blue",
    }
    expected = Choices("blue", "red", ("red", "blue"), {"a": "blue"}, {"red": 3}, 2, "blue")
    assert decode(Choices, values) == expected
    assert decode(Choices, {"maybe": None, "word_or_number": 3}).word_or_number == 3.0


UNKNOWN_WORDS = [
    ({"one": "green"}, "settings.one"),
    ({"one": "Red"}, "settings.one"),
    ({"one": "red "}, "settings.one"),
    ({"one": ""}, "settings.one"),
    ({"one": None}, "settings.one"),
    ({"one": True}, "settings.one"),
    ({"one": ["red"]}, "settings.one"),
    ({"one": {"red": 1}}, "settings.one"),
    ({"maybe": "green"}, "settings.maybe"),
    ({"several": ["red", "green"]}, "settings.several[1]"),
    ({"by_name": {"a": "green"}}, "settings.by_name.a"),
    ({"by_colour": {"green": 1}}, "settings.by_colour.green"),
    ({"number": 3}, "settings.number"),
    ({"number": True}, "settings.number"),  # True == 1
    ({"number": 1.0}, "settings.number"),
    ({"word_or_number": "green"}, "settings.word_or_number"),
]


@pytest.mark.parametrize("values,where", UNKNOWN_WORDS, ids=str)
def test_an_unknown_word_is_refused_with_the_known_ones(values, where):
    with pytest.raises(
        InputError, match="unknown word .*; choose one of (red, blue|1, 2)$"
    ) as caught:
        decode(Choices, values)
    assert caught.value.where == where and "\n" not in str(caught.value)


OUT_OF_BOUNDS = [
    ({"count": 0}, "settings.count: must be at least 1, found 0"),
    ({"scale": 0}, "settings.scale: must be above 0, found 0.0"),
    ({"scale": -5}, "settings.scale: must be above 0, found -5.0"),
    ({"weight": -0.1}, "settings.weight: must be at least 0, found -0.1"),
    ({"rate": 1}, "settings.rate: must be below 1, found 1.0"),
    ({"rate": -1e-9}, "settings.rate: must be at least 0, found -1e-09"),
    ({"rates": [0.5, 1.5]}, r"settings.rates\[1\]: must be at most 1, found 1.5"),
    ({"limit": 0}, "settings.limit: must be at least 1, found 0"),
    ({"scale": "twenty"}, "settings.scale: expected float, found 'twenty'"),
    ({"scale": True}, "settings.scale: expected float, found True"),
]


@pytest.mark.parametrize("values,message", OUT_OF_BOUNDS, ids=str)
def test_a_number_out_of_its_bounds_is_refused(values, message):
    with pytest.raises(InputError, match=f"^{message}$"):
        decode(Choices, values)


def test_numbers_at_their_bounds_are_decoded():
    values = {"count": 1, "weight": 0, "rate": 0, "rates": [1, 1e-300], "limit": None}
    assert decode(Choices, values) == Choices(rates=(1.0, 1e-300))


def example(batch, regulators, *, scale: Positive = 20.0, phi: float, how: Reduction = "mean"):
    """Stand for a loss."""


def test_keywords_that_a_function_takes_pass():
    check_keywords(inspect.signature(example), {"phi": -3}, "options")
    check_keywords(inspect.signature(example), {"phi": 0.1, "scale": 1, "how": "sum"}, "options")


@pytest.mark.parametrize(
    "values,message",
    [
        ({}, "options.phi: missing key"),
        ({"phi": "x"}, "options.phi: expected float, found 'x'"),
        ({"phi": 1, "scal": 3}, "options.scal: unknown key; known are how, phi, scale"),
        ({"phi": 1, "batch": 3}, "options.batch: unknown key"),  # a tensor, no option
        ({"phi": 1, "scale": 0}, "options.scale: must be above 0, found 0"),
        ({"phi": 1, "how": "avg"}, "options.how: unknown word 'avg'; choose one of mean, sum"),
    ],
)
def test_keywords_that_a_function_cannot_take_are_refused(values, message):
    with pytest.raises(InputError, match=f"^{message}"):
        check_keywords(inspect.signature(example), values, "options")


def test_the_error_of_an_unknown_word_is_one_line_that_names_the_known_ones():
    error = unknown_word("config.x", "a\nb" * 100, Colour)
    assert str(error).startswith("config.x: unknown word 'a") and "\n" not in str(error)
    assert str(error).endswith("; choose one of red, blue")
