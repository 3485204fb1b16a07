"""The promised command line, verbatim, on a real Slurm."""

import os
import subprocess
import sys

import pytest
import yaml
from snakemake.utils import update_config

from tests.dag.tiny import Project, trapped
from tests.slurm.conftest import SMALL

pytestmark = pytest.mark.slurm
RULES = {
    "prepare_nli",
    "prepare_wiki",
    "prepare_sts",
    "prepare_faq",
    "tokenise",
    "train_initial",
    "train_entropy",
    "embed",
    "train",
    "evaluate_sts",
    "evaluate_faq",
    "train_curve",
    "measure_figure",
}


@pytest.fixture(scope="module")
def ran(cluster, tmp_path_factory):
    """The small project, run by the cluster; what was printed; the empty home it ran with."""
    project, home = (
        Project(tmp_path_factory.mktemp("cluster") / "project"),
        tmp_path_factory.mktemp("home"),
    )
    project.write_config(SMALL)
    config = (project.folder / "config.yaml").read_text(encoding="utf-8")
    (project.folder / "config.yaml").write_text(
        _merged(config, (project.folder / "tiny.yaml").read_text(encoding="utf-8"))
    )
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "all", "--profile", "slurm"],
        cwd=project.folder,
        env={
            **os.environ,
            "HOME": str(home),
            "TQDM_DISABLE": "1",
            **trapped(project.folder / "trap"),
        },
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
    return project, done.stdout + done.stderr, home


def _merged(config: str, override: str) -> str:
    """Return config.yaml with the override in it, so that the command needs no further words."""
    merged = yaml.safe_load(config)
    update_config(merged, yaml.safe_load(override))
    return yaml.safe_dump(merged, sort_keys=False)


def test_every_table_equals_the_local_runs_byte_for_byte(ran, local):
    project, _, _ = ran
    tables = sorted(
        p.relative_to(local.folder)
        for p in (local.folder / "results/tables").rglob("*")
        if p.is_file() and p.parent.name != "records"
    )
    assert len(tables) >= 14  # three tables in four forms, scores.csv, published.md
    assert [
        t for t in tables if (project.folder / t).read_bytes() != (local.folder / t).read_bytes()
    ] == []


def test_every_stage_ran_on_the_cluster_and_downloads_did_not(ran, cluster):
    _, said, _ = ran
    submitted = [
        line for line in said.splitlines() if "has been submitted with SLURM jobid" in line
    ]
    assert 10 <= len(submitted) <= 20
    where = {rule for rule in RULES if f"\nrule {rule}:" in said.replace("    rule", "rule")}
    assert where == RULES
    assert not any("download" in line for line in submitted)


def test_gpu_stages_run_where_the_gpus_are_and_the_others_do_not(ran, cluster):
    project, _, _ = ran
    jobs = [
        job for job in cluster.jobs("all").values() if job["workdir"] == str(project.folder)
    ]  # others were moved on purpose
    training = {j["node"] for j in jobs if "training" in j["comment"] or "entropy" in j["comment"]}
    others = {j["node"] for j in jobs if "preparation" in j["comment"]}
    assert len(jobs) >= 10  # else the cluster has forgotten some of them
    assert training and others and training <= {"n3", "n4"} and others <= {"n1", "n2"}


def test_no_job_calls_the_network(ran):
    project, _, _ = ran
    processes = (project.folder / "trap/processes").read_text(encoding="utf-8")
    assert all(
        f"workflow.scripts.{rule} " in processes for rule in RULES
    )  # the trap lay in the way of every stage
    assert not (project.folder / "trap/calls").exists()


def test_no_task_was_launched_twice(ran):
    project, _, _ = ran
    started = [
        line.partition("--output ")[2]
        for line in (project.folder / "trap/processes").read_text(encoding="utf-8").splitlines()
        if "workflow.scripts.train" in line
    ]
    assert len(started) == len(set(started)) >= 11  # 3 initial, 3 entropy, 3 + 2 final models


def test_nothing_was_put_into_the_home_folder(ran):
    _, _, home = ran
    assert [str(p) for p in home.rglob("*") if p.is_file()] == []


def test_a_second_start_finds_nothing_to_do(ran):
    project, _, _ = ran
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "all", "--profile", "slurm"],
        cwd=project.folder,
        env={**os.environ, "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0 and "Nothing to be done" in done.stdout + done.stderr
