"""Starts that are not this project's own: as a module, from a program, with options that take its hooks."""

import pytest

from semblance.strict_yaml import read_yaml
from tests.dag.tiny import ROOT, Project, printed, run_module

pytestmark = pytest.mark.dag
MODULE = """
module semblance:
    snakefile: "Snakefile"
    config: {"output": "elsewhere"}
use rule * from semblance as theirs_*
"""
HOST = """
import sys
from pathlib import Path
from snakemake.api import ConfigSettings, DAGSettings, OutputSettings, ResourceSettings, SnakemakeApi

with SnakemakeApi(OutputSettings(verbose=False)) as api:
    dag = api.workflow(
        snakefile=Path("Snakefile"),
        resource_settings=ResourceSettings(cores=1),
        config_settings=ConfigSettings(configfiles=[Path("tiny.yaml")]),
    ).dag(DAGSettings(targets={sys.argv[-1]}))
    dag.execute_workflow()
print("the host's own line")
print("and its error", file=sys.stderr)
"""
RECORD = "resources/data/records/wiki1m.json"
REFUSED = {
    "--no-hooks": ["--cores", "1", "--no-hooks", "--", RECORD],
    "--config": ["-n", "--config", "output=a", "--config", "hub=http://b"],
    "--set-threads": ["-n", "--set-threads", "trian=1"],
    "Snakefile": ["-n", "--snakefile", "module.smk"],
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_would_pass_in_silence_is_refused_in_one_line(fresh: Project, what):
    (fresh.folder / "module.smk").write_text(MODULE)
    done = run_module(fresh.folder, "snakemake", "--configfile", "tiny.yaml", *REFUSED[what])
    [error] = [line for line in printed(done).splitlines() if line.startswith("error: ")]
    assert done.returncode == 2 and error.startswith(f"error: {what}: ")
    assert "Traceback" not in printed(done) and not (fresh.folder / RECORD).exists()


def test_a_program_runs_the_workflow_by_its_own_arguments_and_keeps_its_streams(tmp_path):
    project = Project(tmp_path / "project")
    (project.folder / "host.py").write_text(HOST)
    done = run_module(project.folder, "host", "-n", "--summary", RECORD)
    assert (project.folder / RECORD).is_file(), printed(done)
    assert done.stdout.endswith("the host's own line\n") and done.returncode == 0
    assert done.stderr.endswith("and its error\n")
    assert '"event": "finished"' in (project.folder / "results/logs/events.jsonl").read_text()


def test_the_catalogue_of_workflows_finds_its_files_by_its_documented_keys(fresh: Project):
    stated = read_yaml(ROOT / ".snakemake-workflow-catalog.yml")
    keys = {key: set(part) for key, part in stated["usage"].items()}
    assert keys.pop("mandatory-flags") == {"desc", "flags"}
    software = {"conda", "apptainer", "apptainer+conda", "report"}
    assert keys == {"software-stack-deployment": software}
    assert (ROOT / "config/README.md").is_file()
    words = ("--configfile", "tiny.yaml", "--snakefile", "workflow/Snakefile", "-n", "--", RECORD)
    planned = run_module(fresh.folder, "snakemake", *words)
    assert planned.returncode == 0 and "download" in planned.stdout
