"""YAML read strictly: numbers with an exponent are numbers, and each value has its line."""

import pytest

from semblance.errors import InputError
from semblance.strict_yaml import as_yaml, key_lines, parse_argument, parse_yaml, read_yaml


@pytest.mark.parametrize(
    "text, value",
    [
        ("1e-5", 1e-5),
        ("-1E+3", -1000.0),
        (".5e2", 50.0),
        ("1.e-5", 1e-5),
        ("+.1e-4", 1e-5),
        ("e5", "e5"),
        ("1e", "1e"),
        ("'1e-5'", "1e-5"),
        ("1e5x", "1e5x"),
        ("12", 12),
        ("0.30", 0.3),
        ("0x10", 16),
        ("0", 0),
        ("'1:30'", "1:30"),
    ],
)
def test_a_number_may_have_an_exponent(text, value, tmp_path):
    (tmp_path / "x.yaml").write_text(f"a: {text}\n")
    assert read_yaml(tmp_path / "x.yaml") == {"a": value}
    assert parse_argument(text, "--config a") == value
    assert type(parse_argument(text, "--config a")) is type(value)


@pytest.mark.parametrize("text", ["1e5", "12", "yes", "null", "0x10", "2026-01-01", "a: b", "e5"])
def test_a_text_is_written_so_that_it_is_read_as_itself(text, tmp_path):
    (tmp_path / "x.yaml").write_text(as_yaml({"a": text}))
    assert read_yaml(tmp_path / "x.yaml") == {"a": text}


def test_an_argument_that_is_no_yaml_is_refused_by_its_flag():
    with pytest.raises(InputError, match="^--config a={b: 1.*: not YAML"):
        parse_argument("{b: 1", "--config a={b: 1")
    with pytest.raises(InputError, match="^--config a: not YAML: month must be in 1..12"):
        parse_argument("2020-99-99", "--config a")


def test_each_value_has_the_line_of_its_key_or_of_itself_in_a_list(tmp_path):
    (tmp_path / "x.yaml").write_text("# one\na:\n  b:\n    - 1\n    - c: 2\nd: {e: 3,\n  f: 4}\n")
    assert key_lines(tmp_path / "x.yaml") == {
        (): 2,
        ("a",): 2,
        ("a", "b"): 3,
        ("a", "b", 0): 4,
        ("a", "b", 1): 5,
        ("a", "b", 1, "c"): 5,
        ("d",): 6,
        ("d", "e"): 6,
        ("d", "f"): 7,
    }


def test_a_file_that_is_no_yaml_has_no_lines(tmp_path):
    (tmp_path / "x.yaml").write_text("a: [1")
    assert key_lines(tmp_path / "x.yaml") == {}


@pytest.mark.parametrize(
    "text, line, problem",
    [
        ("ä: ü\nc: \x01\n", 2, "control characters are not allowed"),  # ä and ü are two bytes each
        ("a: 1\nb: [2", 2, "did not find expected"),  # nothing stands behind it
        ('{a: "\udcff"}', 1, "surrogates not allowed"),  # a byte of a command line that is no UTF-8
    ],
)
def test_what_libyaml_refuses_is_named_with_its_line(text, line, problem):
    with pytest.raises(InputError, match=f"^x:{line}: not YAML: {problem}"):
        parse_yaml(text, "x")
