"""JSON lines: what is read, and where reading stops."""

import pytest

from semblance.data.json_lines import read_json_lines
from tests.unit.data.files import fails_at, put


def test_json_lines_are_objects_with_their_lines(tmp_path):
    path = put(tmp_path / "a.jsonl", '{"a": "null", "b": null}\r\n{"a": "x\u2028\\u2029y"}\n\n')
    assert list(read_json_lines(path)) == [
        (1, {"a": "null", "b": None}),
        (2, {"a": "x\u2028\u2029y"}),
    ]


@pytest.mark.parametrize(
    "row, words",
    [
        ('{"a": 1, "a": 2}', "'a' stands twice"),
        ('{"x": {"a": 1, "a": 1}}', "stands twice"),
        ('{"a": NaN}', "NaN"),
        ('{"a": -Infinity}', "Infinity"),
        ("[1]", "list"),
        ("null", "NoneType"),
        ('"a"', "str"),
        ('{"a": 1', ""),
        ("{'a': 1}", ""),
        ('{"a": "\\u0000"}', "NUL"),
        ('{"a": ["x", "\\ud800"]}', "surrogate"),
        ("[" * 100_000, ""),
        ('{"a": 1} {"b": 2}', ""),
        ("", "blank"),
    ],
)
def test_malformed_lines_are_named(tmp_path, row, words):
    path = put(tmp_path / "a.jsonl", f'{{"a": 1}}\n{row}\n{{"a": 1}}\n')
    with fails_at(path, 2, words):
        list(read_json_lines(path))


def test_an_escaped_backslash_before_u0000_is_text(tmp_path):
    path = put(tmp_path / "a.jsonl", '{"a": "\\\\u0000"}\n')
    assert list(read_json_lines(path)) == [(1, {"a": "\\u0000"})]
