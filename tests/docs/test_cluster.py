"""docs/cluster.md: each line of the table of sites makes the plugin ask Slurm for what it says."""

import re
from types import SimpleNamespace

import pytest
import yaml
from snakemake.iocontainers import ResourceList
from snakemake_executor_plugin_slurm.submit_string import get_submit_command
from snakemake_executor_plugin_slurm.utils import set_gres_string

from tests.dag.tiny import ROOT

TABLE = (ROOT / "docs/cluster.md").read_text().split("| the job script has |")[1].split("\n\n")[0]
ROWS = re.findall(r"^\| `(--(?:g|c|q|n|e)\S+)`.*? \| (?:`(.+?)`|nothing)", TABLE, re.MULTILINE)
FACTS = "run_uuid slurm_logfile comment_str workdir account partition".split()


@pytest.mark.parametrize("option, written", ROWS)
def test_what_the_table_says_to_write_becomes_the_option_of_sbatch(option: str, written: str):
    asked = {"gpu": 1, "cpus_per_task": 2} | yaml.safe_load(f"{{{written}}}")
    job = SimpleNamespace(resources=ResourceList(fromdict=asked), threads=1)
    command = get_submit_command(job, dict.fromkeys(FACTS, "")) + set_gres_string(job)
    assert option in command.replace("-C ", "--constraint=").split()
    assert len(re.findall(r"--(?:gpus|gres)=", command)) == 1
