"""A kept run: what stands in it, that it can be checked, and that each kind of change is found."""

import json
import os
import shutil
import tarfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from semblance.audit import kept
from semblance.audit.chain import NOT_KEPT
from semblance.audit.findings import CELLS, DIGESTS, NUMBERS, SCORES, VERDICTS
from semblance.audit.kept import UNCHECKED, WITHOUT, keep, verify_kept
from semblance.audit.verify import verify
from semblance.errors import InputError
from semblance.provenance import ROOT
from semblance.reporting.contrasts import compared
from semblance.reporting.table import Table
from tests.unit.audit.tampering import change_table, failed, shown_row
from tests.unit.reporting import example_results
from workflow.scripts import explain as explaining
from workflow.scripts import keep as keeping

CONFIG = {
    "output": "/home/me/results",
    "mirror": "../data",
    "faq": {"banks": [{"path": "/x/my.csv"}]},
    "bases": {"tiny": {"folder": "tiny"}},
    "tables": dict.fromkeys(example_results.TABLES),
}
NAME = "predictions-sts-1.parquet"
MODEL = "nli/tiny/rcl/seed-2"


@pytest.fixture(scope="module")
def finished(untouched, tmp_path_factory) -> Path:
    """The results folder that is kept."""
    copy = shutil.copytree(untouched.parent, tmp_path_factory.mktemp("finished") / "copy")
    (copy / "results/logs").mkdir()
    (copy / "results/logs/config.json").write_text(json.dumps(CONFIG))
    return copy / "results"


@pytest.fixture(scope="module")
def run(finished, tmp_path_factory) -> Path:
    """The kept run, which no test changes."""
    folder = tmp_path_factory.mktemp("kept") / "run"
    keep(finished, folder)
    return folder


@pytest.fixture
def copied(run, tmp_path) -> Path:
    """A copy of the kept run, to tamper with."""
    return shutil.copytree(run, tmp_path / "run")


def texts(found) -> str:
    return "\n".join(f"{path}: {what}" for path, what in found.problems)


def test_every_check_of_a_kept_run_holds_and_none_is_of_pearson(run, finished):
    found = verify_kept(run)
    assert found.problems == [] and found.notes == [(str(run), UNCHECKED)]
    of_run = verify(finished, bootstrap=True)
    metrics = pd.read_csv(finished / "tables/scores.csv")["metric"]
    assert found.checked[SCORES] == of_run.checked[SCORES] - (metrics == "pearson").sum() > 0
    assert found.checked[CELLS] == of_run.checked[CELLS] > 0
    assert found.checked[NUMBERS] == of_run.checked[NUMBERS] > 0


def test_its_tables_lie_open_and_no_absolute_path_is_told(run):
    names = {path.name for path in run.iterdir()}
    for table in example_results.TABLES:
        assert {f"{table}.md", f"{table}.csv"} <= names
    assert {"claims.md", "claims.csv", "published.md", kept.SCORES} <= names
    config = json.loads((run / "config.json").read_text())
    assert config == CONFIG | {"output": "results", "faq": {"banks": [{"path": "my.csv"}]}}


def test_the_same_run_gives_the_same_bytes_and_a_page_of_the_folder_stays(finished, copied, run):
    (copied / "README.md").write_text("the page")
    (copied / "predictions-sts-9.parquet").write_text("of an earlier time")
    for path in finished.rglob("*"):
        os.utime(path, (1, 1))
    keep(finished, copied)
    assert {path.name for path in copied.iterdir()} == {p.name for p in run.iterdir()} | {
        "README.md"
    }
    for path in run.iterdir():
        assert (copied / path.name).read_bytes() == path.read_bytes(), path


def test_a_page_that_the_run_has_no_more_goes_and_a_file_of_ones_own_is_named(
    finished, copied, tmp_path
):
    fewer = shutil.copytree(finished, tmp_path / "results")
    for table in ("published", "claims"):
        fewer.joinpath(f"tables/records/{table}.json").unlink()
    (copied / "losses.csv").write_text("mine\n")
    keep(fewer, copied)
    assert not {"published.md", "claims.md", "claims.csv"} & {p.name for p in copied.iterdir()}
    assert (copied / "losses.csv").is_file()
    assert (str(copied), "no record lists losses.csv") in verify_kept(copied).notes


