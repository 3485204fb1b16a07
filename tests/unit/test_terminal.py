"""Colours are for terminals whose users want them."""

import io

import pytest

from workflow.terminal import painter


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")


def test_a_terminal_shows_colours():
    assert painter(Terminal())("x", "red") == "\033[31mx\033[0m"


def test_a_file_or_a_pipe_gets_the_text_alone():
    assert painter(io.StringIO())("x", "red") == "x"


@pytest.mark.parametrize("name, value", [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_who_wants_no_colours_gets_none(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    assert painter(Terminal())("x", "red") == "x"


def test_an_empty_no_color_says_nothing(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "")
    assert painter(Terminal())("x", "bold") != "x"
