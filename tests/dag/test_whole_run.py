"""One whole tiny run: every table stands, is verified and explained, and damage is found and healed."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from semblance.audit.chain import Chain
from semblance.audit.explain import explain, find_cell, problems
from semblance.audit.verify import verify
from semblance.errors import InputError
from semblance.provenance import input_digests, outputs_digest, read_sealed
from semblance.reporting.table import from_json
from semblance_faq.answer.folder import check_answerer
from tests.dag.tiny import CONFIG, ROOT, Project
from tests.files import flip
from tests.unit.audit.tampering import change_record
from workflow.run import events

pytestmark = pytest.mark.dag


def test_the_output_folder_says_what_lies_where(finished: Project):
    text = (finished.folder / "results/README.md").read_text()
    folders = {path.name for path in (finished.folder / "results").iterdir() if path.is_dir()}
    assert {"models", "scores", "tables", "dev"} <= folders
    assert {name for name in folders if f"`{name}/" not in text} == set()


def test_a_finished_run_is_finished_and_each_of_its_jobs_is_done(finished: Project):
    said = json.loads(
        finished.python("semblance", "status", "--output", "results", "--json").stdout
    )
    assert said["finished"] and said["controller"] is None and said["share"] == 1
    assert all(stage["done"] == stage["jobs"] for stage in said["stages"])
    assert not (said["running"] or said["failed"] or said["stopped"])
    assert said["command"].startswith("snakemake ") and "--cores 2" in said["command"]
    shown = finished.python("semblance", "status").stdout
    assert shown.startswith("results: finished; ")


def test_each_trained_model_has_a_card(finished: Project):
    results = finished.folder / "results"
    models, cards = (
        {path.parent for path in results.glob(f"models/*/*/*/*/model/{name}")}
        for name in ("model.safetensors", "README.md")
    )
    assert models and cards == models


def test_every_figure_has_lines_of_each_of_its_models(finished: Project):
    named = {name: figure for name, figure in CONFIG["figures"].items() if figure}
    for name, figure in named.items():
        shown = pd.read_csv(finished.folder / f"results/figures/{name}.csv")
        methods = {method for row in figure["rows"] for method in row["methods"]}
        assert set(shown["method"]) == methods
    compared = pd.read_csv(finished.folder / "results/figures/contrasts.csv")
    assert "ssimcse_table1" in set(compared["table"])
    every = pd.read_csv(finished.folder / "results/figures/simcse_figure3.csv")
    scores = pd.read_csv(finished.folder / "results/tables/scores.csv", keep_default_na=False)
    on_sts = scores[scores["metric"] == "uniformity"]
    assert sorted(every["uniformity"]) == sorted(on_sts["value"])


def test_every_figure_but_the_table_of_sentences_is_drawn(finished: Project):
    folder = finished.folder / "results/figures"
    for form in ("svg", "png"):
        drawn = {path.stem for path in folder.glob(f"*.{form}")}
        assert drawn == {path.stem for path in folder.glob("*.csv")} - {"simcse_table8"}
        assert all(path.stat().st_size > 1000 for path in folder.glob(f"*.{form}"))


def test_a_run_on_one_machine_with_one_code_is_not_called_mixed(finished: Project):
    """Trained and untrained models, with and without regulators, stand side by side in these tables."""
    tables = list((finished.folder / "results/tables").glob("*.md"))
    assert len(tables) > 5 and [t.name for t in tables if "Mixed" in t.read_text()] == []


def test_the_docs_name_each_column_of_the_predictions_of_each_kind(finished: Project):
    page = (ROOT / "docs/results.md").read_text().split("## The predictions")[1]
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", page, re.MULTILINE)
    named = {
        kind: re.findall(r"`(\S+)`", re.sub(r"\(.*?\)", "", columns)) for kind, columns in rows
    }
    scores = finished.folder / "results/scores"
    assert set(named) == {folder.name for folder in scores.iterdir()}
    for kind, columns in named.items():
        predictions = next((scores / kind).rglob("predictions.parquet"))
        assert set(pd.read_parquet(predictions).columns) == set(columns)


def test_verify_finds_nothing_wrong_from_the_command_line(finished: Project):
    done = finished.python("semblance", "verify", "--output", "results")
    assert " 0 problems" in done.stdout and "note:" not in done.stdout
    cells = next(
        line.split() for line in done.stdout.splitlines() if line.startswith("table cells")
    )
    # five tables with, by hand, 2 x 8, 4 x 4, 2 x 1, 2 x 8 (or 2 x 1) and 2 x 3 cells at least, each as JSON and as CSV
    assert int(cells[cells.index("of") + 1].replace(",", "")) > 2 * (16 + 16 + 2 + 2 + 6)


def test_the_whole_run_is_kept_in_a_small_folder_in_which_anyone_can_check_it(finished, tmp_path):
    kept = str(tmp_path / "kept")
    finished.python("semblance", "keep", kept, "--output", "results")
    said = finished.python("semblance", "verify", "--output", kept).stdout
    assert " 0 problems" in said and "Pearson's r and geometry, which are not kept" in said
    assert f"semblance explain TABLE ROW COLUMN --output {kept}" in said
    assert {"report.html", "contrasts.svg"} <= {path.name for path in Path(kept).iterdir()}
    kinds = {path.name.split("-")[1] for path in Path(kept).glob("predictions-*.parquet")}
    assert kinds == {folder.name for folder in (finished.folder / "results/scores").iterdir()}
    assert sum(path.stat().st_size for path in Path(kept).iterdir()) < 1 << 20


def test_damage_stops_its_reader_and_the_advice_of_verify_heals_it_byte_for_byte(project):
    root = project.folder / "results"
    scores = Path("scores/sts/nli/tiny/rcl-2/seed-1")
    predictions, record = (root / scores / name for name in ("predictions.parquet", "record.json"))
    before = predictions.read_bytes(), record.read_bytes()
    flip(predictions)
    (root / "tables/rcl_table4.csv").unlink()
    stopped = project.snakemake("--cores", "1", "--", "results/tables/rcl_table4.csv", check=False)
    assert "predictions.parquet: damaged: expected sha256" in stopped
    assert f"delete results/{scores}/record.json and run again" in stopped
    for lost in ("scores/sts/nli/tiny/rcl-2/seed-1/scores.csv", "dev/sts/record.json"):
        (root / lost).unlink()
    for damaged in (root / "tables/rcl_table1a.md", root / "../resources/data/stsb/sts-test.csv"):
        flip(damaged)
    forged = root / "models/nli/tiny/rcl-2/seed-1/record.json"
    change_record(forged, lambda value: value["settings"].update(learning_rate=1.0))
    found = project.python("semblance", "verify", "--output", "results", check=False)
    assert found.returncode == 1
    advice = found.stdout.partition("To mend this, delete\n")[2].splitlines()[:-1]
    assert str(record) in map(str.strip, advice)
    for line in advice:
        (project.folder / line.strip()).unlink()
    project.snakemake("--cores", "2")
    healed = project.python("semblance", "verify", "--output", "results")
    assert " 0 problems" in healed.stdout.splitlines()[0]
    assert (predictions.read_bytes(), record.read_bytes()) == before


LOST = {  # a record -> the job that makes it
    "results/tokens/tiny/nli/record.json": "logs/tokenise/tiny/nli",
    "resources/data/records/stsb.json": "logs/download/stsb",
}


def test_lost_records_that_are_made_again_run_no_other_job(project):
    before = {lost: (project.folder / lost).read_bytes() for lost in LOST}
    for lost in LOST:
        (project.folder / lost).unlink()
    project.snakemake("--cores", "2")
    assert {lost: (project.folder / lost).read_bytes() for lost in LOST} == before
    assert events.History(project.folder / "results").jobs.keys() == set(LOST.values())
    assert "Nothing to be done" in project.snakemake("-n")


def test_an_answerer_is_chosen_judged_and_ready_to_answer(finished: Project):
    folder = finished.folder / "results/answerers/tiny"
    record = read_sealed(folder / "record.json")
    assert check_answerer(folder).problems == []
    wanted = CONFIG["answerers"]["tiny"]
    evaluated = {link["place"] for link in record["inputs"] if "/scores/faq/" in link["place"]}
    assert len(evaluated) == len(wanted["methods"]) * CONFIG["faq"]["folds"]
    evidence = record["evidence"]
    assert set(evidence["scores"]) == set(wanted["methods"])
    assert set(evidence["against"]) == {"start", "bm25"} - {evidence["chosen"]}
    text = (folder / "summary.md").read_text()
    assert text.count("VERDICT: ") == len(evidence["against"]) + 1  # and whether training helps
    assert "had not been trained on" in text


def test_the_final_model_is_trained_as_long_as_was_best_on_the_folds(finished: Project):
    models = finished.folder / "results/models"
    run = "tiny/attention-dropout-0.1/seed-1/record.json"
    record = read_sealed(models / "stackfaq-all" / run)
    shares = []
    for fold in range(3):
        of_fold = read_sealed(models / f"stackfaq-{fold}" / run)
        shares.append(of_fold["training"]["best_step"] / of_fold["steps"])
    assert record["training"]["step"] == max(1, round(sorted(shares)[1] * 2))  # of max_steps
    named = [link for link in record["inputs"] if link["place"].endswith(run)]
    assert len(named) == 3


def test_a_cell_of_every_table_is_explained_down_to_its_files(finished):
    root = finished.folder / "results"
    tables = sorted((root / "tables/json").glob("*.json"))
    assert len(tables) >= 9
    for path in tables:
        table = from_json(path.read_text(encoding="utf-8"), str(path))
        row = table.rows[-1]
        column = next(name for name, cell in row.cells.items() if cell.values)
        chain = Chain(root)
        found = explain(chain, find_cell(chain, path.stem, f"{row.label} [{row.protocol}]", column))
        assert problems(found) == 0 and found.sources, path


def test_a_folder_that_is_no_output_is_refused_with_the_one_that_was_meant(finished, monkeypatch):
    monkeypatch.chdir(finished.folder / "envs")  # nor is there a run below the working folder
    root = finished.folder / "results"
    for place, advice in [
        (finished.folder, f"did you mean {root}?"),
        (root / "scores", f"did you mean {root}?"),
        (finished.folder / "envs", "name the output folder of a run"),
    ]:
        with pytest.raises(InputError, match="no run has this folder as its output") as error:
            verify(place)
        assert error.value.advice == advice


def test_scores_name_their_weights_data_and_code(finished: Project):
    scores = pd.read_csv(finished.folder / "results/tables/scores.csv", keep_default_na=False)
    record = json.loads(
        (finished.folder / "results/models/nli/tiny/rcl-2/seed-1/record.json").read_text()
    )
    rows = scores[(scores["method"] == "rcl-2") & (scores["corpus"] == "nli")]
    assert set(rows["weights"]) == {record["outputs"]["model/model.safetensors"]}
    assert record["settings"]["loss"] == "regulators" and record["training"]["step"] == 2
    [link] = [link for link in record["inputs"] if link["role"] == "regulator 1"]
    assert "/entropy-0.01/" in link["place"]


def test_rcl_is_trained_on_the_whole_bank_with_regulators_that_know_the_whole_bank(
    finished: Project,
):
    whole = finished.folder / "results/models/stackfaq-all/tiny"
    record = read_sealed(whole / "rcl-2/seed-1/record.json")
    embeddings = "embeddings/stackfaq-all/tiny/entropy-0.01/seed-1/record.json"
    assert any(link["place"].endswith(embeddings) for link in record["inputs"])
    initial = read_sealed(whole / "initial/seed-1/record.json")
    assert initial["stage"] == "train_final"
    entropy = read_sealed(whole / "entropy-0.01/seed-1/record.json")
    assert input_digests(entropy)["base"] == outputs_digest(initial)
