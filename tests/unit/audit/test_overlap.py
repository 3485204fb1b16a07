"""The table of lexical overlaps in a finished folder: its chain leads to the raw data."""

from semblance.audit.verify import verify
from semblance.provenance import ROOT
from tests.scripts.flags import flags
from workflow.scripts import compare_overlap, download, prepare_pairs

MANIFEST = ROOT / "demo/manifest.yaml"
PUBLISHED = ROOT / "workflow/published.yaml"
QQP = {"kind": "pairs", "format": "qqp", "datasets": ["qqp"], "labels": ["duplicate"]}


def test_an_untouched_overlap_holds_and_a_changed_one_is_found(tmp_path, monkeypatch):
    """A results folder of the demo's questions and of their overlap alone."""
    monkeypatch.chdir(tmp_path)
    data, tables = "resources/data", "results/tables"
    places = {"destination": data, "record": f"{data}/records/qqp.json"}
    download.main(flags(manifest=MANIFEST, dataset="qqp", mirror=ROOT / "demo/data", **places))
    corpus = "results/corpora/qqp/record.json"
    prepare_pairs.main(flags(settings=QQP, manifest=MANIFEST, data=data, output=corpus))
    printed = {"rows": {"qqp": "simcse/text/QQP"}, "published": PUBLISHED}
    table = {"csv": f"{tables}/simcse_overlap.csv"}
    table["record"] = f"{tables}/records/simcse_overlap.json"
    compare_overlap.main(flags(corpora=corpus, **printed, **table))

    results = tmp_path / "results"
    assert verify(results, published=PUBLISHED).problems == []
    for name in ("corpora/qqp/overlap.json", "tables/simcse_overlap.csv"):
        text = (results / name).read_text()
        digit = next(character for character in text if character in "123456789")
        (results / name).write_text(text.replace(digit, "0", 1))
        assert str(results / name) in dict(verify(results, published=PUBLISHED).problems)
