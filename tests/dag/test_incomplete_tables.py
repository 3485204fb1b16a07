"""A run with a missing data set and a failed training: the other tables are whole, and it is said what is missing."""

import shutil
from pathlib import Path

import pytest

from tests.dag.tiny import CONFIG, Project
from tests.files import contents

pytestmark = pytest.mark.dag

TABLES = {name for name, table in CONFIG["tables"].items() if table}
RAW = "qqp/train.tsv"  # simcse_table4 alone needs it
BROKEN = "\nraise RuntimeError('a broken dropout')\n"
DROPOUT = "semblance/models/dropouts/sampled.py"  # ssimcse-sd alone uses it
INCOMPLETE = {"simcse_table4", "ssimcse_table1"}


@pytest.fixture(scope="module")
def project(finished: Project, tmp_path_factory) -> Project:
    """A copy of the finished run without tables, whose pairs are lost and whose dropout is broken."""
    copy = finished.copy(tmp_path_factory.mktemp("incomplete") / "copy")
    for name in (
        "results/tables",
        "results/scores/sts/qqp",
        "results/models/qqp",
        "results/corpora/qqp",
    ):
        shutil.rmtree(copy.folder / name)
    (copy.folder / "resources/data/records/qqp.json").unlink()
    (copy.folder / "resources/data" / RAW).unlink()
    (copy.folder / "demo/data" / RAW).rename(copy.folder / "pairs.tsv")
    code = copy.folder / DROPOUT
    code.write_text(code.read_text() + BROKEN)
    return copy


def rendered(folder: Path) -> set[str]:
    return {path.stem for path in folder.glob("*.csv")}


def test_other_tables_are_whole_and_the_end_of_the_run_says_what_is_missing(project: Project):
    said = project.snakemake("--cores", "2", "--keep-going", check=False)
    tables = project.folder / "results/tables"
    assert rendered(tables) == TABLES - INCOMPLETE
    assert f"incomplete tables: {len(INCOMPLETE)} of {len(TABLES)}" in said
    assert "RuntimeError: a broken dropout" in said and "qqp" in said
    before = contents(tables)
    shown = project.python("semblance", "table", "ssimcse_table1", "--output", "results").stdout
    assert shown.startswith("INCOMPLETE: ") and contents(tables) == before


def test_the_mended_run_has_every_table(project: Project):
    code = project.folder / DROPOUT
    code.write_text(code.read_text().removesuffix(BROKEN))
    (project.folder / "pairs.tsv").rename(project.folder / "demo/data" / RAW)
    project.snakemake("--cores", "2")
    assert rendered(project.folder / "results/tables") >= TABLES
