"""Every script says in one line what is wrong with its input, exits non-zero, and leaves nothing half-written."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from semblance.provenance import file_digest
from tests.dag.tiny import ROOT, write_base

DATA = ROOT / "demo" / "data"


def run(script: str, *arguments: object) -> subprocess.CompletedProcess:
    """Run a script as the workflow does."""
    return subprocess.run(
        [sys.executable, "-m", f"workflow.scripts.{script}", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )


def files(folder: Path) -> set[str]:
    """Return all files below a folder, but for the empty locked file of a stage's record."""
    found = {path for path in folder.rglob("*") if path.is_file()}
    locks = {path for path in found if path.name.endswith(".writer") and not path.stat().st_size}
    return {str(path.relative_to(folder)) for path in found - locks}


def refused(done: subprocess.CompletedProcess, *words: str) -> None:
    """Assert one error line that holds the words, a non-zero status, and no traceback."""
    lines = [line for line in done.stderr.splitlines() if line.startswith("error:")]
    assert done.returncode == 2 and len(lines) == 1 and "Traceback" not in done.stderr, done.stderr[
        -2000:
    ]
    for word in words:
        assert word in lines[0], lines[0]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A copy of the demo's raw data that a test may damage."""
    shutil.copytree(DATA, tmp_path / "data")
    return tmp_path / "data"


def manifest_of(folder: Path, name: str, path: str, **expected: int) -> Path:
    """Write a manifest that pins one dataset as it is, so that the parser, not the digest, meets the damage."""
    files = path if isinstance(path, list) else [path]
    digests = {p: file_digest(folder / "data" / p) for p in files}
    listing = [{"path": p, "sha256": digests[p], "size": None, "urls": []} for p in files]
    manifest = {
        "datasets": {
            name: {
                "title": "t",
                "licence": "l",
                "homepage": "",
                "files": listing,
                "archives": [],
                "expected": expected,
            }
        }
    }
    target = folder / "manifest.yaml"
    target.write_text(json.dumps(manifest))
    return target


def prepare_nli(data: Path, out: Path, manifest: Path) -> subprocess.CompletedProcess:
    settings = json.dumps({"kind": "nli", "datasets": ["nli-simcse"]})
    return run(
        "prepare_nli",
        "--settings",
        settings,
        "--manifest",
        manifest,
        "--data",
        data,
        "--output",
        out / "record.json",
    )


