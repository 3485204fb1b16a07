"""The crate of a kept run: read back by ro-crate-py, which needs no network.

The required entities are those of https://w3id.org/ro/wfrun/workflow/0.5 and of the profiles below
it. What checks these profiles (roc-validator 0.13) needs a network, and a rich of before 14.
"""

import json
import os
import shutil
from pathlib import Path

import pytest
import yaml
from rocrate.rocrate import ROCrate

from semblance.audit.kept import CRATE, keep, verify_kept
from semblance.provenance import ROOT, file_digest
from tests.unit.reporting import example_results
from workflow.run.crate import write_crate

CONFIG = {"tables": dict.fromkeys(example_results.TABLES), "bases": {"tiny": {"folder": "/me/t"}}}


@pytest.fixture(scope="module")
def finished(untouched, tmp_path_factory) -> Path:
    """The results of a run that has read a user's own file, too."""
    results = (
        shutil.copytree(untouched.parent, tmp_path_factory.mktemp("crate") / "copy") / "results"
    )
    own = results.parent / "mine.csv"
    own.write_text("question,answer\n")
    read = {"inputs": {str(own): file_digest(own)}, "records": {str(own): own}}
    example_results.made(results / "faq/own/record.json", "prepare_faq", {"answers": "a"}, **read)
    (results / "logs").mkdir()
    (results / "logs/config.json").write_text(json.dumps(CONFIG))
    return results


@pytest.fixture
def kept(finished, tmp_path) -> Path:
    keep(finished, tmp_path / "run")
    write_crate(tmp_path / "run")
    return tmp_path / "run"


def test_it_has_what_the_profiles_require(kept):
    crate = ROCrate(kept)
    root, workflow, [run] = crate.root_dataset, crate.mainEntity, crate.get_by_type("CreateAction")
    for profile in ("ro/wfrun/process/0.5", "ro/wfrun/workflow/0.5"):
        assert crate.get(f"https://w3id.org/{profile}") in root["conformsTo"]
    assert crate.version == "1.1" and root["mentions"] == run and run["instrument"] == workflow
    assert all(root[key] for key in ("name", "description", "datePublished", "license"))
    assert workflow.type == ["File", "SoftwareSourceCode", "ComputationalWorkflow"]
    assert workflow["programmingLanguage"].type == "ComputerLanguage"
    assert (kept / workflow.id).read_bytes() == (ROOT / "Snakefile").read_bytes()


def test_it_says_when_a_run_was_from_what_and_with_what_result(kept, finished):
    run = ROCrate(kept).get("#run")
    ran = [json.loads(path.read_text()) for path in finished.rglob("*.circumstances")]
    assert run["endTime"] == max(each["finished"] for each in ran).replace("Z", "+00:00")
    assert run["startTime"] < run["endTime"] and "Completed" in run["actionStatus"]
    sources = {source["name"]: source for source in run["object"]}
    assert set(sources) == {"config.json", "mine.csv", "tiny", "raw"}
    assert sources["mine.csv"]["sha256"] == file_digest(finished.parent / "mine.csv")
    tables = {f"{name}.csv" for name in CONFIG["tables"]}
    assert {*tables, "claims.md", "scores.csv.xz"} < {file.id for file in run["result"]}
    text = (kept / CRATE).read_text()
    assert str(finished.parent) not in text and "/me" not in text


def test_the_same_run_gives_the_same_bytes(kept, finished, tmp_path):
    for path in finished.rglob("*"):
        os.utime(path, (1, 1))
    keep(finished, tmp_path / "another")
    write_crate(tmp_path / "another")
    assert (tmp_path / "another" / CRATE).read_bytes() == (kept / CRATE).read_bytes()


def test_a_run_that_lacks_a_table_has_failed_to_complete(kept):
    config = json.loads((kept / "config.json").read_text())
    (kept / "config.json").write_text(json.dumps(config | {"tables": {"t_sts": {}, "t_new": {}}}))
    write_crate(kept)
    run = ROCrate(kept).get("#run")
    assert "Failed" in run["actionStatus"] and run["error"] == "not made: t_new"


def test_a_data_set_has_its_licence_and_each_file_its_digest_and_an_address(tmp_path):
    folder = shutil.copytree(ROOT / "docs/runs/2026-11-27-rcl-faq-cpu", tmp_path / "run")
    write_crate(folder)
    covid = ROCrate(folder).get("#data/covid")
    manifest = yaml.safe_load((ROOT / "workflow/manifest.yaml").read_text())["datasets"]["covid"]
    assert (covid["name"], covid["license"]) == (manifest["title"], manifest["licence"])
    files = {file["name"]: (file["sha256"], file["url"]) for file in covid["hasPart"]}
    pinned = {file["path"]: (file["sha256"], file["urls"][0]) for file in manifest["files"]}
    assert files == pinned


def test_verify_finds_a_file_that_is_not_here_or_not_as_the_crate_says(kept):
    (kept / "config.json").write_text("{}")  # no record lists these two
    (kept / "Snakefile").unlink()
    missing, damaged = verify_kept(kept).problems
    assert missing[0] == str(kept / "Snakefile") and missing[1].startswith("missing")
    assert damaged[0] == str(kept / "config.json") and damaged[1].startswith("damaged")
