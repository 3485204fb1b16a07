"""Every script says in one line what is wrong with its input, exits non-zero, and leaves nothing half-written."""

import importlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from semblance.errors import InputError
from semblance.provenance import file_digest
from tests.dag.tiny import ROOT, write_base
from tests.scripts.flags import flags

TRIPLES = "nli/nli_for_simcse.csv"
STSB = [f"stsb/sts-{part}.csv" for part in ("train", "dev", "test")]
COUGH = [
    f"faq/cough/{name}.csv"
    for name in ("FAQ_Bank_eval", "User_Query_Bank", "Annotated_Relevance_Set")
]
NLI = {"kind": "nli", "datasets": ["nli-simcse"]}
STS = {"datasets": ["stsb"], "protocol": "senteval"}
FAQ = {"name": "cough", "kind": "cough", "dataset": "cough", "folds": 3, "seed": 0}


def refused(script: str, *words: str, **given: object) -> None:
    """Assert that a script ends with an error for its user, in one line that holds the words."""
    with pytest.raises(InputError) as caught:
        importlib.import_module(f"workflow.scripts.{script}").main(flags(**given))
    line = str(caught.value)
    assert "\n" not in line and [word for word in words if word not in line] == [], line


def files(folder: Path) -> set[str]:
    """Return all files below a folder, but for the empty locked file of a stage's record."""
    found = {path for path in folder.rglob("*") if path.is_file()}
    locks = {path for path in found if path.name.endswith(".writer") and not path.stat().st_size}
    return {str(path.relative_to(folder)) for path in found - locks}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A copy of the demo's raw data that a test may damage."""
    shutil.copytree(ROOT / "demo/data", tmp_path / "data")
    return tmp_path / "data"


def pinned(data: Path, name: str, paths: list[str], **expected: int) -> Path:
    """Write a manifest that pins one dataset as it is: its parser, not the digest, meets the damage."""
    listing = [
        {"path": path, "sha256": file_digest(data / path), "size": None, "urls": []}
        for path in paths
    ]
    facts = {"title": "t", "licence": "l", "homepage": "", "archives": [], "expected": expected}
    target = data.parent / "manifest.yaml"
    target.write_text(json.dumps({"datasets": {name: {**facts, "files": listing}}}))
    return target


def nothing_made(script: str, settings: dict, data: Path, manifest: Path, *words: str) -> None:
    """Assert that a preparation is refused with these words and leaves nothing."""
    out = data.parent / "out"
    folders = {}
    if script == "prepare_faq":
        folders = {"corpora": out / "corpora", "dev": out / "dev"}
    given = {"settings": settings, "manifest": manifest, "data": data, **folders}
    refused(script, *words, **given, output=out / "record.json")
    assert files(out) == set()


@pytest.mark.parametrize(
    "content, words",
    [
        pytest.param(b"sent0,sent1\na,b\n", ":1", id="a missing column"),
        pytest.param(b"sent0,sent1,hard_neg\na,b,c\nd,e\n", ":3", id="too few fields"),
        pytest.param(b"sent0,sent1,hard_neg\na,b,c\nd,\xff\xfe,f\n", ":3", id="not UTF-8"),
        pytest.param(b"sent0,sent1,hard_neg\na,,c\n", ":2", id="an empty sentence"),
        pytest.param(b'sent0,sent1,hard_neg\na,b,c\n"d,e,f\n', ":3", id="an unbalanced quote"),
        pytest.param(b"sent0,sent1,hard_neg\na,b\0,c\n", ":2", id="a NUL"),
        pytest.param(b"sent0,sent1,hard_neg\n", ":1: no", id="no rows"),
    ],
)
def test_a_malformed_corpus_is_refused(data: Path, content: bytes, words: str):
    (data / TRIPLES).write_bytes(content)
    manifest = pinned(data, "nli-simcse", [TRIPLES], triples=1)
    nothing_made("prepare_nli", NLI, data, manifest, words)


