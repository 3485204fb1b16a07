"""Settings: strictly decoded, so that a slip in a key or a type never passes silently."""

from dataclasses import FrozenInstanceError, dataclass, field
from typing import Any

import pytest

from semblance.errors import InputError
from semblance.settings import decode, decode_json


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


def test_settings_are_frozen():
    with pytest.raises(FrozenInstanceError):
        decode(Outer, GOOD).count = 4


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
