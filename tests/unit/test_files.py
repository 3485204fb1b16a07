"""Files and folders appear whole or not at all, and are on the disk before they take their names."""

import contextlib
import errno
import os
import socket
from pathlib import Path

import pytest
import torch

from semblance import files
from semblance.errors import InputError
from semblance.files import (
    open_regular,
    read_regular,
    require_regular,
    whole_file,
    whole_folder,
    write_text,
)
from semblance.models.weights import save_tensors


def names(folder):
    return sorted(p.name for p in folder.iterdir())


def test_text_is_written_whole_with_its_folder(tmp_path):
    write_text(tmp_path / "a" / "b.txt", "ä\r\nb\n")
    assert (tmp_path / "a" / "b.txt").read_bytes() == "ä\r\nb\n".encode()
    assert names(tmp_path / "a") == ["b.txt"]


@pytest.mark.parametrize("umask, mode", [(0o022, 0o644), (0o027, 0o640)])
def test_the_mode_of_a_text_and_of_weights_follows_the_umask(tmp_path, umask, mode):
    (tmp_path / ".a.safetensors.part").write_bytes(b"left by a kill")
    (tmp_path / ".a.safetensors.part").chmod(0o600)
    before = os.umask(umask)
    try:
        write_text(tmp_path / "b.txt", "x")
        save_tensors({"weight": torch.zeros(2)}, tmp_path / "a.safetensors")
    finally:
        os.umask(before)
    for name in ("b.txt", "a.safetensors"):
        assert (tmp_path / name).stat().st_mode & 0o777 == mode


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failed_write_leaves_the_old_text_and_nothing_else(tmp_path, monkeypatch, step):
    write_text(tmp_path / "b.txt", "old")
    monkeypatch.setattr(files.os, step, no_space)
    with pytest.raises(OSError, match="no space"):
        write_text(tmp_path / "b.txt", "new and longer")
    assert (tmp_path / "b.txt").read_text() == "old" and names(tmp_path) == ["b.txt"]


def no_space(*args, **kwargs):
    raise OSError(errno.ENOSPC, "no space left")


def test_the_first_error_is_raised_even_if_the_removal_fails_too(tmp_path, monkeypatch):
    monkeypatch.setattr(files.Path, "unlink", no_space)
    with pytest.raises(ValueError, match="the first"), whole_file(tmp_path / "b.txt"):
        raise ValueError("the first")


def test_a_full_disk_is_reported_by_the_file_that_was_written(tmp_path):
    """A copy names its source, and a write no file at all."""
    with pytest.raises(OSError) as caught, whole_file(tmp_path / "b.txt"):
        raise OSError(errno.ENOSPC, "no space left", "the source")
    assert caught.value.filename == str(tmp_path / "b.txt")


@pytest.fixture
def order(monkeypatch):
    """The disk operations in their order: (name, file)."""
    done = []
    opened = {}
    real = {name: getattr(os, name) for name in ("open", "fsync", "replace")}

    def opening(path, *rest):
        handle = real["open"](path, *rest)
        opened[handle] = os.path.basename(path)
        return handle

    monkeypatch.setattr(files.os, "open", opening)

    def syncing(handle):
        done.append(("fsync", opened[handle]))
        real["fsync"](handle)

    def replacing(source, target):
        done.append(("replace", os.path.basename(target)))
        real["replace"](source, target)

    monkeypatch.setattr(files.os, "fsync", syncing)
    monkeypatch.setattr(files.os, "replace", replacing)
    return done


def test_a_file_is_on_the_disk_before_it_takes_its_name_and_its_folder_after(tmp_path, order):
    write_text(tmp_path / "b.txt", "x")
    assert order == [("fsync", ".b.txt.part"), ("replace", "b.txt"), ("fsync", tmp_path.name)]


def test_a_folder_and_all_in_it_are_on_the_disk_before_it_takes_its_name(tmp_path, order):
    with whole_folder(tmp_path / "c") as temporary:
        (temporary / "inner").mkdir()
        (temporary / "inner" / "x").write_text("x")
    assert sorted(order[:3]) == [("fsync", ".c.part"), ("fsync", "inner"), ("fsync", "x")]
    assert order[3:] == [("replace", "c"), ("fsync", tmp_path.name)]


@pytest.mark.parametrize("error", [None, ValueError])
def test_a_whole_folder_takes_the_place_of_the_old_one_unless_it_fails(tmp_path, error):
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "old").write_text("old")
    with contextlib.suppress(ValueError), whole_folder(tmp_path / "c") as temporary:
        (temporary / "new").write_text("new")
        if error:
            raise error
    assert names(tmp_path) == ["c"]
    assert names(tmp_path / "c") == ["old" if error else "new"]


def test_files_that_a_kill_left_are_not_mixed_into_the_next_write(tmp_path):
    (tmp_path / ".c.part").mkdir()
    (tmp_path / ".c.part" / "stale").write_text("half")
    (tmp_path / ".b.txt.part").write_text("a longer half")
    with whole_folder(tmp_path / "c") as temporary:
        (temporary / "new").write_text("new")
    write_text(tmp_path / "b.txt", "x")
    assert names(tmp_path) == ["b.txt", "c"] and names(tmp_path / "c") == ["new"]
    assert (tmp_path / "b.txt").read_text() == "x"


@pytest.mark.parametrize(
    "read", [open_regular, require_regular, lambda path: read_regular(path, 9)]
)
def test_only_regular_files_are_read(read, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
    (tmp_path / "link").symlink_to("/dev/zero")
    for path in (tmp_path / "pipe", tmp_path / "link", tmp_path, Path("/dev/null")):
        with pytest.raises(InputError, match=f"^{path}: not a regular file"):
            read(path)
    with pytest.raises((InputError, OSError), match="socket"):
        read(tmp_path / "socket")
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "absent")


def test_a_file_is_read_up_to_its_limit(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "b.txt")
    write_text(tmp_path / "b.txt", "12345")
    assert read_regular(tmp_path / "link", 5) == b"12345"
    for read in (read_regular, open_regular, require_regular):
        with pytest.raises(InputError, match="b.txt: more than 4 bytes"):
            read(tmp_path / "b.txt", 4)


def test_a_file_that_states_no_size_is_read_up_to_its_limit():
    path = Path("/proc/self/status")
    assert path.stat().st_size == 0
    assert read_regular(path, 1 << 20).startswith(b"Name:")
    with pytest.raises(InputError, match="more than 10 bytes"):
        read_regular(path, 10)
