"""Provenance: JSON has one form, a record lists the digests of its outputs, and one changed bit is found."""

import hashlib
import json
import time

import pytest

from semblance.errors import InputError
from semblance.provenance import (
    CIRCUMSTANCES,
    SEAL,
    canonical,
    checked,
    circumstances,
    circumstances_file,
    digests,
    environment,
    file_digest,
    input_digests,
    place_of,
    read_json,
    read_sealed,
    record_digest,
    text_digest,
    write_json,
    write_record,
    write_sealed,
)


def test_canonical_json_has_one_form():
    text = canonical({"b": [1, 2.5], "a": "ä"})
    assert text == '{"a":"ä","b":[1,2.5]}' == canonical({"a": "ä", "b": [1, 2.5]})
    with pytest.raises(ValueError):
        canonical(float("nan"))
    assert text_digest("ä") == hashlib.sha256("ä".encode()).hexdigest()


def test_json_is_read_back_and_a_bad_file_is_named(tmp_path):
    path = tmp_path / "a.json"
    write_json(path, {"x": [1, None, "ä"]})
    assert read_json(path) == {"x": [1, None, "ä"]}
    for content in (b"{", b'"\xff"', None):
        path.write_bytes(content) if content else path.unlink()
        with pytest.raises(InputError, match="a.json"):
            read_json(path)


@pytest.fixture
def recorded(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "weights").write_bytes(bytes(range(256)) * 40)
    (tmp_path / "dev.csv").write_text("step,dev\n1,0.5\n")
    write_record(
        tmp_path / "record.json",
        "train",
        outputs=["model/weights", "dev.csv"],
        started=time.monotonic(),
        code="c",
        inputs={"base": "d"},
        records={"base": tmp_path / "base.bin"},
        seed=3,
    )
    return tmp_path


def test_a_record_holds_the_digests_of_its_outputs(recorded):
    record = json.loads((recorded / "record.json").read_text())
    names = ("dev.csv", "model/weights")
    expected = {n: hashlib.sha256((recorded / n).read_bytes()).hexdigest() for n in names}
    assert record["outputs"] == expected == digests(recorded, ["model/weights", "dev.csv"])
    assert (record["stage"], record["code"], record["seed"]) == ("train", "c", 3)
    assert record["inputs"] == [{"role": "base", "place": "base.bin", "digest": "d", "record": ""}]
    assert checked(recorded / "record.json") == {k: v for k, v in record.items() if k != SEAL}
    assert record["environment"] == environment() and record["environment"]["numpy"] != "absent"


def test_a_stage_that_runs_again_writes_the_same_record_and_its_own_circumstances(tmp_path):
    path, said = tmp_path / "record.json", []
    for attempts in (1, 2):
        write_record(
            path, "train", outputs=[], started=time.monotonic() - attempts, attempts=attempts
        )
        said.append((path.read_bytes(), circumstances(path)))
    assert said[0][0] == said[1][0] and not CIRCUMSTANCES & read_sealed(path).keys()
    assert [ran["attempts"] for _, ran in said] == [1, 2]
    assert all(ran.keys() == CIRCUMSTANCES and ran["seconds"] >= ran["attempts"] for _, ran in said)


@pytest.mark.parametrize("text", [None, "", "[1]", "{"])
def test_lost_and_damaged_circumstances_are_none(recorded, text):
    file = circumstances_file(recorded / "record.json")
    file.unlink()
    if text is not None:
        file.write_text(text)
    assert circumstances(recorded / "record.json") == {}


