"""One Slurm for all tests of this folder, and one small project that has run locally, for comparison."""

import copy

import pytest

from semblance.gpus import ALLOW_CPU
from tests.dag.tiny import CONFIG, Project, rows
from tests.slurm import cluster as slurm
from tests.slurm.user import LONG, User

# Touches every rule with few jobs. There is no GPU, so the trainings run on the CPU.
SMALL = copy.deepcopy(CONFIG)
SMALL["resources"]["gpus"] = 1
SMALL["answerers"] = {}
SMALL["figures"] = dict.fromkeys(CONFIG["figures"]) | {
    "simcse_figure2": CONFIG["figures"]["simcse_figure2"],  # measured along a short training
    "simcse_figureF1": {"rows": rows("nli", "start")},
}
SMALL["tables"] = dict.fromkeys(CONFIG["tables"]) | {
    "rcl_table1a": {"rows": rows("nli", "start", "attention-dropout-0.1")},
    "rcl_table2a": {"control": None, "rows": rows("stackfaq", "rcl-2")},
    "ssimcse_table1": {"rows": rows("wiki1m", "simcse")},
}


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    """A running Slurm; without its packages, or rights to start it, the tests are skipped and say why."""
    if why := slurm.missing():
        pytest.skip(f"no Slurm: {why}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(ALLOW_CPU, "1")  # its GPUs are not real
        with slurm.running(tmp_path_factory.mktemp("slurm")) as running:
            yield running


@pytest.fixture(scope="session")
def local(tmp_path_factory) -> Project:
    """The small project, run on this machine without a scheduler."""
    project = Project(tmp_path_factory.mktemp("local") / "project")
    project.write_config(SMALL)
    project.snakemake("--cores", "2")
    return project


@pytest.fixture(scope="session")
def long_training(local) -> dict[str, str]:
    """The digests of a training long enough to be hurt, never hurt and never checkpointed."""
    user = User(local.copy(local.folder.parent / "long"), checkpoint_steps=0)
    user.project.snakemake("--cores", "1", "--configfile", "tiny.yaml", "long.yaml", "--", LONG)
    return user.outputs()
