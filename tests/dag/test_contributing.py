"""The examples of CONTRIBUTING.md and of the tour work as they are typed."""

import re

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


def test_the_lines_of_the_tour_compute_a_score_again(finished: Project, capsys):
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/tour.md").read_text(), re.DOTALL)
    shown = "demo/results/scores/sts/nli/minilm-3/rcl-4/seed-1"
    assert code.count(shown) == 1
    here = finished.folder / "results/scores/sts/nli/tiny/rcl-2/seed-1"
    exec(code.replace(shown, str(here)), {})
    computed, written = capsys.readouterr().out.split()
    assert computed == written and 0 < float(computed) < 1
