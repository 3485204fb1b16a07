"""JSON: what is read as it stands, and what is refused."""

import json

import pytest

from semblance.strict_json import DEEPEST, parse_strict

PLAIN = {"a": [1, -2.5, 1e300, True, None, "ä\u2028\n", {}], "b": {"a": [[]]}, "": ""}


def test_plain_json_reads_as_by_the_standard_library():
    assert (
        parse_strict(json.dumps(PLAIN))
        == parse_strict(json.dumps(PLAIN, ensure_ascii=False))
        == PLAIN
    )


@pytest.mark.parametrize(
    "text, words",
    [
        ('{"a": 1, "b": 2, "a": 1}', "key 'a' stands twice"),
        ('[{"b": {"c": 1, "c": 2}}]', "key 'c' stands twice"),
        ("NaN", "not a finite number"),
        ("[-Infinity]", "not a finite number"),
        ("[1e999]", "not a finite number"),
        ('"\\u0000"', "a NUL or half a surrogate pair"),
        ('["\\ud83d"]', "a NUL or half a surrogate pair"),
        ('{"\\ude00": 1}', "a NUL or half a surrogate pair"),
        ('"\ud83d"', "a NUL or half a surrogate pair"),
        ("9" * 5000, "digits"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
    ],
    ids=lambda value: value[:20].encode("ascii", "backslashreplace").decode(),
)
def test_what_is_not_strict_is_refused(text, words):
    with pytest.raises(ValueError, match=words):
        parse_strict(text)


@pytest.mark.parametrize("opening, closing", [("[", "]"), ('{"a":', "}")])
def test_values_may_lie_inside_each_other_up_to_a_limit(opening, closing):
    parse_strict(opening * DEEPEST + "1" + closing * DEEPEST)
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_strict(opening * (DEEPEST + 1) + "1" + closing * (DEEPEST + 1))
