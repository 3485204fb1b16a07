"""No reader waits for ever, fills the memory, or takes a time that grows faster than its input."""

import gzip
import io
import json
import os
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest

from semblance import strict_yaml
from semblance.audit.runs import _read_lines
from semblance.data import text, xml_text
from semblance.data.csv_text import read_csv
from semblance.data.raw import Raw
from semblance.data.text import read_json_lines, read_lines
from semblance.data.tokens import load_tokenizer
from semblance.data.wiki import read_sentences
from semblance.data.xml_text import read_xml
from semblance.errors import InputError
from semblance.fetch import unpack
from semblance.fetch.manifest import load_manifest
from semblance.fetch.unpack import extract
from semblance.models.architecture import read_architecture
from semblance.models.weights import load_weights
from semblance.provenance import MOST_TEXT, checked, file_digest, read_json, read_sealed, read_text
from semblance.reporting.predictions import read_predictions
from semblance.reporting.published import read_published
from semblance.reporting.scores import read_scores
from semblance.strict_yaml import read_yaml
from tests.hostile.bounds import bounded, growth
from tests.hostile.formats import FORMATS
from tests.hostile.malformed import Case
from workflow.planning.config import check_files

# What stands in the place of a file

READERS = {
    "a record": (checked, "record.json"),
    "a sealed file": (read_sealed, "x.json"),
    "JSON": (read_json, "x.json"),
    "text": (read_text, "x.md"),
    "a digest": (file_digest, "x"),
    "YAML": (read_yaml, "x.yaml"),
    "a manifest": (load_manifest, "m.yaml"),
    "published numbers": (read_published, "p.yaml"),
    "a config": (lambda path: check_files([path]), "c.yaml"),
    "a config in JSON": (lambda path: check_files([path]), "c.json"),
    "scores": (read_scores, "scores.csv"),
    "scores in an audit": (_read_lines, "scores.csv"),
    "predictions": (lambda path: read_predictions(path, ["gold"]), "predictions.parquet"),
    "weights": (load_weights, "model.safetensors"),
    "a model's config": (lambda path: read_architecture(path.parent), "config.json"),
    "a tokenizer": (load_tokenizer, "tokenizer.json"),
    "a user's file": (lambda path: Raw({}, path.parent).user_file(str(path)), "own.csv"),
    "gzip": (lambda path: list(read_lines(path)), "x.txt.gz"),
    "an archive": (lambda path: extract(path, "a", path.with_name("out"), 9), "x.zip"),
}
MANY = 1 << 40  # bytes of a file without content: it needs no room on the disk


def put(path: Path, kind: str) -> Path:
    """Put what is no file, or a far too large one, in the place of a file."""
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind == "an endless device":
        path.symlink_to("/dev/zero")
    elif kind == "a folder":
        path.mkdir()
    else:
        path.touch()
        os.truncate(path, MANY)
    return path


