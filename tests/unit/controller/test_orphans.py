"""Outputs of jobs that outlived their controller, held against what snakemake itself writes and reads."""

import os
import subprocess
import sys

import pytest

from workflow.controller import orphans

SNAKEFILE = """
rule all:
    input: "out/a/record.json", "out/{long}/record.json"
rule one:
    output: "out/{{name}}/record.json"
    shell: "touch {{output}}"
"""


@pytest.fixture
def ran(tmp_path, monkeypatch):
    """A folder where snakemake made two records, one of a long name, and a job without a controller made a third."""
    monkeypatch.chdir(tmp_path)
    long = "/".join("".join(chr(97 + (7 * i + j * j) % 26) for j in range(100)) for i in range(3))
    (tmp_path / "Snakefile").write_text(SNAKEFILE.format(long=long))
    subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "1", "--quiet", "all"],
        check=True,
        capture_output=True,
    )
    (tmp_path / "out/c").mkdir()
    (tmp_path / "out/c/record.json").write_text("{}")
    return tmp_path


def test_only_a_record_without_a_note_is_an_orphan(ran):
    assert [str(path) for path in orphans.records("out", since=0)] == ["out/c/record.json"]
    orphans.forget("out", since=0)
    assert not (ran / "out/c/record.json").exists() and (ran / "out/a/record.json").exists()


def test_a_record_older_than_the_run_is_no_orphan(ran):
    os.utime(ran / "out/c/record.json", (1000, 1000))
    assert list(orphans.records("out", since=2000)) == []


def test_copied_results_are_no_orphans(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/record.json").write_text("{}")
    assert list(orphans.records(tmp_path / "out", 0, tmp_path / ".snakemake/metadata")) == []


def test_an_orphaned_training_is_forgotten_only_if_it_can_be_put_back(ran, capsys):
    (ran / "out/c/model").mkdir()
    orphans.forget("out", since=0)
    assert (
        ran / "out/c/record.json"
    ).exists() and "delete it to train it again" in capsys.readouterr().err
    (ran / "out/c/checkpoints/1234/finished").mkdir(parents=True)
    (ran / "out/c/checkpoints/1234/finished/record.json").write_text("{}")
    orphans.forget("out", since=0)
    assert not (ran / "out/c/record.json").exists()
    assert (ran / "out/c/checkpoints/1234/finished/record.json").exists()


def test_a_record_of_another_run_below_the_output_folder_is_no_orphan(ran):
    (ran / "out/c/.controller").touch()
    assert list(orphans.records("out", since=0)) == []
