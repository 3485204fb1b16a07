"""The promised command line, verbatim, on a real Slurm."""

import re

import pytest
import yaml
from snakemake.utils import update_config

from tests.dag.tiny import Project, printed, run_module, trapped
from tests.files import contents
from tests.reliability.runs import logged
from tests.slurm.conftest import SMALL

pytestmark = pytest.mark.slurm
RULES = {"prepare_nli", "prepare_wiki", "prepare_sts", "prepare_faq", "tokenise", "embed"}
RULES |= {"train_initial", "train_entropy", "train", "train_curve"}
RULES |= {"evaluate_sts", "evaluate_faq", "measure_figure"}


def promised_command(project: Project, seconds: int, **variables: str) -> str:
    """Type the promised command in a project; return what it printed."""
    words = ("snakemake", "--cores", "all", "--profile", "slurm")
    done = run_module(project.folder, *words, timeout=seconds, **variables)
    assert done.returncode == 0, printed(done)
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def ran(cluster, tmp_path_factory):
    """The small project, run by the cluster; what was printed; the empty home it ran with."""
    project = Project(tmp_path_factory.mktemp("cluster") / "project")
    home = tmp_path_factory.mktemp("home")
    # The override lies in config.yaml itself, so that the command needs no further words.
    config = yaml.safe_load((project.folder / "config.yaml").read_text(encoding="utf-8"))
    update_config(config, SMALL)
    (project.folder / "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    trap = trapped(project.folder / "trap")
    return project, promised_command(project, 900, HOME=str(home), **trap), home


def test_every_table_equals_the_local_runs_byte_for_byte(ran, local):
    project, _, _ = ran
    wanted, found = (contents(run.folder / "results/tables") for run in (local, project))
    wanted = {name: text for name, text in wanted.items() if not name.startswith("records/")}
    assert len(wanted) >= 14  # three tables in four forms, scores.csv, published.md
    assert [name for name, content in wanted.items() if found.get(name) != content] == []


def test_the_terminal_has_a_line_a_minute_and_the_log_the_rest(ran):
    project, said, _ = ran
    assert re.search(r"\n(\d+) of \1 jobs done", said)
    assert len(said) < 5000 and len(logged(project)) > 20 * len(said)


def test_every_stage_ran_on_the_cluster_and_downloads_did_not(ran, cluster):
    said = logged(ran[0])
    marker = "has been submitted with SLURM jobid"
    submitted = [line for line in said.splitlines() if marker in line]
    assert 10 <= len(submitted) <= 20
    where = {rule for rule in RULES if f"\nrule {rule}:" in said.replace("    rule", "rule")}
    assert where == RULES
    assert not any("download" in line for line in submitted)


def test_gpu_stages_run_where_the_gpus_are_and_the_others_do_not(ran, cluster):
    project, _, _ = ran
    here = str(project.folder)  # the jobs of other folders were moved on purpose
    jobs = [job for job in cluster.jobs("all").values() if job["workdir"] == here]
    training = {j["node"] for j in jobs if "training" in j["comment"] or "entropy" in j["comment"]}
    others = {j["node"] for j in jobs if "preparation" in j["comment"]}
    assert len(jobs) >= 10  # else the cluster has forgotten some of them
    assert training and others and training <= {"n3", "n4"} and others <= {"n1", "n2"}


def test_no_job_calls_the_network(ran):
    project, _, _ = ran
    processes = (project.folder / "trap/processes").read_text(encoding="utf-8")
    # The trap lay in the way of every stage.
    assert all(f"workflow.scripts.{rule} " in processes for rule in RULES)
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
    assert "Nothing to be done" in promised_command(project, 300)