def packed(kind: str, frames: dict[str, pd.DataFrame], folder: Path) -> list[Path]:
    """Pack the predictions of models by name; return the files."""
    nodes = []
    for name, frame in frames.items():
        record = folder / f"scores/{kind}/{name}/record.json"
        record.parent.mkdir(parents=True)
        record.touch()
        frame.to_parquet(record.with_name("predictions.parquet"))
        nodes.append(SimpleNamespace(path=record))
    kept._pack(kind, nodes, folder)
    return sorted(folder.glob("*.parquet"))


def test_of_similarities_the_doubled_ranks_within_a_task_are_kept_and_items_once(tmp_path):
    items = {"task": ["a"] * 4 + ["b"] * 2, "subset": ["x", "y"] * 3, "gold": [0.0, 1, 2, 3, 4, 5]}
    first = pd.DataFrame(items | {"similarity": [0.1, 0.5, 0.5, 0.9, 0.3, 0.2]})
    second = pd.DataFrame(items | {"similarity": [0.9, 0.5, 0.2, 0.1, 0.2, 0.2]})
    names = ["nli/m/rcl-0.1/seed-1", "nli/m/rcl-0.1/seed-2"]
    [path] = packed("sts", dict(zip(names, (first, second), strict=True)), tmp_path)
    table = pd.read_parquet(path)
    assert list(table) == ["task", "subset", "gold", *names]
    assert table[names[0]].tolist() == [2, 5, 5, 8, 4, 2]  # the two that tie share rank 2.5
    assert table[names[1]].tolist() == [8, 6, 4, 2, 3, 3]
    assert {str(kind) for kind in table.dtypes[names]} == {"uint16"}
    kept.unpack(path, tmp_path)
    again = pd.read_parquet(tmp_path / "scores/sts" / names[0] / "predictions.parquet")
    pd.testing.assert_frame_equal(again, first.assign(similarity=[1, 2.5, 2.5, 4, 2, 1]))


def test_of_queries_the_ranks_and_the_group_are_kept_and_the_metrics_follow(tmp_path):
    items = {"protocol": ["pairs"] * 2, "query": ["q1", "q2"], "group": ["t1", "t1"]}
    own = {"ranks": [[2], [1, 3]], "top": [[5], [6]], "without": [0.5, 0.5]}
    metrics = {
        "ap": [1 / 2, (1 + 2 / 3) / 2],
        "acc@1": [0.0, 1.0],
        "acc@3": [1.0, 1.0],
        "acc@5": [1.0, 1.0],
    }
    frame = pd.DataFrame(items | own | metrics)
    others = frame.assign(query=["q3", "q4"])  # another fold has other queries: a file of its own
    names = ["bank-0/m/rcl/seed-1", "bank-1/m/rcl/seed-1"]
    paths = packed("faq", dict(zip(names, (frame, others), strict=True)), tmp_path)
    assert [list(pd.read_parquet(path)) for path in paths] == [[*items, name] for name in names]
    kept.unpack(paths[0], tmp_path)
    again = pd.read_parquet(tmp_path / "scores/faq" / names[0] / "predictions.parquet")
    pd.testing.assert_frame_equal(again.drop(columns="ranks"), frame[[*items, *metrics]])
    assert [list(ranks) for ranks in again["ranks"]] == own["ranks"]


def test_a_flipped_rank_a_changed_cell_and_a_changed_verdict_are_found(copied):
    table = pd.read_parquet(copied / NAME)
    one, other = table.index[(table["task"] == "sts12") & table["gold"].isin([0.0, 5.0])][[0, -1]]
    table.loc[[one, other], MODEL] = table.loc[[other, one], MODEL].to_numpy()
    table.to_parquet(copied / NAME)
    for name, before, after in (("t_faq.csv", "0.", "1."), ("claims.csv", "not run", "reproduced")):
        text = (copied / name).read_text()
        assert before in text
        (copied / name).write_text(text.replace(before, after, 1))
    found = verify_kept(copied)
    assert {DIGESTS, CELLS, VERDICTS, SCORES} <= failed(found)
    assert f"{copied}/scores/sts/{MODEL}/scores.csv: sts12 spearman all" in texts(found)
    for name in ("t_faq.csv", "claims.csv"):
        assert f"{copied}/{name}: damaged" in texts(found)
    assert found.delete == set()


