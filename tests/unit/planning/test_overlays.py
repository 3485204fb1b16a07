"""Config files are laid over each other as Snakemake does it."""

import pytest

from semblance.errors import InputError
from tests.shipped import merged
from tests.unit.planning.test_config import ROOT
from workflow.planning.config import laid_over


def test_configs_are_laid_over_each_other_as_snakemake_lays_them():
    names = ("config.yaml", "configs/minilm.yaml", "configs/minilm-cpu.yaml")
    assert laid_over([ROOT / name for name in names]) == merged(*names)


def test_a_config_that_is_no_mapping_is_refused_with_its_name(tmp_path):
    (tmp_path / "list.yaml").write_text("- 1\n")
    with pytest.raises(InputError, match="list.yaml"):
        laid_over([tmp_path / "list.yaml"])
