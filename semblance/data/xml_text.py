"""XML files, read without what makes XML unsafe; each element knows its line."""

import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.parsers import expat

from semblance.data.text import filled, normalise, read_lines
from semblance.errors import InputError, at

BLOCK = 1 << 16  # characters that the parser gets at once
# Bytes of one tag, comment or instruction. The parser reads one that is not yet whole again with
# each block: at most so often.
MAX_TOKEN = 1 << 20
MAX_ELEMENTS = 1_000_000  # some 150 MB of memory; FAQIR and StackFAQ have fewer than 200,000


class XmlElement(ElementTree.Element):
    """An element that knows the line it starts at; its tag is lower-cased."""

    __slots__ = ("line",)  # a dictionary for each element would need four times the memory


def read_xml(path: Path | str) -> XmlElement:
    """Parse an XML file and return its root.

    Tags are lower-cased, since the releases' readmes and files differ in case. The encoding is UTF-8,
    whatever the declaration says. Raises InputError for document types and entity declarations, a
    tag or comment of more than MAX_TOKEN bytes, and more than MAX_ELEMENTS elements.
    """
    builder = ElementTree.TreeBuilder(element_factory=XmlElement)
    parser = _make_parser(builder, path)
    fed = 0
    try:
        for block in _blocks(path):
            parser.Parse(block, False)
            fed += len(block)
            if fed - parser.CurrentByteIndex > MAX_TOKEN:
                where = at(path, parser.CurrentLineNumber)
                problem = f"a tag or comment of more than {MAX_TOKEN:,} bytes"
                raise InputError(where, problem, "look for one that never ends")
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        problem = f"not well-formed XML: {expat.ErrorString(error.code)}"
        raise InputError(at(path, error.lineno), problem, "fetch it again") from None
    return builder.close()


def _blocks(path: Path | str) -> Iterator[bytes]:
    """Yield the text of a file in blocks of whole lines.

    Given line by line, the parser would read a long comment again with each of its lines.
    """
    block: list[str] = []
    size = 0
    for _, text in read_lines(path):
        line = text.replace("\r", " ") + "\n"  # a lone \r would shift expat's count of lines
        block.append(line)
        size += len(line)
        if size > BLOCK:
            yield "".join(block).encode()
            block.clear()
            size = 0
    yield "".join(block).encode()


def _make_parser(builder: ElementTree.TreeBuilder, path: Path | str) -> expat.XMLParserType:
    """Return a parser that passes lower-cased elements and their lines to the builder."""
    parser = expat.ParserCreate("UTF-8")
    left = MAX_ELEMENTS

    def start(tag: str, attributes: dict[str, str]) -> None:
        """Begin an element, and keep its line."""
        nonlocal left
        left -= 1
        if left < 0:
            where = at(path, parser.CurrentLineNumber)
            raise InputError(where, f"more than {MAX_ELEMENTS:,} elements", "check the file")
        element = builder.start(sys.intern(tag.lower()), attributes)
        element.line = parser.CurrentLineNumber

    def refuse(*_: Any) -> None:
        """Refuse a declaration."""
        where = at(path, parser.CurrentLineNumber)
        problem = "a document type or entity declaration"
        raise InputError(where, problem, "remove it: entities can read files and exhaust memory")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: builder.end(sys.intern(tag.lower()))
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    return parser


def element_text(node: XmlElement) -> str:
    """Return an element's whole text, normalised, with that of elements inside it; it may be empty."""
    return normalise("".join(node.itertext()))


def child_text(node: XmlElement, tag: str, path: Path | str) -> str:
    """Return the text of a child element that must be there and filled.

    Raises InputError with the parent's line if the child is missing, with its own line if it is empty.
    """
    child = node.find(tag)
    if child is None:
        raise InputError(at(path, node.line), f"<{node.tag}> has no <{tag}>")
    return filled(element_text(child), child.tag, path, child.line)
