"""Raw files: found by their data set, checked against digests and counts, and recorded."""

import hashlib

import pytest

from semblance.data.raw import Raw
from semblance.errors import InputError
from semblance.fetch.manifest import Archive, Dataset, File
from semblance.layout import RAW_RECORD
from semblance.provenance import write_sealed

CONTENT = b"some text\n"
DIGEST = hashlib.sha256(CONTENT).hexdigest()
GIT_BLOB = hashlib.sha1(b"blob %d\0" % len(CONTENT) + CONTENT).hexdigest()


def raw_data(folder, pin=DIGEST, expected=None, git_blob=None) -> Raw:
    """Write one pinned file, one that comes out of an archive, and the record of their download."""
    for name in ("one/a.txt", "one/b.csv"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(CONTENT)
    entry = {"sha256": DIGEST, "size": len(CONTENT)}
    files = dict.fromkeys(("one/a.txt", "one/b.csv"), entry)
    write_sealed(folder / RAW_RECORD.format(name="one"), {"dataset": "one", "files": files})
    archive = Archive("one/x.zip", None, None, (), {"inside/b.csv": "one/b.csv"})
    files = (File("one/a.txt", pin, None, git_blob=git_blob),)
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


@pytest.mark.parametrize("record", [None, {"dataset": "one", "files": {}}])
def test_a_file_without_any_digest_is_refused(tmp_path, record):
    """Nothing pins it in the manifest, and no record of its download names it."""
    raw = raw_data(tmp_path)
    path = tmp_path / RAW_RECORD.format(name="one")
    path.unlink()
    if record:
        write_sealed(path, record)
    with pytest.raises(InputError, match="b.csv: nothing states its digest.*; run the download"):
        raw.files("one")


def test_a_pinned_file_is_checked_without_the_record_of_its_download(tmp_path):
    raw = raw_data(tmp_path)
    (tmp_path / RAW_RECORD.format(name="one")).unlink()
    assert raw.file("one", ".txt") == tmp_path / "one/a.txt"
    assert raw.records == {}


def test_a_file_that_is_pinned_by_its_git_blob_alone_is_checked(tmp_path):
    raw = raw_data(tmp_path, pin=None, git_blob=GIT_BLOB)
    assert raw.file("one", ".txt") == tmp_path / "one/a.txt"
    raw = raw_data(tmp_path, pin=None, git_blob="0" * 40)
    with pytest.raises(InputError, match="a.txt: damaged: .*git blob expected 0000"):
        raw.file("one", ".txt")


def test_the_record_of_prepared_data_says_what_was_read_and_where_it_lay(tmp_path):
    raw = raw_data(tmp_path / "resources/data")
    raw.files("one")
    own = tmp_path / "own.csv"
    own.write_bytes(CONTENT)
    raw.user_file(str(own))
    facts = raw.facts()
    assert facts["inputs"] == {"one/a.txt": DIGEST, "one/b.csv": DIGEST, str(own): DIGEST}
    record = tmp_path / "resources/data" / RAW_RECORD.format(name="one")
    assert facts["records"].pop(str(own)) == own
    assert {each.path for each in facts["records"].values()} == {record}
    assert facts["records"].keys() == {"one/a.txt", "one/b.csv"}


def test_counts_are_checked_against_the_manifest(tmp_path):
    raw = raw_data(tmp_path, expected={"pairs": 3})
    raw.check("one", pairs=3, queries=9)
    with pytest.raises(InputError, match="one: pairs: 4 found, 3 expected"):
        raw.check("one", pairs=4)
    with pytest.raises(InputError, match="expected.pairs: names a count that Semblance does not"):
        raw.check("one", queries=9)


def test_a_count_that_the_manifest_does_not_state_is_accepted(tmp_path):
    raw_data(tmp_path, expected={"pairs": 3}).check_one("one", "queries", 9)