def test_a_change_of_any_single_bit_of_a_record_is_found(tmp_path):
    path = tmp_path / "record.json"
    write_sealed(path, {"inputs": {"a": "ä"}, "seconds": 1e-05, "steps": 10})
    whole = path.read_bytes()
    assert read_sealed(path) == {"inputs": {"a": "ä"}, "seconds": 1e-05, "steps": 10}
    for bit in range(8 * len(whole)):
        data = bytearray(whole)
        data[bit // 8] ^= 1 << bit % 8
        path.write_bytes(data)
        with pytest.raises(InputError, match="record.json"):
            read_sealed(path)


@pytest.mark.parametrize("text", ["[1]", "{}", "3", "", '{"sha256": null}'])
def test_json_without_a_seal_is_refused(tmp_path, text):
    (tmp_path / "record.json").write_text(text)
    with pytest.raises(InputError, match="record.json"):
        read_sealed(tmp_path / "record.json")


def test_the_error_of_a_broken_seal_has_both_digests(recorded):
    path = recorded / "record.json"
    path.write_text(path.read_text().replace('"seed": 3', '"seed": 4'))
    sealed = json.loads(path.read_text())
    stated = sealed.pop(SEAL)
    found = text_digest(canonical(sealed))
    with pytest.raises(InputError, match=f"expected sha256 {stated}.*found {found}"):
        checked(path)


@pytest.mark.parametrize("at", [0, 5000, 10239, None])
def test_one_flipped_bit_and_truncation_are_found_with_both_digests(recorded, at):
    path = recorded / "model" / "weights"
    before, data = file_digest(path), bytearray(path.read_bytes())
    if at is None:
        data.pop()
    else:
        data[at] ^= 1
    path.write_bytes(data)
    problem = f"expected sha256 {before}, found {file_digest(path)}; delete .*record.json"
    with pytest.raises(InputError, match=rf"\A{path}: damaged: {problem}[^\n]*\Z"):
        checked(recorded / "record.json")


def test_what_a_record_says_does_not_depend_on_when_where_and_how_often_its_stage_ran():
    record = {"stage": "train", "outputs": {"a": "0" * 64}, "settings": {"seed": 1}}
    link = {"role": "base", "digest": "1" * 64, "record": "2" * 64}
    ran = {"seconds": 1.5, "finished": "2026-01-01T00:00:00Z", "attempts": 1}
    again = {"seconds": 9.0, "finished": "2027-01-01T00:00:00Z", "attempts": 4}
    record |= {"inputs": [link | {"place": "../base/record.json"}]}
    again |= {"inputs": [link | {"place": "/elsewhere/base/record.json"}]}
    assert record_digest(record | ran) == record_digest(record | again) == record_digest(record)


@pytest.mark.parametrize(
    "change",
    [
        {"settings": {"seed": 2}},
        {"stage": "embed"},
        {"code": "c"},
        {"outputs": {}},
        {"inputs": [{"role": "base", "place": "", "digest": "1" * 64, "record": ""}]},
    ],
)
def test_what_a_record_says_depends_on_all_else(change):
    record = {"stage": "train", "outputs": {"a": "0" * 64}, "settings": {"seed": 1}}
    assert record_digest(record | change) != record_digest(record)


def test_a_place_is_relative_unless_a_copy_or_another_name_of_the_folder_would_lose_it(tmp_path):
    record = tmp_path / "results/sts/record.json"
    assert place_of(record, tmp_path / "resources/data") == "../../resources/data"
    assert place_of(record, "/somewhere/else") == "/somewhere/else"
    (tmp_path / "disk").mkdir()
    (tmp_path / "results").symlink_to("disk")  # under its other name, ../.. is another folder
    assert place_of(record, tmp_path / "resources/data") == str(tmp_path / "resources/data")
    assert place_of(record, tmp_path / "results/dev/record.json") == "../dev/record.json"


def test_an_input_is_linked_to_the_record_that_lists_it(tmp_path):
    """By its role, or by a path: among the records read, one lists that file."""
    made = {}
    for name in ("base", "corpus"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
        write_record(tmp_path / name / "record.json", name, outputs=["file"], started=0.0)
        made[name] = read_sealed(tmp_path / name / "record.json")
    path = tmp_path / "model/record.json"
    inputs = {"base": "1" * 64, "../corpus/file": "2" * 64, "published": "3" * 64}
    records = {"base": made["base"], "any name": made["corpus"]}
    record = write_record(path, "train", outputs=[], started=0.0, inputs=inputs, records=records)
    links = {link["role"]: (link["place"], link["record"]) for link in record["inputs"]}
    assert input_digests(record) == inputs
    assert links == {
        "base": ("../base/record.json", record_digest(made["base"])),
        "../corpus/file": ("../corpus/record.json", record_digest(made["corpus"])),
        "published": ("", ""),
    }


def test_only_the_files_named_are_checked_and_missing_and_unlisted_ones_are_refused(recorded):
    record = recorded / "record.json"
    (recorded / "dev.csv").write_text("changed")
    assert checked(record, "model/weights")["stage"] == "train"
    (recorded / "other").write_text("x")
    with pytest.raises(InputError, match="not listed in"):
        checked(record, "other")
    (recorded / "dev.csv").unlink()
    with pytest.raises(InputError, match=r"dev\.csv: missing"):
        checked(record)
