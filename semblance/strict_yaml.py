"""YAML read strictly: plain values, each key once, no number in a form that two versions read apart.

1e-5 is a number, as in YAML 1.2 and JSON. In YAML 1.1, which PyYAML reads, it is a text. There 1:30
is 90 and 010 is 8; here both are refused.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from semblance.errors import InputError, at
from semblance.provenance import read_text

UTF8 = "save it as UTF-8"  # what to do about a user's own file that is not

MOST_BYTES = 1 << 20  # of a file; ours have up to 50 kB
FLOAT = "tag:yaml.org,2002:float"
NUMBERS = ("tag:yaml.org,2002:int", FLOAT)
READ_APART = re.compile(r"[-+]?(0[0-9_]+\Z|[0-9_]+:)")  # to base 8 or 60
WITH_EXPONENT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)[eE][-+]?[0-9]+\Z")
QUOTED = ("{", "[", "'", '"')  # the beginnings of a value that is more than one plain word
# What the loader raises for a scalar that does not fit its tag, such as `!!float x`.
MALFORMED = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def read_yaml(path: str | Path) -> Any:
    """Return the value of a YAML file.

    Raises InputError, with the line, for text that is not YAML, a key that stands twice, a tag of
    anything but plain values, and a number to base 8 or 60.
    """
    return parse_yaml(read_text(path, MOST_BYTES, UTF8), path)


def parse_yaml(text: str, path: str | Path) -> Any:
    """Return the value of the text of a YAML file; InputError as ``read_yaml``."""
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        if node is None:
            return None
        _check(node)
        return loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        # At the end of a text libyaml counts a line that is not there.
        last = len(text.splitlines()) or 1
        line = min(error.problem_mark.line + 1, last) if error.problem_mark else None
        raise InputError(at(path, line), f"not YAML: {error.problem}") from None
    except yaml.reader.ReaderError as error:
        line = text.encode().count(b"\n", 0, error.position) + 1
        raise InputError(at(path, line), f"not YAML: {error.reason}") from None
    except UnicodeEncodeError as error:  # on a command line, where any bytes may stand
        raise InputError(at(path, 1), f"not YAML: {error.reason}") from None
    except RecursionError:
        raise InputError(at(path, 1), "nested too deeply, or a value that holds itself") from None


def parse_argument(text: str, where: str) -> Any:
    """Return a value that stands on a command line: as YAML reads it, but without comments.

    What begins as a mapping, a list or a quoted text is YAML; all else is one plain word, such as a
    path that holds " #".
    """
    if text.startswith(QUOTED):
        return parse_yaml(text, where)
    loader = _Loader("")
    tag = loader.resolve(yaml.ScalarNode, text, (True, False))
    try:
        return loader.construct_object(yaml.ScalarNode(tag, text))
    except yaml.MarkedYAMLError as error:
        raise InputError(where, f"not YAML: {error.problem}") from None


def key_lines(path: str | Path) -> dict[tuple[str | int, ...], int]:
    """Return the line of each value of a YAML file by its path of keys; for a key, the key's line.

    Nothing for a file that is not YAML.
    """
    try:
        node = _Loader(read_text(path, MOST_BYTES, UTF8)).get_single_node()
    except yaml.YAMLError:
        return {}
    return dict(_line_of_each(node, ()))


def _line_of_each(node: yaml.Node, place: tuple) -> Iterator[tuple[tuple, int]]:
    yield place, node.start_mark.line + 1
    if isinstance(node, yaml.SequenceNode):
        for i, item in enumerate(node.value):
            yield from _line_of_each(item, (*place, i))
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _line_of_each(value, (*place, key.value))
            yield (*place, key.value), key.start_mark.line + 1


def _check(node: yaml.Node) -> None:
    """Raise an error for a key that stands twice, or that is a list or a mapping."""
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _check(item)
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _error("a key is not a plain value", key)
            if key.value in seen:
                raise _error(f"key {key.value!r} stands twice", key)
            seen.add(key.value)
            _check(value)


def _error(problem: str, node: yaml.Node) -> yaml.constructor.ConstructorError:
    return yaml.constructor.ConstructorError(None, None, problem, node.start_mark)


class _Loader(yaml.CSafeLoader):
    """The safe loader, which also names the line of a scalar that does not fit its tag."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        if node.tag in NUMBERS and READ_APART.match(node.value):
            problem = f"{node.value:.40} means one thing in YAML 1.1 and another in YAML 1.2"
            raise _error(f"{problem}; quote a text, write a number plainly", node)
        try:
            return super().construct_object(node, deep)
        except MALFORMED as error:
            raise _error(str(error), node) from None


class _Dumper(yaml.SafeDumper):
    """Quotes each text that the loader would take for a number."""


def as_yaml(value: Any) -> str:
    """Return the text of a YAML file that is read as ``value``."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True)


_Dumper.add_implicit_resolver(FLOAT, WITH_EXPONENT, list("-+.0123456789"))
_Loader.add_implicit_resolver(FLOAT, WITH_EXPONENT, list("-+.0123456789"))
