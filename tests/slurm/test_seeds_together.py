"""The seeds of one method in one submission, one after the other on one GPU."""

import shlex
from pathlib import Path

import pytest

from semblance.provenance import read_sealed
from tests.dag.tiny import rows
from tests.slurm.conftest import SMALL

pytestmark = pytest.mark.slurm
SEEDS = (1, 2, 3)
CONFIG = SMALL | {
    "seeds": dict.fromkeys(SMALL["seeds"], list(SEEDS)),
    "figures": dict.fromkeys(SMALL["figures"]),
    "tables": dict.fromkeys(SMALL["tables"])
    | {"rcl_table1a": {"control": None, "rows": rows("nli", "rcl-2")}},
}
PAGE = Path(__file__).parents[2] / "docs/cluster.md"


def documented_command() -> list[str]:
    """Return the words that docs/cluster.md adds to the promised command."""
    text = PAGE.read_text(encoding="utf-8").partition("## Seeds in one submission")[2]
    command = text.partition("```bash\n")[2].partition("```")[0]
    return shlex.split(command.replace("\\\n", " "))[1:]


def test_seeds_of_a_method_share_one_submission_and_one_gpu_and_end_as_they_do_alone(
    cluster, local
):
    together, alone = (local.copy(local.folder.parent / name) for name in ("three", "one"))
    for project in (together, alone):
        project.write_config(CONFIG)
    alone.snakemake("--cores", "2")
    together.snakemake(*documented_command())
    made, wanted = (
        [read_sealed(project.folder / place(seed))["outputs"] for seed in SEEDS]
        for project in (together, alone)
    )
    assert made == wanted
    submitted = {
        job["comment"].split("_")[1]: cluster.ask("scontrol", "show", "job", number)
        for number, job in cluster.jobs("all").items()
        if job["workdir"] == str(together.folder)
    }
    assert set(submitted) == {"entropy-nli-tiny-entropy-0.01", "training-nli-tiny-rcl-2"}
    for facts in submitted.values():
        assert facts.endswith("TresPerJob=gres:gpu:1")  # one GPU, in place of three
        assert "TimeLimit=03:00:00" in facts  # 30 minutes for each of the six jobs


def place(seed: int) -> str:
    """Return where the record of a training lies."""
    return f"results/models/nli/tiny/rcl-2/seed-{seed}/record.json"
