"""Colours are for terminals whose users want them."""

import io

import pytest

from workflow.terminal import painter


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    "stream, variables, shown",
    [
        (Terminal(), {}, "\033[31mx\033[0m"),
        (io.StringIO(), {}, "x"),  # a file or a pipe
        (Terminal(), {"NO_COLOR": "1"}, "x"),
        (Terminal(), {"TERM": "dumb"}, "x"),
        (Terminal(), {"NO_COLOR": ""}, "\033[31mx\033[0m"),  # empty, it says nothing
    ],
)
def test_a_terminal_shows_colours_if_its_user_wants_them(monkeypatch, stream, variables, shown):
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in ({"TERM": "xterm"} | variables).items():
        monkeypatch.setenv(name, value)
    assert painter(stream)("x", "red") == shown
