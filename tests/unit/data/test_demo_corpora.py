"""The demo corpora are those of their manifest, and hold what readers can stumble over.

That their counts are those of the manifest is checked by every stage that prepares them.
"""

import csv
from pathlib import Path

import pytest
import yaml

from semblance.data.raw import Raw
from semblance.fetch.manifest import load_manifest

DEMO = Path(__file__).resolve().parents[3] / "demo"
DATA = DEMO / "data"
MANIFEST = yaml.safe_load((DEMO / "manifest.yaml").read_text(encoding="utf-8"))["datasets"]


def lines(path: str) -> list[str]:
    """Return the lines of a file of the demo."""
    return (DATA / path).read_bytes().decode("utf-8").splitlines()


def rows(path: str) -> list[dict[str, str]]:
    """Return the rows of a CSV file of the demo."""
    with open(DATA / path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_manifest_has_the_digest_of_every_file_but_the_users_own():
    raw = Raw(load_manifest(DEMO / "manifest.yaml"), DATA)
    listed = [path for name in MANIFEST for path in raw.files(name)]  # compares the digests
    assert len(listed) == len(set(listed))
    own = {DATA / "faq/own/library.csv", DATA / "faq/own/library.jsonl"}
    assert {path for path in DATA.rglob("*") if path.is_file()} == {*listed, *own}


def test_only_2015_and_2016_have_blank_gold_lines():
    golds = [row["path"] for entry in MANIFEST.values() for row in entry["files"]]
    blank = {path.split("/")[1] for path in golds if ".gs." in path and "" in lines(path)}
    assert blank == {"STS15-en-test", "STS16-en-test"}


@pytest.mark.parametrize(
    "path", ["nli/nli_for_simcse.csv", "faq/cough/FAQ_Bank_eval.csv", "faq/own/library.csv"]
)
def test_words_that_look_like_missing_values_stand_as_whole_cells(path):
    cells = {cell for row in rows(path) for cell in row.values()}
    assert cells & {"null", "NA", "n/a"}


def test_premises_repeat_as_in_the_original_file():
    premises = [row["sent0"] for row in rows("nli/nli_for_simcse.csv")]
    assert 0.3 * len(premises) < len(set(premises)) < 0.7 * len(premises)


def test_benchmark_rows_have_seven_or_nine_columns():
    paths = [f"stsb/sts-{part}.csv" for part in ("train", "dev", "test")]
    assert {len(line.split("\t")) for path in paths for line in lines(path)} == {7, 9}


def test_the_ids_of_coughs_queries_have_gaps():
    ids = [int(row["index"]) for row in rows("faq/cough/User_Query_Bank.csv")]
    assert max(ids) >= len(ids)
