"""No reader waits for ever, fills the memory, or takes a time that grows faster than its input."""

import contextlib
import gzip
import json
import re
from pathlib import Path

import pytest

from semblance import strict_yaml
from semblance.data import text, xml_text
from semblance.data.csv_text import read_csv
from semblance.data.raw import Raw
from semblance.data.text import read_json_lines, read_lines
from semblance.data.tokens import load_tokenizer
from semblance.data.wiki import read_sentences
from semblance.data.xml_text import read_xml
from semblance.errors import InputError
from semblance.fetch.manifest import load_manifest
from semblance.fetch.raw import extract
from semblance.models.architecture import read_architecture
from semblance.models.weights import load_weights
from semblance.provenance import MOST_TEXT, checked, file_digest, read_json, read_text
from semblance.reporting.published import read_published
from semblance.strict_yaml import read_yaml
from semblance_faq.read.faq import read_own
from tests.hostile.bounds import NO_FILES, bounded, growth, put, refusal
from tests.hostile.formats import FORMATS
from tests.hostile.malformed import Case
from workflow.planning.layers import read_layer

# What stands in the place of a file


READERS = {
    "a record": (checked, "record.json"),
    "JSON": (read_json, "x.json"),
    "text": (read_text, "x.md"),
    "a digest": (file_digest, "x"),
    "YAML": (read_yaml, "x.yaml"),
    "a manifest": (load_manifest, "m.yaml"),
    "published numbers": (read_published, "p.yaml"),
    "a config": (read_layer, "c.yaml"),
    "a config in JSON": (read_layer, "c.json"),
    "weights": (load_weights, "model.safetensors"),
    "a model's config": (lambda path: read_architecture(path.parent), "config.json"),
    "a tokenizer": (load_tokenizer, "tokenizer.json"),
    "a user's file": (lambda path: Raw({}, path.parent).user_file(str(path)), "own.csv"),
    "a workbook": (read_own, "f.xlsx"),
    "gzip": (lambda path: list(read_lines(path)), "x.txt.gz"),
    "an archive": (lambda path: extract(path, "a", path.with_name("out"), 9), "x.zip"),
}


@pytest.mark.parametrize("kind", NO_FILES)
@pytest.mark.parametrize("name", READERS)
def test_what_is_no_regular_file_or_too_large_is_refused_at_once(name, kind, tmp_path):
    read, file = READERS[name]
    path = put(tmp_path / file, kind)
    assert str(path) in refusal(read, path)


@pytest.mark.parametrize("kind", NO_FILES)
@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_a_raw_file_that_is_none_is_refused_at_once(form, kind, tmp_path):
    folder = Case(form, "", b"", form.target).write(tmp_path / "in")
    (folder / form.target).unlink()
    put(folder / form.target, kind)
    assert form.target in refusal(form.load, folder)


# Time that grows with the input, and no faster


def csv_of(path: Path) -> list:
    return list(read_csv(path, ()))


def json_of(path: Path) -> list:
    return list(read_json_lines(path))


def attributes(count: int) -> str:
    return "<a " + "\n".join(f"b{i}=''" for i in range(count)) + "/>"


TWICE = "stands twice"
GROWING = {  # name: (reader, text of n parts, an n that takes some milliseconds, the refusal)
    "columns of a CSV header": (csv_of, lambda n: ",".join(map(str, range(n))), 25_000, ""),
    "a column that stands often": (csv_of, lambda n: ",".join(["x"] * n), 25_000, TWICE),
    "keys of a JSON line": (json_of, lambda n: json.dumps(dict.fromkeys(range(n))), 5_000, ""),
    "a key that stands often": (json_of, lambda n: "{" + '"x": 1,' * n + '"y": 1}', 25_000, TWICE),
    "lines of an XML comment": (read_xml, lambda n: "<a><!--" + "x\n" * n + "--></a>", 25_000, ""),
    "lines of an XML attribute": (read_xml, lambda n: "<a b='" + "x\n" * n + "'/>", 25_000, ""),
    "attributes of an XML element": (read_xml, attributes, 10_000, ""),
    "XML elements": (read_xml, lambda n: f"<a>{'<b>x</b>' * n}</a>", 10_000, ""),
    "keys of YAML": (read_yaml, lambda n: "".join(f"key{i}: 1\n" for i in range(n)), 500, ""),
}