KINDS = ("a pipe", "an endless device", "a folder", "a terabyte of nothing")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", READERS)
def test_what_is_no_regular_file_or_too_large_is_refused_at_once(name, kind, tmp_path):
    read, file = READERS[name]
    path = put(tmp_path / file, kind)
    with bounded(), pytest.raises(InputError) as caught:
        read(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_a_raw_file_that_is_none_is_refused_at_once(form, kind, tmp_path):
    folder = Case(form, "", b"", form.target).write(tmp_path / "in")
    (folder / form.target).unlink()
    put(folder / form.target, kind)
    with bounded(), pytest.raises(InputError, match=form.target):
        form.load(folder)


# Time that grows with the input, and no faster


def _csv_header(path: Path, size: int) -> None:
    path.write_text(",".join(f"column{i}" for i in range(size)) + "\n")
    list(read_csv(path, ()))


def _doubled_columns(path: Path, size: int) -> None:
    path.write_text(",".join(["same"] * size) + "\n")
    with pytest.raises(InputError, match="column same stands twice"):
        list(read_csv(path, ()))


def _json_keys(path: Path, size: int) -> None:
    path.write_text(json.dumps({f"key{i}": "value" for i in range(size)}) + "\n")
    list(read_json_lines(path))


def _doubled_keys(path: Path, size: int) -> None:
    path.write_text("{" + ",".join(['"key": 1'] * size) + "}\n")
    with pytest.raises(InputError, match="key 'key' stands twice"):
        list(read_json_lines(path))


def _xml_comment(path: Path, size: int) -> None:
    path.write_text("<a><!--\n" + "x\n" * size + "--></a>\n")
    read_xml(path)


def _xml_attribute(path: Path, size: int) -> None:
    path.write_text("<a b='\n" + "x\n" * size + "'/>\n")
    read_xml(path)


def _xml_attributes(path: Path, size: int) -> None:
    path.write_text("<a " + "\n".join(f"b{i}=''" for i in range(size)) + "/>\n")
    read_xml(path)


def _xml_elements(path: Path, size: int) -> None:
    path.write_text("<a>" + "<b>x</b>" * size + "</a>\n")
    read_xml(path)


def _yaml_keys(path: Path, size: int) -> None:
    path.write_text("".join(f"key{i}: 1\n" for i in range(size)))
    read_yaml(path)


GROWING = {  # name: (run, a size that takes some milliseconds)
    "columns of a CSV header": (_csv_header, 25_000),
    "a column that stands often": (_doubled_columns, 25_000),
    "keys of a JSON line": (_json_keys, 5_000),
    "a key that stands often": (_doubled_keys, 25_000),
    "lines of an XML comment": (_xml_comment, 25_000),
    "lines of an XML attribute": (_xml_attribute, 25_000),
    "attributes of an XML element": (_xml_attributes, 10_000),
    "XML elements": (_xml_elements, 10_000),
    "keys of YAML": (_yaml_keys, 500),
}


@pytest.mark.parametrize("name", GROWING)
def test_four_times_the_input_takes_about_four_times_as_long(name, tmp_path):
    run, size = GROWING[name]
    with bounded(seconds=20):
        assert growth(lambda n: run(tmp_path / "x.xml", n), size) < 9  # its square would give 16


# Small files that stand for much. The limits themselves are tried in the long tests, with all the
# memory that they allow; the others lower them.


def scaled(limit: int) -> list:
    """Return a limit that is quick to reach, and the true one for a long test."""
    return [limit // 100, pytest.param(limit, marks=pytest.mark.long)]


@pytest.mark.parametrize("most", scaled(xml_text.MAX_TOKEN))
@pytest.mark.parametrize("start", ["<!--", "<b c='", "<?p "])
def test_a_comment_or_tag_beyond_the_limit_is_refused_at_its_line(
    start, most, tmp_path, monkeypatch
):
    monkeypatch.setattr(xml_text, "MAX_TOKEN", most)
    monkeypatch.setattr(xml_text, "BLOCK", most // 16)
    (tmp_path / "x.xml").write_text(f"<a>\n{start}" + "x\n" * most)
    with bounded(), pytest.raises(InputError, match="x.xml:2: a tag or comment of more than"):
        read_xml(tmp_path / "x.xml")


@pytest.mark.parametrize("most", scaled(xml_text.MAX_ELEMENTS))
def test_more_elements_than_the_limit_are_refused(most, tmp_path, monkeypatch):
    monkeypatch.setattr(xml_text, "MAX_ELEMENTS", most)
    (tmp_path / "x.xml").write_text("<a>" + "<b/>\n" * most)
    with bounded(60), pytest.raises(InputError, match=f"x.xml:{most}: more than"):
        read_xml(tmp_path / "x.xml")


@pytest.mark.parametrize("always", scaled(text.ALWAYS_UNPACKED))
def test_a_gzip_of_endless_short_lines_is_refused(always, tmp_path, monkeypatch):
    monkeypatch.setattr(text, "ALWAYS_UNPACKED", always)
    path = tmp_path / "w.txt.gz"
    path.write_bytes(gzip.compress(b"short\n" * always))
    with bounded(), pytest.raises(InputError, match=f"{path}:[0-9]+: .* bytes unpacked from"):
        read_sentences(path)


def test_text_that_gzip_packs_well_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "ALWAYS_UNPACKED", 1000)
    lines = [f"the {i}th sentence of a file with many alike" for i in range(10_000)]
    path = tmp_path / "w.txt.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    assert len("\n".join(lines)) > 10 * path.stat().st_size
    assert read_sentences(path) == (lines, [])


def test_a_number_to_base_60_of_endless_digits_is_refused(tmp_path):
    (tmp_path / "x.yaml").write_text("a: 1" + ":1" * 20_000)
    with bounded(), pytest.raises(InputError, match="x.yaml:1: .*number of more than"):
        read_yaml(tmp_path / "x.yaml")


@pytest.mark.parametrize("most", scaled(strict_yaml.MOST))
def test_yaml_of_more_values_than_the_limit_is_refused(most, tmp_path, monkeypatch):
    monkeypatch.setattr(strict_yaml, "MOST", most)
    (tmp_path / "x.yaml").write_text("[" + "1," * most + "]")
    with bounded(60), pytest.raises(InputError, match="x.yaml:1: .*more than .* values"):
        read_yaml(tmp_path / "x.yaml")


@pytest.mark.parametrize("most", scaled(strict_yaml.MOST))
def test_mappings_that_alias_each_other_ten_deep_are_refused(most, tmp_path, monkeypatch):
    monkeypatch.setattr(strict_yaml, "MOST", most)
    lines = ["a0: &a0 {x: 1, y: 2, z: 3}"]
    for i in range(10):
        inside = ", ".join(f"k{j}: *a{i}" for j in range(10))
        lines.append(f"a{i + 1}: &a{i + 1} {{{inside}}}")
    (tmp_path / "x.yaml").write_text("\n".join(lines))
    with bounded(), pytest.raises(InputError, match="x.yaml:[0-9]+: its aliases stand for more"):
        check_files([tmp_path / "x.yaml"])


@pytest.mark.parametrize("value", ["[]", "{}", '{"":0}'])
@pytest.mark.parametrize("size", scaled(MOST_TEXT))
def test_the_largest_json_needs_less_than_300_megabytes(size, value, tmp_path):
    count = size // (len(value) + 1) - 1
    (tmp_path / "x.json").write_text("[" + f"{value}," * count + "1]")
    with bounded():
        assert len(read_json(tmp_path / "x.json")) == count + 1


# Archives


def header(name: str, size: int, kind: bytes) -> bytes:
    """Return the header of a tar's member that states any size."""
    info = tarfile.TarInfo(name)
    info.size = size
    info.type = kind
    return info.tobuf(tarfile.GNU_FORMAT)


KINDS_OF_HEADER = {
    "a long name": tarfile.GNUTYPE_LONGNAME,
    "a long link": tarfile.GNUTYPE_LONGLINK,
    "facts on a member": tarfile.XHDTYPE,
    "facts on all members": tarfile.XGLTYPE,
    "a map of holes": tarfile.GNUTYPE_SPARSE,
}


@pytest.mark.parametrize("kind", KINDS_OF_HEADER)
def test_a_tar_whose_header_states_gigabytes_is_refused(kind, tmp_path):
    path = tmp_path / "x.tar"
    path.write_bytes(header("one", 3 << 30, KINDS_OF_HEADER[kind]))
    os.truncate(path, (3 << 30) + 10_240)
    with bounded(), pytest.raises(InputError, match="x.tar: cannot open member one"):
        extract(path, "one", tmp_path / "out", 1000)


@pytest.mark.parametrize("most", scaled(unpack.MOST_MEMBERS))
def test_a_tar_of_too_many_members_is_refused(most, tmp_path, monkeypatch):
    monkeypatch.setattr(unpack, "MOST_MEMBERS", most)
    path = tmp_path / "x.tar"
    path.write_bytes(header("a", 0, tarfile.REGTYPE) * (most + 1))
    with bounded(60), pytest.raises(InputError, match=f"x.tar: more than {most:,} members"):
        extract(path, "one", tmp_path / "out", 1000)


@pytest.mark.parametrize("always", scaled(unpack.ALWAYS_UNPACKED))
@pytest.mark.parametrize("mode", ["w:gz", "w:bz2", "w:xz"])
def test_a_tar_that_unpacks_to_far_more_than_its_size_is_refused(
    mode, always, tmp_path, monkeypatch
):
    monkeypatch.setattr(unpack, "ALWAYS_UNPACKED", always)
    path = tmp_path / "x.tar"
    with tarfile.open(path, mode) as box:
        info = tarfile.TarInfo("other")
        info.size = 3 * always
        box.addfile(info, io.BytesIO(bytes(info.size)))
    with bounded(), pytest.raises(InputError, match="bytes unpacked from"):
        extract(path, "one", tmp_path / "out", 1000)


def test_a_zip_of_too_many_members_is_refused(tmp_path):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as box:
        box.writestr("a", "")
    content = path.read_bytes()
    start = content.index(b"PK\x01\x02")
    end = content.index(b"PK\x05\x06")
    entries = content[start:end] * 1_000_000
    stated = struct.pack("<HHII", 0xFFFF, 0xFFFF, len(entries), start)
    path.write_bytes(content[:start] + entries + content[end : end + 8] + stated + b"\0\0")
    with bounded(), pytest.raises(InputError, match="a list of members of 47,000,000 bytes"):
        extract(path, "one", tmp_path / "out", 1000)


@pytest.mark.long
def test_the_longest_list_of_members_of_a_zip_is_read_within_the_bounds(tmp_path):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as box:
        for i in range(unpack.MOST_DIRECTORY // 52):
            box.writestr(f"{i:06d}", "")
    with bounded(), pytest.raises(InputError, match="no member one"):
        extract(path, "one", tmp_path / "out", 1000)