def test_a_wrong_count_is_refused_with_one_line_and_status_2(data: Path):
    manifest = pinned(data, "nli-simcse", [TRIPLES], triples=457)
    given = flags(
        settings=NLI, manifest=manifest, data=data, output=data.parent / "out/record.json"
    )
    command = [sys.executable, "-m", "workflow.scripts.prepare_nli", *given]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    [line] = [line for line in done.stderr.splitlines() if line.startswith("error:")]
    assert done.returncode == 2 and "456" in line and "457" in line
    assert "Traceback" not in done.stderr and files(data.parent / "out") == set()


def test_a_score_out_of_range_is_refused(data: Path):
    path = data / "stsb/sts-dev.csv"
    lines = path.read_text().splitlines(keepends=True)
    cells = lines[4].split("\t")
    lines[4] = "\t".join([*cells[:4], "5.7", *cells[5:]])
    path.write_text("".join(lines))
    nothing_made("prepare_sts", STS, data, pinned(data, "stsb", STSB), "sts-dev.csv:5", "5.7")


def test_a_dangling_id_is_refused(data: Path):
    path = data / COUGH[2]
    path.write_text(path.read_text() + '0,anything,999999,"[4, 4, 4]",4,positive\n')
    manifest = pinned(data, "cough", COUGH)
    nothing_made("prepare_faq", FAQ, data, manifest, "Annotated_Relevance_Set.csv:", "999999")


@pytest.mark.parametrize(
    "damage, words",
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-100]), "expected sha256"),
        (Path.unlink, "no such file"),
    ],
)
def test_a_file_that_is_not_as_pinned_or_missing_is_refused(data: Path, damage, words: str):
    damage(data / TRIPLES)
    manifest = ROOT / "demo/manifest.yaml"
    nothing_made("prepare_nli", NLI, data, manifest, "nli_for_simcse.csv", words)


def test_a_test_set_outside_the_manifest_is_refused(data: Path):
    words = ("dataset sts16-raw", "is not in the manifest")
    settings = STS | {"datasets": ["sts16-raw"]}
    nothing_made("prepare_sts", settings, data, ROOT / "demo/manifest.yaml", *words)


WEIGHTS = "model.safetensors"


@pytest.mark.parametrize(
    "settings, damage, words",
    [
        ({}, lambda base: (base / WEIGHTS).unlink(), (WEIGHTS, "no weights")),
        ({}, lambda base: (base / WEIGHTS).rename(base / "pytorch_model.bin"), ("no weights",)),
        ({}, lambda base: (base / WEIGHTS).write_bytes(b"\x10" * 50), (WEIGHTS, "damaged")),
        (
            {},
            lambda base: (base / "config.json").write_text(
                '{"model_type": "gpt2", "num_hidden_layers": 2}'
            ),
            ("gpt2",),
        ),
        ({"weights_sha256": "0" * 64}, None, ("expected sha256 000",)),
        ({"layers": 9}, None, ("layers", "9")),
        ({"folder": None, "package": "no_such_package"}, None, ("no_such_package", "not inst")),
        ({"polling": "cls"}, None, ("base.polling", "unknown key")),
    ],
)
def test_a_bad_base_is_refused(tmp_path: Path, settings: dict, damage, words: tuple):
    write_base(tmp_path / "base")
    if damage:
        damage(tmp_path / "base")
    whole = {"folder": str(tmp_path / "base"), "pooling": "mean", "max_length": 32} | settings
    given = {key: value for key, value in whole.items() if value is not None}
    record = tmp_path / "out/record.json"
    refused("download_model", *words, settings=given, hub="http://127.0.0.1:9", output=record)
    assert not record.exists() and not (tmp_path / "out/model").exists()


def test_a_wrong_config_stops_snakemake_with_its_file_line_and_key(tmp_path: Path):
    (tmp_path / "bad.yaml").write_text("recipes: {rcl: {learning_rat: 0.1}}\n")
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "-n", "--configfile", str(tmp_path / "bad.yaml")],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    line = f"error: {tmp_path}/bad.yaml:1: recipes.rcl.learning_rat: unknown key"
    assert done.returncode == 2 and line in done.stderr
    assert "Snakefile, line" not in done.stderr and "Traceback" not in done.stderr
