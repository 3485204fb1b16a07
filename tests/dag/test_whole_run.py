"""One whole tiny run: every table stands, each cell is recomputed by an independent script, bad input stops."""

import json
import subprocess
import sys

import pandas as pd
import pytest

from tests.dag.tiny import CONFIG, ROOT, Project

pytestmark = pytest.mark.dag


def test_the_output_folder_says_what_lies_where(finished: Project):
    text = (finished.folder / "results/README.md").read_text()
    for folder in ("models", "scores", "tables", "dev"):
        assert f"{folder}/" in text


def test_every_table_stands_in_three_forms(finished: Project):
    tables = [name for name, table in CONFIG["tables"].items() if table]
    for name in tables:
        for form in ("csv", "md", "tex"):
            assert (finished.folder / f"results/tables/{name}.{form}").stat().st_size > 0
    assert "verdict" in (finished.folder / "results/tables/published.md").read_text().lower()


def test_a_run_on_one_machine_with_one_code_is_not_called_mixed(finished: Project):
    """Trained and untrained models, with and without regulators, stand side by side in these tables."""
    tables = list((finished.folder / "results/tables").glob("*.md"))
    assert len(tables) > 5 and [t.name for t in tables if "Mixed" in t.read_text()] == []


def test_each_cell_is_recomputed_from_per_item_predictions(finished: Project):
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests/recompute.py"), str(finished.folder / "results")],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_changed_prediction_is_found_by_the_recomputation(finished: Project, tmp_path):
    import shutil

    copy = tmp_path / "results"
    for part in ("tables", "scores"):
        shutil.copytree(finished.folder / "results" / part, copy / part)
    path = next(copy.glob("scores/sts/nli/tiny/attention-dropout-0.1/seed-1/predictions.parquet"))
    frame = pd.read_parquet(path)
    frame.loc[frame["task"] == "sickr", "similarity"] *= -1
    frame.to_parquet(path)
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests/recompute.py"), str(copy)],
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0


def test_a_flipped_bit_in_predictions_stops_the_table_and_its_cure_heals_it(finished: Project):
    folder = finished.folder / "results/scores/sts/nli/tiny/rcl-2/seed-1"
    predictions, before = (
        folder / "predictions.parquet",
        (folder / "predictions.parquet").read_bytes(),
    )
    predictions.write_bytes(before[:99] + bytes([before[99] ^ 1]) + before[100:])
    (finished.folder / "results/tables/rcl_table4.csv").unlink()
    printed = finished.snakemake("--cores", "1", check=False)
    cure = str((folder / "record.json").relative_to(finished.folder))
    assert (
        "predictions.parquet: damaged: expected sha256" in printed
        and f"delete {cure} and run again" in printed
    )
    (finished.folder / cure).unlink()
    finished.snakemake("--cores", "2")
    assert predictions.read_bytes() == before and finished.planned() == {}


def test_verify_finds_nothing_wrong_from_the_command_line(finished: Project):
    done = subprocess.run(
        [sys.executable, "-m", "semblance", "verify", "results"],
        cwd=finished.folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 problems" in done.stdout and "note:" not in done.stdout
    cells = next(
        line.split() for line in done.stdout.splitlines() if line.startswith("table cells")
    )
    # five tables with, by hand, 2 x 8, 4 x 4, 2 x 1, 2 x 8 (or 2 x 1) and 2 x 3 cells at least, each as JSON and as CSV
    assert int(cells[cells.index("of") + 1].replace(",", "")) > 2 * (16 + 16 + 2 + 2 + 6)


def test_scores_name_their_weights_data_and_code(finished: Project):
    scores = pd.read_csv(finished.folder / "results/tables/scores.csv", keep_default_na=False)
    record = json.loads(
        (finished.folder / "results/models/nli/tiny/rcl-2/seed-1/record.json").read_text()
    )
    rows = scores[(scores["method"] == "rcl-2") & (scores["corpus"] == "nli")]
    assert set(rows["weights"]) == {record["outputs"]["model/model.safetensors"]}
    assert record["settings"]["loss"] == "regulators" and record["training"]["step"] == 2
    assert any("entropy-0.01" in name for name in record["inputs"])


def test_the_trained_model_loads_with_sentence_transformers(finished: Project):
    from sentence_transformers import SentenceTransformer

    from semblance.data.tokens import tokenise
    from semblance.models import folder as model_folder

    folder = finished.folder / "results/models/nli/tiny/rcl-2/seed-1/model"
    texts = ["a short one", "and a rather longer sentence, with a comma in it"]
    theirs = SentenceTransformer(str(folder), device="cpu").encode(texts)
    ours = model_folder.load(folder).eval().encode(tokenise(folder / "tokenizer.json", texts), 64)
    assert abs(theirs - ours).max() < 1e-6


def test_one_flipped_bit_in_a_model_stops_its_readers_and_names_the_cure(
    finished: Project, tmp_path
):
    # A copy: Snakemake deletes the scores of a failed evaluation, and makes them again only if a
    # table is older than they or is missing.
    project = finished.copy(tmp_path / "copy")
    weights = project.folder / "results/models/nli/tiny/rcl-2/seed-1/model/model.safetensors"
    damaged = bytearray(weights.read_bytes())
    damaged[-5] ^= 1
    weights.write_bytes(bytes(damaged))
    scores = "results/scores/sts/nli/tiny/rcl-2/seed-1/scores.csv"
    (project.folder / scores).unlink()
    printed = project.snakemake("--cores", "1", scores, check=False)
    assert "damaged: expected sha256" in printed and "delete" in printed
    assert "Traceback" not in printed and not (project.folder / scores).exists()
