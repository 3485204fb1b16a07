"""Raw files: found by their data set, checked against digests and counts, and recorded."""

import hashlib

import pytest

from semblance.data.raw import Raw
from semblance.download.manifest import Archive, Dataset, File
from semblance.errors import InputError
from semblance.layout import RAW_RECORD
from semblance.provenance import write_sealed

CONTENT = b"some text\n"
DIGEST = hashlib.sha256(CONTENT).hexdigest()


def raw_data(folder, pin=DIGEST, expected=None) -> Raw:
    """Write one pinned file and one that comes out of an archive."""
    for name in ("one/a.txt", "one/b.csv"):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(CONTENT)
    archive = Archive("one/x.zip", None, None, (), {"inside/b.csv": "one/b.csv"})
    files = (File("one/a.txt", pin, None),)
    dataset = Dataset("t", "l", None, expected or {}, files, (archive,))
    return Raw({"one": dataset}, folder)


def test_files_are_those_of_the_manifest_and_of_its_archives(tmp_path):
    raw = raw_data(tmp_path)
    assert raw.files("one") == [tmp_path / "one/a.txt", tmp_path / "one/b.csv"]
    assert raw.inputs == {"one/a.txt": DIGEST, "one/b.csv": DIGEST}


def test_a_file_is_found_by_the_ending_of_its_name(tmp_path):
    raw = raw_data(tmp_path)
    assert raw.file("one", ".csv") == tmp_path / "one/b.csv"
    assert list(raw.inputs) == ["one/b.csv"]
    with pytest.raises(InputError, match="2 files end in '', expected one"):
        raw.file("one")
    with pytest.raises(InputError, match="0 files end in '.xml', expected one"):
        raw.file("one", ".xml")


def test_an_unknown_data_set_is_refused_with_the_known_ones(tmp_path):
    with pytest.raises(InputError, match="dataset two: is not in the manifest; known are one"):
        raw_data(tmp_path).files("two")


def test_a_missing_file_is_named(tmp_path):
    raw = raw_data(tmp_path)
    (tmp_path / "one/a.txt").unlink()
    with pytest.raises(InputError, match="one/a.txt: no such file; run the download of one"):
        raw.files("one")


def test_a_file_with_another_digest_than_the_manifests_is_refused(tmp_path):
    raw = raw_data(tmp_path, pin="0" * 64)
    with pytest.raises(InputError, match=f"expected sha256 {'0' * 64}, found {DIGEST}"):
        raw.files("one")


def test_a_file_with_another_digest_than_the_downloads_is_refused(tmp_path):
    raw = raw_data(tmp_path)
    record = {"files": {"one/b.csv": {"sha256": "1" * 64, "size": 3}}}
    write_sealed(tmp_path / RAW_RECORD.format(name="one"), record)
    with pytest.raises(InputError, match=f"b.csv: damaged: expected sha256 {'1' * 64}"):
        raw.files("one")


def test_counts_are_checked_against_the_manifest(tmp_path):
    raw = raw_data(tmp_path, expected={"pairs": 3})
    raw.check("one", pairs=3, queries=9)
    with pytest.raises(InputError, match="one: pairs: 4 found, 3 expected"):
        raw.check("one", pairs=4)
    with pytest.raises(InputError, match="expected.pairs: names a count that Semblance does not"):
        raw.check("one", queries=9)


def test_a_count_that_the_manifest_does_not_state_is_accepted(tmp_path):
    raw_data(tmp_path, expected={"pairs": 3}).check_one("one", "queries", 9)
