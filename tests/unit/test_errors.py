"""The one line that a user reads, whatever the input holds."""

import pytest

from semblance.errors import LONGEST, InputError


@pytest.mark.parametrize("odd", ["\n", "\r", "\x1b[2J", "\0", "\u2028", "\u202e", "\ud800"])
def test_what_is_quoted_of_the_input_is_escaped(odd):
    text = str(InputError(f"a{odd}b", f"c{odd}d", f"e{odd}f"))
    shown = odd.replace(odd[0], ascii(odd[0])[1:-1])
    assert text == f"a{shown}b: c{shown}d; e{shown}f" and text.isprintable()


def test_letters_of_any_script_stand_as_they_are():
    assert str(InputError("größe", "ведь 質問", "…")) == "größe: ведь 質問; …"


def test_a_field_of_megabytes_is_cut():
    assert str(InputError("f:1", "x" * 10**6)) == "f:1: " + "x" * LONGEST + "…"
