"""Config files that are malformed, or ask for far too much: one line, before Snakemake reads them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from semblance.errors import InputError
from tests.hostile.bounds import bounded
from workflow.controller.progress import BAD_INPUT, config_files, main
from workflow.planning.config import load
from workflow.planning.layers import laid_over

ROOT = Path(__file__).resolve().parents[2]
ALIASES = "a0: &a0 {x: 1, y: 2}\n" + "".join(
    f"a{i + 1}: &a{i + 1} {{{', '.join(f'k{j}: *a{i}' for j in range(10))}}}\n" for i in range(10)
)
MALFORMED = {  # Snakemake by itself ends with a traceback for the first six, and never for the rest
    "no UTF-8": b"output: caf\xe9\n",
    "UTF-16": "output: x\n".encode("utf-16"),
    "lists in lists": b"output: " + b"[" * 1000 + b"]" * 1000,
    "5,000 digits": b"output: " + b"9" * 5000,
    "a mapping that holds itself": b"output: &a {x: *a}",
    "a folder": None,
    "mappings that alias each other ten deep": ALIASES.encode(),
    "a million seeds": b"seeds: {s: [" + b"1," * 1_000_000 + b"]}",
    "a pipe": None,
}


@pytest.fixture(params=MALFORMED)
def path(request, tmp_path) -> Path:
    found = tmp_path / "c.yaml"
    if request.param == "a folder":
        found.mkdir()
    elif request.param == "a pipe":
        os.mkfifo(found)
    else:
        found.write_bytes(MALFORMED[request.param])
    return found


def test_a_malformed_config_is_told_in_one_line_before_snakemake_starts(path, capsys, monkeypatch):
    monkeypatch.setattr(subprocess, "Popen", None)  # so that a start of snakemake would fail
    with bounded():
        assert main(["--cores", "1", "--configfile", str(path), "-n"]) == BAD_INPUT
    told = capsys.readouterr().err
    assert told.startswith(f"error: {path}") and told.count("\n") == 1


@pytest.mark.parametrize(
    "arguments, files",
    [
        (["-n"], []),
        (["--configfile", "a", "b", "-n"], ["a", "b"]),
        (["--configfiles=a", "--cores", "2", "--configfile", "b"], ["a", "b"]),
        (["--config", "output=x", "--cores", "2"], []),
    ],
)
def test_the_config_files_are_those_that_snakemake_reads(arguments, files):
    assert config_files(arguments) == files


TOO_MUCH = {
    "seeds.all": list(range(101)),
    "faq.folds": 101,
}


@pytest.mark.parametrize("key", TOO_MUCH)
def test_more_seeds_or_folds_than_anybody_can_train_are_refused(key):
    config = laid_over([ROOT / "config.yaml"])
    load(config)
    section, name = key.split(".")
    config[section][name] = TOO_MUCH[key]
    with pytest.raises(InputError, match=f"^config.{key}: "):
        load(dict(config))


def test_the_projects_own_config_is_checked_before_snakemake_reads_it(tmp_path):
    for name in ("semblance", "workflow", "Snakefile", "profiles"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "config.yaml").write_bytes(MALFORMED["a mapping that holds itself"])
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "-n"], cwd=tmp_path, capture_output=True, text=True
    )
    told = done.stdout + done.stderr
    assert done.returncode and "config.yaml:1: its aliases stand for more" in told
    assert "Traceback" not in told
