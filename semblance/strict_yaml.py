"""YAML read strictly: plain values, each key once, and a bounded number of values.

1e-5 is a number, as in YAML 1.2 and JSON. In YAML 1.1, which PyYAML reads, it is a text.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import Composer
from yaml.constructor import SafeConstructor
from yaml.cyaml import CParser
from yaml.resolver import Resolver

from semblance.errors import InputError, at
from semblance.provenance import read_text

UTF8 = "save it as UTF-8"  # what to do about a user's own file that is not

MOST_BYTES = 1 << 20  # of a file; ours have up to 50 kB
MOST = 100_000  # values of a file, those of an alias counted at each use; ours have thousands
LONGEST_NUMBER = (
    1000  # characters; the time to read 1:1:1:..., a number to base 60, grows with its square
)
FLOAT = "tag:yaml.org,2002:float"
NUMBERS = ("tag:yaml.org,2002:int", FLOAT)
WITH_EXPONENT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)[eE][-+]?[0-9]+\Z")
QUOTED = ("{", "[", "'", '"')  # the beginnings of a value that is more than one plain word
# What the loader raises for a scalar that does not fit its tag, such as `!!float x`.
MALFORMED = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def read_yaml(path: str | Path) -> Any:
    """Return the value of a YAML file.

    Raises InputError, with the line, for text that is not YAML, a key that stands twice, a tag of
    anything but plain values, and more than MOST values, those of aliases included.
    """
    return parse_yaml(read_text(path, MOST_BYTES, UTF8), path)


def parse_yaml(text: str, path: str | Path) -> Any:
    """Return the value of the text of a YAML file; InputError as ``read_yaml``."""
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        if node is None:
            return None
        _check(node, path, {})
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
        raise InputError(at(path, 1), "not YAML that can be read: nested too deeply") from None


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


def _check(node: yaml.Node, path: str | Path, sizes: dict[int, int]) -> int:
    """Return the number of a node's values, those of its aliases included.

    Raises InputError for keys that stand twice and for more than MOST values. Each node is visited
    once; ``sizes`` holds the numbers found before.
    """
    if isinstance(node, yaml.ScalarNode) or id(node) in sizes:
        return sizes.get(id(node), 1)
    sizes[id(node)] = MOST  # for a node that holds itself
    children = _pairs(node) if isinstance(node, yaml.MappingNode) else node.value
    size = 1 + sum(_check(child, path, sizes) for child in children)
    sizes[id(node)] = size
    if size > MOST:
        where = at(path, node.start_mark.line + 1)
        raise InputError(
            where, f"its aliases stand for more than {MOST:,} values", "write them out"
        )
    return size


def _pairs(node: yaml.MappingNode) -> list[yaml.Node]:
    seen = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise _error("a key is not a plain value", key)
        if key.value in seen:
            raise _error(f"key {key.value!r} stands twice", key)
        seen.add(key.value)
    return [part for pair in node.value for part in pair]


def _error(problem: str, node: yaml.Node) -> yaml.constructor.ConstructorError:
    return yaml.constructor.ConstructorError(None, None, problem, node.start_mark)


class _Loader(Composer, CParser, SafeConstructor, Resolver):  # before CParser's own composer
    """The safe loader, which also bounds what it reads and names the line of a misfit scalar.

    libyaml reads the text. PyYAML's own parser takes .3 s more for what each start reads.
    """

    composed = 0  # nodes so far

    def __init__(self, text: str) -> None:
        CParser.__init__(self, text)
        for part in (Composer, SafeConstructor, Resolver):
            part.__init__(self)

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node:
        self.composed += 1
        if self.composed > MOST:
            event = self.peek_event()
            problem = f"more than {MOST:,} values"
            raise yaml.composer.ComposerError(None, None, problem, event.start_mark)
        return super().compose_node(parent, index)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        if node.tag in NUMBERS and len(node.value) > LONGEST_NUMBER:
            raise _error(f"a number of more than {LONGEST_NUMBER} characters", node)
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
