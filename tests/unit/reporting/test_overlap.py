"""The lexical overlap of sources of pairs: read from their corpora, and set beside the paper's."""

from pathlib import Path

import pytest

from semblance.errors import InputError
from semblance.fetch.manifest import load_manifest
from semblance.provenance import ROOT, write_json, write_record
from semblance.reporting.overlap import overlap_csv, read_overlaps
from semblance.reporting.published import read_published
from tests.shipped import changed, merged
from tests.unit.reporting.example_scores import csv_lines
from workflow.planning.config import load
from workflow.planning.plan import Plan
from workflow.planning.stand_ins import StandIns

PUBLISHED = read_published(ROOT / "workflow/published.yaml")


def corpus(folder: Path, value: object) -> str:
    """Write a corpus of pairs with this overlap; return its record."""
    write_json(folder / "overlap.json", value)
    write_record(folder / "record.json", "prepare_pairs", outputs=["overlap.json"], started=0.0)
    return str(folder / "record.json")


def test_each_corpus_stands_beside_the_papers_number_if_it_has_one(tmp_path):
    records = [
        corpus(tmp_path / "qqp", {"pairs": 5, "overlap": 61.25}),
        corpus(tmp_path / "mine", {"pairs": 7, "overlap": 0.1 + 0.2}),
    ]
    text = overlap_csv(read_overlaps(records), {"qqp": "simcse/text/QQP"}, PUBLISHED)
    first, second = csv_lines(text)
    expected = {"corpus": "qqp", "pairs": "5", "overlap": "61.25"}
    assert first == expected | {"paper_row": "simcse/text/QQP", "paper": "60.0"}
    assert (second["paper_row"], second["paper"]) == ("", "")
    assert float(second["overlap"]) == 0.1 + 0.2  # unrounded


@pytest.mark.parametrize("value", [{}, {"pairs": 5}, {"pairs": "5", "overlap": 1.0}, []])
def test_a_file_without_the_numbers_is_refused(tmp_path, value):
    with pytest.raises(InputError, match="overlap.json"):
        read_overlaps([corpus(tmp_path, value)])


def test_a_damaged_file_is_refused_and_so_is_a_record_that_lists_none(tmp_path):
    record = corpus(tmp_path, {"pairs": 5, "overlap": 61.25})
    (tmp_path / "overlap.json").write_text('{"pairs": 5, "overlap": 60.0}')
    with pytest.raises(InputError, match="overlap.json"):
        read_overlaps([record])
    (tmp_path / "rows.arrow").write_text("rows")
    write_record(tmp_path / "record.json", "prepare_nli", outputs=["rows.arrow"], started=0.0)
    with pytest.raises(InputError, match="record.json"):
        read_overlaps([record])


OF_THE_PAPER = {"qqp": "simcse/text/QQP", "nli-entailment": "simcse/text/SNLI+MNLI entailment"}
OTHERS = "corpora.qqp.labels = [different]; corpora.nli-entailment.limit = 1000"


@pytest.mark.parametrize("changes, rows", [("", OF_THE_PAPER), (OTHERS, {})])
def test_the_shipped_corpora_have_the_papers_numbers_while_they_have_its_pairs(changes, rows):
    plan = Plan(load(changed(merged("config.yaml"), changes)))
    manifest = load_manifest(ROOT / "workflow/manifest.yaml")
    assert StandIns(plan, manifest, PUBLISHED).overlap_rows() == rows
