"""The examples of CONTRIBUTING.md, of the tour and of the page for programs work as they are typed."""

import json
import re
import shlex

import pandas as pd
import pytest
import yaml

from semblance.audit.findings import Problem
from semblance.reporting.ledger import Look
from semblance.reporting.table import Contrast
from semblance.statistics.tries import Judged
from tests.dag.tiny import CONFIG, ROOT, Project, rows
from tests.scripts.flags import python
from workflow.planning.stages import stages
from workflow.run import events

pytestmark = pytest.mark.dag
PAGE = (ROOT / "CONTRIBUTING.md").read_text()
SKILL = (ROOT / "docs/SKILL.md").read_text()


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
    project.snakemake("--cores", "2", "results/tables/rcl_table1a.csv")
    ran = events.History(project.folder / "results").jobs
    assert sum(job.startswith("logs/train/") for job in ran) == 2  # the others stay valid
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
    (tmp_path / "demo").symlink_to(finished.folder)
    (tmp_path / "docs").mkdir()
    code = re.sub("|".join(HERE), lambda name: HERE[name[0]], "\n".join(cells))
    printed = python("-c", code, cwd=tmp_path / "docs", check=True).stdout
    score, same, cell, table = printed.splitlines()[-4:]
    assert score == same and 0 < float(score) < 1
    assert cell == f"{table} of 1 seeds"


JSON = re.findall(r"^\| `semblance (.+ --json)` \| (.+) \|$", SKILL, re.MULTILINE)


@pytest.mark.parametrize("command, listed", JSON)
def test_the_json_of_a_command_has_the_keys_that_the_skill_page_lists(
    command, listed, finished: Project, tmp_path
):
    for name in ("ours", "theirs"):
        (tmp_path / f"{name}.csv").write_text("item,score\n1,.5\n2,.3\n3,.7\n")
    (tmp_path / "asked.txt").write_text("How?\nHow?\n")
    here = HERE | {"my-faq": "results/answerers/tiny", "mine.yaml": "tiny.yaml"}
    here["asked.txt"] = str(tmp_path / "asked.txt")
    here["FOLDER"] = "results/models/nli/tiny/rcl-2/seed-1"
    command = re.sub("|".join(here), lambda name: here[name[0]], command)
    command = re.sub(r"(\w+)\.csv", rf"{tmp_path}/\1.csv", command)
    done = finished.python("semblance", *shlex.split(command), check=False)
    keys = set(re.findall(r'"(\w+)": ?', done.stdout))
    # A table of one seed has no contrast, a whole run no problem, and a try would take minutes.
    keys.update(*(kind.__dataclass_fields__ for kind in (Contrast, Look, Judged, Problem)))
    assert set(re.findall(r"`(\w+)`", listed)) <= keys
