"""The examples of CONTRIBUTING.md and of the tour work as they are typed."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml

from tests.dag.tiny import CONFIG, ROOT, Project, rows
from workflow.planning.stages import stages

pytestmark = pytest.mark.dag
PAGE = (ROOT / "CONTRIBUTING.md").read_text()


def blocks(heading: str, language: str) -> list[str]:
    """Return the code blocks of one language below a heading of CONTRIBUTING.md."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)


def test_the_loss_and_the_view_of_contributing_train(project: Project):
    methods = {}
    for heading in ("Add a loss", "Add a view"):
        (code,) = blocks(heading, "python")
        (entry,) = map(yaml.safe_load, blocks(heading, "yaml"))
        (project.folder / code.splitlines()[0].removeprefix("# ")).write_text(code)
        methods |= entry["methods"]
    config = CONFIG | {"methods": CONFIG["methods"] | methods}
    table = {"rows": [*CONFIG["tables"]["rcl_table1a"]["rows"], *rows("nli", *methods)]}
    project.write_config(config | {"tables": CONFIG["tables"] | {"rcl_table1a": table}})
    assert project.planned()["train"] == 2  # the finished trainings stay valid
    project.snakemake("--cores", "2", "results/tables/rcl_table1a.csv")
    table = (project.folder / "results/tables/rcl_table1a.csv").read_text()
    assert all(method["label"] in table for method in methods.values())


def test_the_test_set_of_contributing_is_scored_and_retrains_nothing(project: Project):
    (pairs,) = blocks("Add a test set", "csv")
    row, line = map(yaml.safe_load, blocks("Add a test set", "yaml"))
    ((name, added),) = row["datasets"].items()
    raw = project.folder / "demo/data" / added["files"][0]["path"]
    raw.parent.mkdir(parents=True, exist_ok=True)
    raw.write_text(pairs)
    manifest = project.folder / "demo/manifest.yaml"
    known = yaml.safe_load(manifest.read_text())["datasets"]
    manifest.write_text(yaml.safe_dump({"datasets": known | row["datasets"]}))
    tables = CONFIG["tables"] | {"simcse_tableC1": None}  # as CONTRIBUTING.md says of a small test
    project.write_config(CONFIG | {"tables": tables} | line)
    assert not set(stages("train")) & set(project.planned())
    scored = "results/scores/sts/none/tiny/start/seed-0/scores.csv"
    project.snakemake("--cores", "2", scored)
    scores = pd.read_csv(project.folder / scored)
    assert set(scores[scores["task"] == name]["n"]) == {len(pairs.splitlines()) - 1}


HERE = {"minilm-3": "tiny", "rcl-4": "rcl-2", "rcl_table3": "rcl_table4"}  # of the tiny run


def test_the_six_cells_of_the_tour_compute_a_score_and_a_cell_again(finished: Project, tmp_path):
    notebook = json.loads((ROOT / "docs/tour.ipynb").read_text())
    cells = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
    (shown,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/tour.md").read_text(), re.DOTALL)
    assert len(cells) == 6 and shown.strip().replace('"demo/', '"../demo/') in cells
    for folder in (tmp_path / "demo", tmp_path / "docs"):
        folder.mkdir()
    for name in ("results", "resources"):
        (tmp_path / "demo" / name).symlink_to(finished.folder / name)
    code = re.sub("|".join(HERE), lambda name: HERE[name[0]], "\n".join(cells))
    done = run_code(code, tmp_path / "docs")
    score, same, cell, table = done.stdout.splitlines()[-4:]
    assert score == same and 0 < float(score) < 1
    assert cell == f"{table} of 1 seeds"


def run_code(code: str, folder: Path) -> subprocess.CompletedProcess:
    """Run lines of Python in a folder, as a notebook there does."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