TRIPLES = "nli/nli_for_simcse.csv"
DAMAGE = {
    "a missing column": (b"sent0,sent1\na,b\n", ":1"),
    "too few fields": (b"sent0,sent1,hard_neg\na,b,c\nd,e\n", ":3"),
    "not UTF-8": (b"sent0,sent1,hard_neg\na,b,c\nd,\xff\xfe,f\n", ":3"),
    "an empty sentence": (b"sent0,sent1,hard_neg\na,,c\n", ":2"),
    "an unbalanced quote": (b'sent0,sent1,hard_neg\na,b,c\n"d,e,f\n', ":3"),
    "a NUL": (b"sent0,sent1,hard_neg\na,b\0,c\n", ":2"),
    "no rows": (b"sent0,sent1,hard_neg\n", ":1: no"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_malformed_corpus_is_refused(data: Path, tmp_path: Path, name: str):
    content, words = DAMAGE[name]
    (data / TRIPLES).write_bytes(content)
    manifest = manifest_of(tmp_path, "nli-simcse", TRIPLES, triples=1)
    refused(prepare_nli(data, tmp_path / "out", manifest), words)
    assert files(tmp_path / "out") == set()


def test_a_wrong_count_is_refused(data: Path, tmp_path: Path):
    refused(
        prepare_nli(
            data, tmp_path / "out", manifest_of(tmp_path, "nli-simcse", TRIPLES, triples=457)
        ),
        "456",
        "457",
    )
    assert files(tmp_path / "out") == set()


def test_a_truncated_download_is_refused_by_its_digest(data: Path, tmp_path: Path):
    path = data / TRIPLES
    path.write_bytes(path.read_bytes()[:-100])
    refused(
        prepare_nli(data, tmp_path / "out", ROOT / "demo/manifest.yaml"),
        "expected sha256",
        "nli_for_simcse.csv",
    )
    assert files(tmp_path / "out") == set()


def test_a_missing_file_is_refused(data: Path, tmp_path: Path):
    (data / TRIPLES).unlink()
    refused(
        prepare_nli(data, tmp_path / "out", ROOT / "demo/manifest.yaml"),
        "nli_for_simcse.csv",
        "no such file",
    )


def test_a_score_out_of_range_is_refused(data: Path, tmp_path: Path):
    path = data / "stsb/sts-dev.csv"
    lines = path.read_text().splitlines(keepends=True)
    cells = lines[4].split("\t")
    lines[4] = "\t".join([*cells[:4], "5.7", *cells[5:]])
    path.write_text("".join(lines))
    names = [f"stsb/sts-{part}.csv" for part in ("train", "dev", "test")]
    manifest = manifest_of(tmp_path, "stsb", names)
    done = run(
        "prepare_sts",
        "--settings",
        json.dumps({"datasets": ["stsb"], "protocol": "senteval"}),
        "--manifest",
        manifest,
        "--data",
        data,
        "--output",
        tmp_path / "out/record.json",
    )
    refused(done, "sts-dev.csv:5", "5.7")
    assert files(tmp_path / "out") == set()


def test_a_dangling_id_is_refused(data: Path, tmp_path: Path):
    path = data / "faq/cough/Annotated_Relevance_Set.csv"
    path.write_text(path.read_text() + '0,anything,999999,"[4, 4, 4]",4,positive\n')
    names = [
        f"faq/cough/{n}.csv"
        for n in ("FAQ_Bank_eval", "User_Query_Bank", "Annotated_Relevance_Set")
    ]
    settings = {"name": "cough", "kind": "cough", "dataset": "cough", "folds": 3, "seed": 0}
    done = run(
        "prepare_faq",
        "--settings",
        json.dumps(settings),
        "--manifest",
        manifest_of(tmp_path, "cough", names),
        "--data",
        data,
        "--corpora",
        tmp_path / "corpora",
        "--dev",
        tmp_path / "dev",
        "--output",
        tmp_path / "out/record.json",
    )
    refused(done, "Annotated_Relevance_Set.csv:", "999999")
    assert files(tmp_path / "out") == files(tmp_path / "corpora") == set()


def test_a_test_set_outside_the_manifest_is_refused(data: Path, tmp_path: Path):
    done = run(
        "prepare_sts",
        "--settings",
        json.dumps({"datasets": ["sts16-raw"], "protocol": "senteval"}),
        "--manifest",
        ROOT / "demo/manifest.yaml",
        "--data",
        data,
        "--output",
        tmp_path / "out/record.json",
    )
    refused(done, "dataset sts16-raw", "is not in the manifest")


BASES = {
    "a base without weights": (
        {"folder": "BASE"},
        lambda f: (f / "model.safetensors").unlink(),
        ("model.safetensors", "no weights"),
    ),
    "pickled weights only": (
        {"folder": "BASE"},
        lambda f: (f / "model.safetensors").rename(f / "pytorch_model.bin"),
        ("no weights",),
    ),
    "truncated weights": (
        {"folder": "BASE"},
        lambda f: (f / "model.safetensors").write_bytes(b"\x10" * 50),
        ("model.safetensors", "damaged"),
    ),
    "another family": (
        {"folder": "BASE"},
        lambda f: (f / "config.json").write_text('{"model_type": "gpt2", "num_hidden_layers": 2}'),
        ("gpt2",),
    ),
    "a wrong pin": (
        {"folder": "BASE", "weights_sha256": "0" * 64},
        lambda f: None,
        ("expected sha256 000",),
    ),
    "too many layers": ({"folder": "BASE", "layers": 9}, lambda f: None, ("layers", "9")),
    "no such package": (
        {"package": "no_such_package"},
        lambda f: None,
        ("no_such_package", "not installed"),
    ),
    "an unknown key": (
        {"folder": "BASE", "polling": "cls"},
        lambda f: None,
        ("base.polling", "unknown key"),
    ),
}


@pytest.mark.parametrize("name", BASES)
def test_a_bad_base_is_refused(tmp_path: Path, name: str):
    settings, damage, words = BASES[name]
    write_base(tmp_path / "base")
    damage(tmp_path / "base")
    settings = {"pooling": "mean", "max_length": 32, **settings}
    settings = {k: str(tmp_path / "base") if v == "BASE" else v for k, v in settings.items()}
    done = run(
        "download_model",
        "--settings",
        json.dumps(settings),
        "--hub",
        "http://127.0.0.1:9",
        "--output",
        tmp_path / "out/record.json",
    )
    refused(done, *words)
    assert not (tmp_path / "out/record.json").exists() and not (tmp_path / "out/model").exists()


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
