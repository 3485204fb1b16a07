"""docs/cluster.md: each line of the table of sites makes the plugin ask Slurm for what it says."""

import re
from types import SimpleNamespace

import pytest
import yaml
from snakemake_executor_plugin_slurm.submit_string import get_submit_command
from snakemake_executor_plugin_slurm.utils import set_gres_string

from tests.dag.tiny import ROOT

PAGE = (ROOT / "docs/cluster.md").read_text()
TABLE = PAGE.split("| the job script has | write |")[1].split("\n\n")[0]
PARAMS = dict.fromkeys(("run_uuid", "slurm_logfile", "comment_str", "workdir"), "x")
ROWS = re.findall(r"^\| `(--\S+)`.*? \| (?:`(.+?)`|nothing)", TABLE, re.MULTILINE)
# The plugin takes these from the profile and not from here.
BY_SBATCH = [row for row in ROWS if not re.search("partition|account|reservation", row[0])]


class Resources(dict):
    """What a rule asks for, by key and by attribute."""

    __getattr__ = dict.__getitem__


@pytest.mark.parametrize("option, written", BY_SBATCH)
def test_what_the_table_says_to_write_becomes_the_option_of_sbatch(option, written):
    wanted = Resources({"gpu": 1, "cpus_per_task": 2}) | yaml.safe_load(f"{{{written}}}")
    job = SimpleNamespace(resources=Resources(wanted), threads=1)
    submitted = get_submit_command(job, PARAMS | {"account": "", "partition": ""})
    words = f"{submitted}{set_gres_string(job)}".replace("-C ", "--constraint=").split()
    assert option in words
    assert sum("gpu" in word for word in words if word.startswith("--g")) == 1
