"""The table of lexical overlaps in a finished folder: its chain leads to the raw data."""

import json
from pathlib import Path

import pytest

from semblance.audit.verify import verify
from workflow.scripts import compare_overlap, download, prepare_pairs

ROOT = Path(__file__).resolve().parents[3]
MANIFEST = str(ROOT / "demo/manifest.yaml")
PUBLISHED = ROOT / "workflow/published.yaml"
QQP = {"kind": "pairs", "format": "qqp", "datasets": ["qqp"], "labels": ["duplicate"]}


@pytest.fixture
def results(tmp_path, monkeypatch) -> Path:
    """A results folder of the demo's questions and of their overlap alone."""
    monkeypatch.chdir(tmp_path)
    data = "resources/data"
    places = ["--destination", data, "--record", f"{data}/records/qqp.json"]
    mirror = ["--mirror", str(ROOT / "demo/data")]
    download.main(["--manifest", MANIFEST, "--dataset", "qqp", *places, *mirror])
    corpus = "results/corpora/qqp/record.json"
    raw = ["--manifest", MANIFEST, "--data", data]
    prepare_pairs.main(["--settings", json.dumps(QQP), *raw, "--output", corpus])
    table = ["--csv", "results/tables/simcse_overlap.csv"]
    record = ["--record", "results/tables/records/simcse_overlap.json"]
    printed = ["--rows", '{"qqp": "simcse/text/QQP"}', "--published", str(PUBLISHED)]
    compare_overlap.main(["--corpora", corpus, *printed, *table, *record])
    return tmp_path / "results"


def problems(results: Path) -> list[str]:
    """Return the files that an audit finds wrong."""
    found = verify(results, None, PUBLISHED, bootstrap=False)
    return [problem.path for problem in found.failures]


def test_an_untouched_overlap_holds(results):
    assert problems(results) == []


@pytest.mark.parametrize("name", ["corpora/qqp/overlap.json", "tables/simcse_overlap.csv"])
def test_a_changed_overlap_is_found(results, name):
    path = results / name
    text = path.read_text()
    digit = next(character for character in text if character in "123456789")
    path.write_text(text.replace(digit, "0", 1))
    assert str(path) in problems(results)
