"""The table of lexical overlaps in a finished folder: its chain leads to the raw data."""

import json

from semblance.audit.verify import verify
from semblance.provenance import ROOT
from workflow.scripts import compare_overlap, download, prepare_pairs

MANIFEST = str(ROOT / "demo/manifest.yaml")
PUBLISHED = ROOT / "workflow/published.yaml"
QQP = {"kind": "pairs", "format": "qqp", "datasets": ["qqp"], "labels": ["duplicate"]}


def test_an_untouched_overlap_holds_and_a_changed_one_is_found(tmp_path, monkeypatch):
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

    results = tmp_path / "results"
    assert verify(results, published=PUBLISHED).problems == []
    for name in ("corpora/qqp/overlap.json", "tables/simcse_overlap.csv"):
        text = (results / name).read_text()
        digit = next(character for character in text if character in "123456789")
        (results / name).write_text(text.replace(digit, "0", 1))
        assert str(results / name) in dict(verify(results, published=PUBLISHED).problems)
