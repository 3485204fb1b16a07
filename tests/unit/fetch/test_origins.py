"""A file that is changed where it was copied from is noticed, and a look costs no reading."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from semblance.errors import InputError
from semblance.fetch import origins
from semblance.fetch.datasets import fetch_dataset
from semblance.fetch.origins import NAME, check_origins
from semblance.fetch.wanted import BaseSource, Hub, Wanted
from semblance.models.base import BaseSettings, build_base
from semblance.provenance import file_digest
from tests.dag.tiny import write_base
from tests.unit.fetch.examples import ALTERED, CONTENT, dataset, pinned, write


@pytest.fixture
def copied(tmp_path) -> Wanted:
    """Copy one pinned file from a mirror."""
    write(tmp_path / "mirror/a/b.txt")
    wanted = Wanted("m", str(tmp_path / "resources"), Hub(), ("one",), {}, str(tmp_path / "mirror"))
    fetch_dataset(dataset(pinned()), wanted.data, tmp_path / "mirror")
    return wanted


def edit(path: Path, content: bytes) -> None:
    """Write another content, a second later by the clock of the file."""
    before = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 10**9))


def refuse_reading(monkeypatch) -> None:
    def read(path):
        raise AssertionError(f"{path} was read")

    monkeypatch.setattr(origins, "file_digest", read)


def test_a_mirror_that_stayed_as_it_was_is_not_read(copied, monkeypatch):
    refuse_reading(monkeypatch)
    check_origins(copied, may_write=True)


@pytest.mark.parametrize("content", [ALTERED, CONTENT + b"!"])
def test_a_file_that_was_edited_in_the_mirror_is_named_with_both_digests(copied, content):
    file = Path(copied.mirror, "a/b.txt")
    before = file_digest(file)
    edit(file, content)
    with pytest.raises(InputError) as caught:
        check_origins(copied, may_write=False)
    shown = str(caught.value)
    assert shown.startswith(f"{file}: changed after it was copied: sha256 {before} then, ")
    assert file_digest(file) in shown and f"delete {copied.data / 'a/b.txt'}" in shown
    assert "\n" not in shown


def test_a_file_that_was_only_touched_is_read_once(copied, monkeypatch):
    edit(Path(copied.mirror, "a/b.txt"), CONTENT)
    note = copied.data / NAME
    before = note.read_bytes()
    check_origins(copied, may_write=False)
    assert note.read_bytes() == before
    check_origins(copied, may_write=True)
    refuse_reading(monkeypatch)
    check_origins(copied, may_write=True)


def test_the_advice_leads_out(copied):
    """Without the copy nothing is looked at, so that the run copies the new file."""
    edit(Path(copied.mirror, "a/b.txt"), ALTERED)
    (copied.data / "a/b.txt").unlink()
    check_origins(copied, may_write=True)


def test_a_mirror_that_is_not_named_any_more_is_not_looked_at(copied):
    edit(Path(copied.mirror, "a/b.txt"), ALTERED)
    check_origins(replace(copied, mirror=None), may_write=True)
    check_origins(replace(copied, mirror="http://127.0.0.1:9"), may_write=True)


def test_a_mirror_that_was_moved_together_with_the_downloads_is_looked_at(copied, tmp_path):
    tmp_path.rename(tmp_path.with_name(tmp_path.name + "-moved"))
    moved = tmp_path.with_name(tmp_path.name + "-moved")
    there = replace(copied, downloads=str(moved / "resources"), mirror=str(moved / "mirror"))
    check_origins(there, may_write=True)
    edit(moved / "mirror/a/b.txt", ALTERED)
    with pytest.raises(InputError, match="changed after it was copied"):
        check_origins(there, may_write=True)
    moved.rename(tmp_path)


def test_a_mirror_that_is_gone_is_no_change(copied):
    Path(copied.mirror, "a/b.txt").unlink()
    check_origins(copied, may_write=True)


@pytest.fixture
def built(tmp_path) -> Wanted:
    """Build a base from a folder."""
    source = tmp_path / "source"
    write_base(source)
    bases = {"tiny": BaseSource(folder=str(source))}
    wanted = Wanted("m", str(tmp_path / "resources"), Hub(), (), bases)
    settings = BaseSettings(32, folder=str(source), pooling="mean")
    build_base(settings, wanted.base_folder("tiny") / "record.json", "")
    return wanted


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json"])
def test_a_file_that_was_edited_in_the_folder_of_a_base_is_named(built, name):
    check_origins(built, may_write=True)
    file = Path(built.bases["tiny"].folder, name)
    edit(file, file.read_bytes() + b" ")
    with pytest.raises(InputError, match=f"{name}: changed after it was copied"):
        check_origins(built, may_write=True)
    (built.base_folder("tiny") / "record.json").unlink()
    check_origins(built, may_write=True)
