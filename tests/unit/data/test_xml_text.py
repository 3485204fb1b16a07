"""XML files: what is read, and where reading stops."""

import pytest

from semblance.data.text import normalise
from semblance.data.xml_text import read_xml
from tests.unit.data.files import fails_at, put


def test_elements_know_their_lines(tmp_path):
    declaration = '<?xml version="1.0" encoding="utf-16"?>\r\n'  # not so: files are UTF-8
    path = put(tmp_path / "a.xml", declaration + "<Root>\r\n<A>x &lt;\r y</A>\n\n<a\n>é</a></Root>")
    root = read_xml(path)
    assert (root.tag, root.line) == ("root", 2)
    assert [(a.line, normalise(a.text)) for a in root.findall("a")] == [(3, "x < y"), (5, "é")]


@pytest.mark.parametrize(
    "content, line",
    [
        ('<?xml version="1.0"?>\n<!DOCTYPE r [<!ENTITY a "b">]>\n<r>&a;</r>', 2),
        ('\n\n<!DOCTYPE r SYSTEM "file:///etc/hostname">\n<r/>', 3),
    ],
)
def test_document_types_are_refused(tmp_path, content, line):
    path = put(tmp_path / "a.xml", content)
    with fails_at(path, line, "document type or entity"):
        read_xml(path)


@pytest.mark.parametrize(
    "content, line",
    [
        ("<r>\n<a>\n</r>", 3),
        ("<r>\n&undefined;</r>", 2),
        ("<r>\n", 2),
        ("", 1),
        ("<r/>\n<r/>", 2),
        ("<r>\n\n\x01</r>", 3),
    ],
)
def test_malformed_names_its_line(tmp_path, content, line):
    path = put(tmp_path / "a.xml", content)
    with fails_at(path, line, "not well-formed"):
        read_xml(path)