def test_an_interval_that_the_items_do_not_give_is_found_though_all_digests_hold(results, tmp_path):
    items = shown_row(results, "t_sts", "rcl").items
    wider = {label: 2 * value for label, value in items["Average"].items()}

    def widened(table: Table) -> Table:
        """Double what the items add to the error of one row, and all intervals that follow."""
        rows = [
            replace(row, items=items | {"Average": wider}) if row.label == "rcl" else row
            for row in table.rows
        ]
        return compared(replace(table, rows=tuple(rows)))

    change_table(results, "t_sts", widened)
    example_results.compare(results)
    keep(results, tmp_path / "run")
    found = verify_kept(tmp_path / "run")
    assert failed(found) == {NUMBERS}
    assert "t_sts.json: differs from what its settings and scores give: rows rcl" in texts(found)


def test_a_lost_file_of_predictions_is_a_problem(copied):
    (copied / "predictions-faq-1.parquet").unlink()
    assert f"{copied}/scores/faq/bank-0/tiny/rcl/seed-1: cannot be read" in texts(
        verify_kept(copied)
    )


def test_a_run_that_was_kept_without_predictions_says_so_in_one_line():
    folder = ROOT / "docs/runs/2026-11-26-simcse-gpu"
    found = verify_kept(folder)
    assert found.problems == [] and found.notes == [(str(folder), WITHOUT)]
    assert sum(found.checked.values()) > 300


@pytest.mark.parametrize("name", [kept.RECORDS, kept.SCORES])
def test_a_cut_archive_is_refused_in_one_line(copied, name):
    content = (copied / name).read_bytes()
    (copied / name).write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError, match=f"{copied}: damaged: .*; keep the run anew"):
        verify_kept(copied)


@pytest.mark.parametrize("member", ["../outside", "/outside", "link"])
def test_an_archive_that_would_write_elsewhere_or_link_there_is_refused(copied, member):
    info = tarfile.TarInfo(member)
    if member == "link":
        info.type, info.linkname = tarfile.SYMTYPE, "/etc/hostname"
    with tarfile.open(copied / kept.RECORDS, "w:xz") as box:
        box.addfile(info)
    with pytest.raises(InputError, match="damaged: .*; keep the run anew|no run has this folder"):
        verify_kept(copied)
    assert not (copied.parent / "outside").exists() and not Path("/outside").exists()


def test_an_archive_that_holds_too_much_is_refused_before_it_is_unpacked(copied, monkeypatch):
    monkeypatch.setattr(kept, "MOST_UNPACKED", 1000)
    with pytest.raises(InputError, match=f"{kept.RECORDS}: holds more than 1,000 bytes"):
        verify_kept(copied)


def test_a_cell_of_a_kept_run_is_explained_and_named_by_the_kept_folder(run, capsys):
    explaining.main(["t_sts", "rcl", "STS12", "--output", str(run)])
    said = " ".join(capsys.readouterr().out.split())  # a long path begins a line of its own
    assert f"semblance verify --output {run}" in said and f" {NOT_KEPT}" in said
    explaining.main(["t_sts", "rcl", "STS12", "--all", "--output", str(run)])
    assert (
        f"predictions {run}/scores/sts/nli/tiny/rcl/seed-1/record.json" in capsys.readouterr().out
    )


def test_the_command_keeps_a_run_with_the_ledger_and_the_losses_of_a_try(
    finished, tmp_path, capsys
):
    """With them another doubts it."""
    folder = tmp_path / "run"
    (finished / "losses").mkdir()
    for name in ("tries.jsonl", "losses/mine.py"):
        (finished / name).write_text(name)
    keeping.main([str(folder), "--output", str(finished)])
    for name in ("tries.jsonl", "losses/mine.py"):
        assert (folder / name).read_text() == name
        (finished / name).unlink()
    assert f"semblance verify --output {folder}" in capsys.readouterr().out
    assert (folder / kept.CRATE).is_file()


def test_a_run_that_has_made_some_of_its_tables_is_kept_without_the_csv_of_all_scores(
    results, tmp_path
):
    for name in ("scores.csv", "records/scores.json"):
        (results / "tables" / name).unlink()
    keep(results, tmp_path / "run")
    found = verify_kept(tmp_path / "run")
    assert found.problems == [] and found.checked[CELLS] > 0
    assert not (tmp_path / "run" / kept.SCORES).exists()


def test_a_run_without_a_finished_table_is_not_kept(results, tmp_path):
    shutil.rmtree(results / "tables")
    with pytest.raises(InputError, match="has no finished table; let the run make one first"):
        keep(results, tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


def test_a_run_is_not_kept_inside_itself(finished):
    with pytest.raises(InputError, match="lies in the run"):
        keep(finished, finished / "kept")
    assert not (finished / "kept").exists()
