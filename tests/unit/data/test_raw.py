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
ENTRY = {"sha256": DIGEST, "size": len(CONTENT)}
DOWNLOADED = {"one/a.txt": ENTRY, "one/b.csv": ENTRY}
RECORD = RAW_RECORD.format(name="one")


def raw_data(folder, pin=DIGEST, expected=None, git_blob=None, downloaded=DOWNLOADED) -> Raw:
    """Write one pinned file, one that comes out of an archive, and the record of their download."""
    (folder / "one").mkdir(parents=True, exist_ok=True)
    for name in DOWNLOADED:
        (folder / name).write_bytes(CONTENT)
    if downloaded is not None:
        write_sealed(folder / RECORD, {"dataset": "one", "files": downloaded})
    archive = Archive("one/x.zip", None, None, (), {"inside/b.csv": "one/b.csv"})
    files = (File("one/a.txt", pin, None, git_blob=git_blob),)
    return Raw({"one": Dataset("t", "l", None, expected or {}, files, (archive,))}, folder)


def test_files_are_those_of_the_manifest_and_of_its_archives(tmp_path):
    raw = raw_data(tmp_path)
    assert raw.files("one") == [tmp_path / "one/a.txt", tmp_path / "one/b.csv"]
    assert raw.inputs == {"one/a.txt": DIGEST, "one/b.csv": DIGEST}


def test_a_file_is_found_by_the_ending_of_its_name(tmp_path):
    raw = raw_data(tmp_path)
    assert raw.file("one", ".csv") == tmp_path / "one/b.csv"
    assert list(raw.inputs) == ["one/b.csv"]
    for ending, count in (("", 2), (".xml", 0)):
        with pytest.raises(InputError, match=f"{count} files end in '{ending}', expected one"):
            raw.file("one", ending)


WRONG = {"one/b.csv": {"sha256": "1" * 64, "size": 3}}
REFUSED = [
    ({"pin": "0" * 64}, f"a.txt: damaged: expected sha256 {'0' * 64}, found {DIGEST}"),
    ({"pin": None, "git_blob": "0" * 40}, "a.txt: damaged: .*git blob expected 0000"),
    ({"downloaded": WRONG}, f"b.csv: damaged: expected sha256 {'1' * 64}"),
    ({"downloaded": None}, "b.csv: nothing states its digest.*; run the download of one"),
    ({"downloaded": {}}, "b.csv: nothing states its digest.*; run the download of one"),
]


@pytest.mark.parametrize("facts, words", REFUSED)
def test_a_file_of_another_digest_or_of_none_is_refused(tmp_path, facts, words):
    with pytest.raises(InputError, match=words):
        raw_data(tmp_path, **facts).files("one")


def test_a_missing_file_and_an_unknown_data_set_are_named(tmp_path):
    raw = raw_data(tmp_path)
    (tmp_path / "one/a.txt").unlink()
    with pytest.raises(InputError, match="one/a.txt: no such file; run the download of one"):
        raw.files("one")
    with pytest.raises(InputError, match="dataset two: is not in the manifest; known are one"):
        raw.files("two")


@pytest.mark.parametrize("facts", [{}, {"pin": None, "git_blob": GIT_BLOB}])
def test_a_pinned_file_is_checked_without_the_record_of_its_download(tmp_path, facts):
    raw = raw_data(tmp_path, downloaded=None, **facts)
    assert raw.file("one", ".txt") == tmp_path / "one/a.txt"
    assert raw.records == {}


def test_the_record_of_prepared_data_says_what_was_read_and_where_it_lay(tmp_path):
    raw = raw_data(tmp_path / "data")
    raw.files("one")
    own = tmp_path / "own.csv"
    own.write_bytes(CONTENT)
    raw.user_file(str(own))
    facts = raw.facts()
    assert facts["inputs"] == {"one/a.txt": DIGEST, "one/b.csv": DIGEST, str(own): DIGEST}
    assert facts["records"].pop(str(own)) == own
    assert {each.path for each in facts["records"].values()} == {tmp_path / "data" / RECORD}
    assert facts["records"].keys() == {"one/a.txt", "one/b.csv"}


def test_counts_are_checked_where_the_manifest_states_them(tmp_path):
    raw = raw_data(tmp_path, expected={"pairs": 3})
    raw.check("one", pairs=3, queries=9)
    raw.check_one("one", "queries", 9)
    with pytest.raises(InputError, match="one: pairs: 4 found, 3 expected"):
        raw.check("one", pairs=4)
    with pytest.raises(InputError, match="expected.pairs: names a count that Semblance does not"):
        raw.check("one", queries=9)
