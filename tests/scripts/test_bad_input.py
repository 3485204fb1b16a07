"""Bad input ends a program in one line with status 2, and leaves nothing half-written.

What each reader refuses is tested beside it (tests/unit/data, tests/hostile).
"""

from pathlib import Path

import pytest

from semblance.errors import InputError
from semblance.provenance import ROOT
from tests.scripts.flags import flags, python
from workflow.scripts import download_model


def test_a_wrong_count_ends_a_preparation_before_its_record(tmp_path: Path):
    """The files are as pinned: what was read of them is compared with what the manifest expects."""
    manifest = (ROOT / "demo/manifest.yaml").read_text()
    assert "triples: 456" in manifest
    (tmp_path / "m.yaml").write_text(manifest.replace("triples: 456", "triples: 457"))
    given = {"settings": {"kind": "nli", "datasets": ["nli-simcse"]}, "data": ROOT / "demo/data"}
    line = flags(**given, manifest=tmp_path / "m.yaml", output=tmp_path / "out/record.json")
    done = python("-m", "workflow.scripts.prepare_nli", *line)
    assert done.returncode == 2 and done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1 and "456" in done.stderr and "457" in done.stderr
    assert [path.name for path in (tmp_path / "out").iterdir()] == [".writer"]  # of its lock


def test_an_unknown_key_of_a_base_is_refused_and_nothing_is_written(tmp_path: Path):
    settings = {"folder": "base", "pooling": "mean", "max_length": 32, "polling": "cls"}
    with pytest.raises(InputError, match=r"base\.polling: unknown key"):
        download_model.main(flags(settings=settings, hub="", output=tmp_path / "out/record.json"))
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_config_stops_snakemake_with_its_file_line_and_key(tmp_path: Path):
    path = tmp_path / "bad.yaml"
    path.write_text("recipes: {rcl: {learning_rat: 0.1}}\n")
    done = python("-m", "snakemake", "-n", "--configfile", str(path))
    line = f"error: {path}:1: recipes.rcl.learning_rat: unknown key"
    assert done.returncode == 2 and line in done.stderr
    assert "Snakefile, line" not in done.stderr and "Traceback" not in done.stderr