@pytest.mark.parametrize("name", GROWING)
def test_four_times_the_input_takes_about_four_times_as_long(name, tmp_path):
    read, text_of, size, words = GROWING[name]

    def run(parts: int) -> None:
        (tmp_path / "x").write_text(text_of(parts) + "\n")
        with pytest.raises(InputError, match=words) if words else contextlib.nullcontext():
            read(tmp_path / "x")

    with bounded(seconds=20):
        assert growth(run, size) < 9  # its square would give 16


# Small files that stand for much. The limits themselves are tried in the long tests, with all the
# memory that they allow; the others lower them a hundredfold.


def aliases() -> str:
    """Return YAML whose mappings alias each other ten deep: a gigantic tree in a kilobyte."""
    lines = ["a0: &a0 {x: 1, y: 2, z: 3}"]
    for i in range(10):
        inside = ", ".join(f"k{j}: *a{i}" for j in range(10))
        lines.append(f"a{i + 1}: &a{i + 1} {{{inside}}}")
    return "\n".join(lines)


XML = (read_xml, "x.xml", xml_text)
YAML = (read_yaml, "x.yaml", strict_yaml)
TOKEN = "x.xml:2: a tag or comment of more than"
UNPACKED = "bytes unpacked from"
LIMITS = [  # reader, file, module and name of the limit, content that is beyond it, the message
    (*XML, "MAX_TOKEN", lambda most: "<a>\n<!--" + "x\n" * most, TOKEN),
    (*XML, "MAX_TOKEN", lambda most: "<a>\n<b c='" + "x\n" * most, TOKEN),
    (*XML, "MAX_TOKEN", lambda most: "<a>\n<?p " + "x\n" * most, TOKEN),
    (*XML, "MAX_ELEMENTS", lambda most: "<a>" + "<b/>\n" * most, "x.xml:{most}: more than"),
    (
        *(read_sentences, "w.txt.gz", text),
        "ALWAYS_UNPACKED",
        lambda most: gzip.compress(b"short\n" * most),
        f"w.txt.gz:[0-9]+: .* {UNPACKED}",
    ),
    (*YAML, "MOST", lambda most: f"[{'1,' * most}]", "x.yaml:1: .*more than .* values"),
    (
        *(read_layer, "x.yaml", strict_yaml),
        "MOST",
        lambda _: aliases(),
        "x.yaml:[0-9]+: its aliases stand for more",
    ),
]


@pytest.mark.parametrize("share", [100, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("read, file, module, constant, content_of, words", LIMITS)
def test_a_file_that_stands_for_more_than_a_limit_is_refused(
    read, file, module, constant, content_of, words, share, tmp_path, monkeypatch
):
    most = getattr(module, constant) // share
    monkeypatch.setattr(module, constant, most)
    if constant == "MAX_TOKEN":  # a token is measured block by block
        monkeypatch.setattr(xml_text, "BLOCK", most // 16)
    content = content_of(most)
    (tmp_path / file).write_bytes(content if isinstance(content, bytes) else content.encode())
    message = refusal(read, tmp_path / file, seconds=60)
    assert re.search(words.format(most=most), message), message


def test_text_that_gzip_packs_well_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "ALWAYS_UNPACKED", 1000)
    lines = [f"the {i}th sentence of a file with many alike" for i in range(10_000)]
    path = tmp_path / "w.txt.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    assert len("\n".join(lines)) > 10 * path.stat().st_size
    assert read_sentences(path) == (lines, [])


def test_a_number_to_base_60_of_endless_digits_is_refused(tmp_path):
    (tmp_path / "x.yaml").write_text("a: 1" + ":1" * 20_000)
    message = refusal(read_yaml, tmp_path / "x.yaml")
    assert "x.yaml:1: " in message and "number of more than" in message


@pytest.mark.parametrize("value", ["[]", "{}", '{"":0}'])
@pytest.mark.parametrize(
    "size", [MOST_TEXT // 100, pytest.param(MOST_TEXT, marks=pytest.mark.long)]
)
def test_the_largest_json_needs_less_than_300_megabytes(size, value, tmp_path):
    count = size // (len(value) + 1) - 1
    (tmp_path / "x.json").write_text("[" + f"{value}," * count + "1]")
    with bounded():
        assert len(read_json(tmp_path / "x.json")) == count + 1
