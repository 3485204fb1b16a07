"""YAML files read strictly: plain values, each key once, and no more of them than the file can hold itself."""

from pathlib import Path
from typing import Any

import yaml

from semblance.errors import InputError, at
from semblance.provenance import read_text

MOST = 1_000_000  # values, repeated ones counted each time; ours have some thousands
MALFORMED = (
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)  # as the loader meets a bad scalar


def read_yaml(path: str | Path) -> Any:
    """Return what a YAML file holds.

    A key written twice, a tag that is no plain value, aliases that repeat themselves into a memory
    bomb, and whatever else is no YAML raise InputError with the line.
    """
    text = read_text(path)
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        if node is None:
            return None
        _check(node, path, {})
        return loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise InputError(at(path, line), f"not YAML: {error.problem}") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise InputError(at(path, line), f"not YAML: {error.reason}") from None
    except RecursionError:
        raise InputError(at(path, 1), "not YAML that can be read: nested too deeply") from None


def _check(node: yaml.Node, path: str | Path, sizes: dict[int, int]) -> int:
    """Refuse doubled keys and memory bombs; return the number of a node's values, aliased ones included.

    Each node is visited once; ``sizes`` holds those of the nodes that were.
    """
    if isinstance(node, yaml.ScalarNode) or id(node) in sizes:
        return sizes.get(id(node), 1)
    sizes[id(node)] = MOST  # in case that it holds itself
    children = node.value if isinstance(node, yaml.SequenceNode) else _pairs(node)
    size = sizes[id(node)] = 1 + sum(_check(child, path, sizes) for child in children)
    if size > MOST:
        raise InputError(
            at(path, node.start_mark.line + 1),
            f"its aliases stand for more than {MOST} values",
            "write them out",
        )
    return size


def _pairs(node: yaml.MappingNode) -> list[yaml.Node]:
    seen = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise yaml.constructor.ConstructorError(
                None, None, "a key is no plain value", key.start_mark
            )
        if key.value in seen:
            raise yaml.constructor.ConstructorError(
                None, None, f"key {key.value!r} stands twice", key.start_mark
            )
        seen.add(key.value)
    return [part for pair in node.value for part in pair]


class _Loader(yaml.SafeLoader):
    """The safe loader; it names the line of a scalar that is not what its tag or form says."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except MALFORMED as error:
            raise yaml.constructor.ConstructorError(
                None, None, f"{error}", node.start_mark
            ) from None
