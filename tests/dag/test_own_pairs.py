"""A user's own scored pairs give a table of their own, and a user's own sentences train a model."""

import os
from pathlib import Path

import pandas as pd
import pytest

from tests.dag.tiny import CONFIG, Project, rows
from workflow.planning.stages import stages

pytestmark = pytest.mark.dag
PAIRS = """Satz1;Satz2;Bewertung
When does the library open?;What are the opening hours?;5
When does the library open?;When does the library close?;2.5
May I bring my dog?;Are pets allowed inside?;4.5
May I bring my dog?;What are the opening hours?;0
"""


def test_own_pairs_are_scored_in_a_table_of_their_own_and_retrain_nothing(project: Project):
    (project.folder / "pairs.csv").write_text(PAIRS)
    mine = {"title": "Mine", "layout": "sts", "tasks": ["mine"], "seeds": "rcl"}
    tables = {
        "simcse_tableC1": None,  # whitens each test, and four pairs are too few
        "mine": mine | {"rows": rows("nli", "start", "rcl-2")},
    }
    own = {"mine": {"kind": "pairs", "path": "pairs.csv"}}
    config = CONFIG | {"sts": {"datasets": ["stsb", "mine"], "own": own}}
    config["tables"] = CONFIG["tables"] | tables
    project.write_config(config)
    assert not set(stages("train")) & set(project.planned())
    project.snakemake("--cores", "2", "results/tables/mine.csv")
    scores = pd.read_csv(project.folder / "results/scores/sts/nli/tiny/rcl-2/seed-1/scores.csv")
    assert set(scores[scores["task"] == "mine"]["n"]) == {4}
    table = pd.read_csv(project.folder / "results/tables/mine.csv")
    assert list(table["tasks"]) == ["mine", "mine"]
    assert (table["mine"] == table["Average"]).all()
    assert project.planned("results/tables/mine.csv") == {}
    replace_content(project.folder / "pairs.csv", PAIRS.replace(";4.5", ";0.5"))
    assert "prepare_sts" in project.planned("results/tables/mine.csv")


def replace_content(file: Path, text: str) -> None:
    """Put other content of the same size and an older date in the place of a file, as ``cp -p`` may."""
    before = file.stat()
    file.write_text(text)
    assert file.stat().st_size == before.st_size
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns - 10**12))


def test_own_sentences_are_a_training_corpus(project: Project):
    (project.folder / "notes.txt").write_text("".join(f"Note {i}.\n" for i in range(32)))
    table = {"rows": [*CONFIG["tables"]["ssimcse_table1"]["rows"], *rows("notes", "simcse")]}
    config = CONFIG | {"corpora": {"notes": {"kind": "text", "path": "notes.txt"}}}
    config["tables"] = CONFIG["tables"] | {"ssimcse_table1": table}
    project.write_config(config)
    planned = project.planned()
    assert (planned["prepare_wiki"], planned["train"]) == (1, 1)
    model = "results/models/notes/tiny/simcse/seed-1/record.json"
    project.snakemake("--cores", "2", model)
    assert project.planned(model) == {}
    notes = project.folder / "notes.txt"
    replace_content(notes, notes.read_text().replace("Note", "Nota"))
    planned = project.planned(model)
    assert (planned["prepare_wiki"], planned["train"]) == (1, 1)
