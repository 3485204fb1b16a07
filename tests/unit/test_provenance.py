"""Provenance: a code digest that sees meaning and nothing else, whole files or none, digests that bite."""

import hashlib
import json
import os
import re
import time

import pytest

from semblance import provenance
from semblance.errors import InputError
from semblance.provenance import (
    SEAL,
    canonical,
    checked,
    code_digest,
    digests,
    environment,
    file_digest,
    read_json,
    read_sealed,
    text_digest,
    write_json,
    write_record,
    write_sealed,
)

PROJECT = {
    "semblance/__init__.py": "",
    "semblance/errors.py": "LIMIT = 3\n",
    "semblance/data/__init__.py": "",
    "semblance/data/text.py": (
        "from semblance.errors import LIMIT\n\n\n"
        "def cut(s):\n    '''Cut.'''\n    return s[:LIMIT]\n"
    ),
    "semblance/data/folds.py": "import math\n\nSEED = 0.5\n",
    "semblance/models/__init__.py": "",
    "semblance/models/tree.py": "from semblance.data import folds\nimport semblance.data.text as t\n",
    "semblance/alone.py": "X = 1\n",
    "workflow/__init__.py": "",
    "workflow/scripts/__init__.py": "",
    "workflow/scripts/train.py": (
        "'''Train.'''\nfrom semblance.models.tree import t\n\n\n"
        "def main():\n    return t.cut('abcd')\n"
    ),
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A small project of its own; ``digest()`` is that of its script, never from the cache."""
    for name, text in PROJECT.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(provenance, "ROOT", tmp_path)
    yield tmp_path
    forget()


def forget():
    code_digest.cache_clear()
    provenance._module.cache_clear()


def digest(*modules):
    forget()
    return code_digest(*(modules or ("workflow.scripts.train",)))


SAME = {
    "a comment": ("semblance/errors.py", "# the most\nLIMIT = 3  # letters\n"),
    "white space": ("semblance/errors.py", "\n\nLIMIT   =   3\n\n\n"),
    "a module's docstring": ("semblance/errors.py", '"""Limits."""\nLIMIT = 3\n'),
    "brackets": ("semblance/errors.py", "LIMIT = (3)\n"),
    "a function's docstring": (
        "semblance/data/text.py",
        PROJECT["semblance/data/text.py"].replace("Cut.", "Cut it."),
    ),
    "no docstring at all": (
        "semblance/data/text.py",
        PROJECT["semblance/data/text.py"].replace("    '''Cut.'''\n", ""),
    ),
    "a module that is not imported": ("semblance/alone.py", "X = 2\n"),
}
CHANGED = {
    "the script": ("workflow/scripts/train.py", "abcd", "abce"),
    "a module two imports away": ("semblance/errors.py", "3", "4"),
    "the kind of a constant": ("semblance/errors.py", "3", "3.0"),
    "a module of `from package import module`": ("semblance/data/folds.py", "0.5", "0.51"),
    "a module of `import a.b.c as d`": ("semblance/data/text.py", "s[:LIMIT]", "s[LIMIT:]"),
    "a name": ("semblance/data/text.py", "cut(s)", "cat(s)"),
    "an import of the standard library": ("semblance/data/folds.py", "import math", "import cmath"),
}


@pytest.mark.parametrize("what", SAME)
def test_the_code_digest_does_not_see(project, what):
    before = digest()
    name, text = SAME[what]
    assert text != PROJECT[name]
    (project / name).write_text(text)
    assert digest() == before


@pytest.mark.parametrize("what", CHANGED)
def test_the_code_digest_sees(project, what):
    before = digest()
    name, old, new = CHANGED[what]
    assert PROJECT[name].count(old) == 1
    (project / name).write_text(PROJECT[name].replace(old, new))
    assert digest() != before


def test_the_code_digest_does_not_see_file_times(project):
    before = digest()
    for path in project.rglob("*.py"):
        os.utime(path, (1, 1))
    assert digest() == before


def test_a_string_that_is_no_docstring_counts(project):
    path = project / "semblance/errors.py"
    path.write_text("LIMIT = 3\nNAME = 'a'\n")
    before = digest()
    path.write_text("LIMIT = 3\nNAME = 'b'\n")
    assert digest() != before


def test_an_import_inside_a_function_is_followed(project):
    script = project / "workflow/scripts/train.py"
    script.write_text("def main():\n    import semblance.alone\n    return semblance.alone.X\n")
    before = digest()
    (project / "semblance/alone.py").write_text("X = 2\n")
    assert digest() != before


def test_a_module_named_besides_counts(project):
    assert digest("workflow.scripts.train", "semblance.alone") != digest()


def test_modules_that_import_each_other_do_not_hang(project):
    (project / "semblance/errors.py").write_text("import semblance.data.text\nLIMIT = 3\n")
    assert len(digest()) == 64


def test_a_module_that_does_not_exist_is_refused(project):
    with pytest.raises(InputError, match="workflow.scripts.none: no such module"):
        digest("workflow.scripts.none")


def test_the_digest_of_a_real_script_is_found():
    forget()
    assert re.fullmatch("[0-9a-f]{64}", code_digest("semblance.training.losses.entropy"))


def test_canonical_json_has_one_form():
    assert (
        canonical({"b": [1, 2.5], "a": "ä"})
        == '{"a":"ä","b":[1,2.5]}'
        == canonical({"a": "ä", "b": [1, 2.5]})
    )
    with pytest.raises(ValueError):
        canonical(float("nan"))
    assert text_digest("ä") == hashlib.sha256("ä".encode()).hexdigest()


def test_json_is_read_back_and_a_bad_file_is_named(tmp_path):
    write_json(tmp_path / "a.json", {"x": [1, None, "ä"]})
    assert read_json(tmp_path / "a.json") == {"x": [1, None, "ä"]}
    for text, name in (("{", "a.json"), (None, "none.json")):
        if text:
            (tmp_path / name).write_text(text)
        with pytest.raises(InputError, match=name):
            read_json(tmp_path / name)
    (tmp_path / "a.json").write_bytes(b'"\xff"')
    with pytest.raises(InputError, match="a.json"):
        read_json(tmp_path / "a.json")


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
        seed=3,
    )
    return tmp_path


def test_a_record_holds_the_digests_of_its_outputs(recorded):
    record = json.loads((recorded / "record.json").read_text())
    expected = {
        n: hashlib.sha256((recorded / n).read_bytes()).hexdigest()
        for n in ("dev.csv", "model/weights")
    }
    assert record["outputs"] == expected == digests(recorded, ["model/weights", "dev.csv"])
    assert (record["stage"], record["code"], record["inputs"], record["seed"]) == (
        "train",
        "c",
        {"base": "d"},
        3,
    )
    assert checked(recorded / "record.json") == {k: v for k, v in record.items() if k != SEAL}
    assert record["environment"] == environment() and record["environment"]["numpy"] != "absent"


def test_every_single_bit_of_a_record_is_vouched_for(tmp_path):
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


def test_a_broken_seal_is_told_with_both_digests(recorded):
    path = recorded / "record.json"
    path.write_text(path.read_text().replace('"seed": 3', '"seed": 4'))
    sealed = json.loads(path.read_text())
    stated = sealed.pop(SEAL)
    with pytest.raises(
        InputError, match=f"expected sha256 {stated}.*found {text_digest(canonical(sealed))}"
    ):
        checked(path)


@pytest.mark.parametrize("at", [0, 5000, 10239])
def test_one_flipped_bit_is_found_and_told_with_both_digests(recorded, at):
    path = recorded / "model" / "weights"
    before, data = file_digest(path), bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(InputError) as caught:
        checked(recorded / "record.json")
    message = str(caught.value)
    assert (
        all(part in message for part in (str(path), before, file_digest(path), "record.json"))
        and "\n" not in message
    )


def test_truncation_is_found_and_a_missing_file_is_named(recorded):
    path = recorded / "dev.csv"
    before = file_digest(path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InputError, match=f"expected sha256 {before}, found {file_digest(path)}"):
        checked(recorded / "record.json")
    path.unlink()
    with pytest.raises(InputError, match=r"dev\.csv: missing"):
        checked(recorded / "record.json")


def test_only_the_files_asked_for_are_checked_and_unknown_ones_are_refused(recorded):
    (recorded / "dev.csv").write_text("changed")
    assert checked(recorded / "record.json", "model/weights")["stage"] == "train"
    (recorded / "other").write_text("x")
    with pytest.raises(InputError, match="not vouched for"):
        checked(recorded / "record.json", "other")
