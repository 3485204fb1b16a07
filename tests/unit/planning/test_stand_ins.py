"""Which of our rows are comparable with the papers', and in what the others differ."""

import dataclasses

import pytest

from semblance.fetch.manifest import load_manifest
from tests.shipped import changed, merged
from tests.unit.planning.test_config import ROOT
from workflow.planning.config import load
from workflow.planning.plan import Plan
from workflow.planning.stand_ins import StandIns, content_digest
from workflow.planning.table_checks import published

MANIFEST = load_manifest(ROOT / "workflow/manifest.yaml")
SHIPPED = merged("config.yaml")
ROWS = MANIFEST["nli-simcse"].expected["triples"]
SROBERTA = "nli-roberta-base-v2"
# Changes of config.yaml | table, method and base of a row | in what it differs then; in nothing.
DIFFERENCES = f"""
| ssimcse_table1 ssimcse |
tables.rcl_table2a.published.start = rcl/2a/SRoBERTa base | rcl_table2a start \
| method start instead of continued
bases.{SROBERTA}.hub = someone/else | rcl_table3 start | base {SROBERTA} instead of SRoBERTa base
bases.{SROBERTA}.hub = someone/else | rcl_table3 rcl-8 | base {SROBERTA} instead of SRoBERTa base
bases.{SROBERTA}.revision = {"f" * 40} | rcl_table3 start | base {SROBERTA} instead of SRoBERTa base
bases.{SROBERTA}.revision = {"f" * 40} | rcl_table3 rcl-8 | base {SROBERTA} instead of SRoBERTa base
bases.{SROBERTA}.layers = 3 | rcl_table3 start | base {SROBERTA} instead of SRoBERTa base
bases.{SROBERTA}.layers = 3 | rcl_table3 rcl-8 | base {SROBERTA} instead of SRoBERTa base
bases.{SROBERTA}.pooling = cls | rcl_table3 start | pooling cls instead of mean
bases.{SROBERTA}.pooling = cls | rcl_table3 rcl-8 | pooling cls instead of mean
bases.{SROBERTA}.max_length = 64 | rcl_table3 start | max_length 64 instead of 75
bases.{SROBERTA}.max_length = 64 | rcl_table3 rcl-8 | max_length 64 instead of 75
corpora.nli.datasets = [nli-sample] | rcl_table3 start |
corpora.nli.datasets = [nli-sample] | rcl_table3 rcl-8 | data nli-sample instead of nli-simcse
sts.dev = sick | rcl_table3 start |
sts.dev = sick | rcl_table3 rcl-8 | dev data sick instead of stsb
corpora.nli.datasets = [multinli, snli] | rcl_table3 rcl-8 |
corpora.nli.datasets = [multinli, snli] | simcse_table5 simcse-sup bert-base \
| data multinli, snli instead of nli-simcse
corpora.nli.limit = {ROWS} | rcl_table3 rcl-8 |
corpora.nli.limit = {ROWS - 1} | rcl_table3 rcl-8 | {ROWS - 1:,} of {ROWS:,} triples
faq.banks.faqir = {{kind: stackfaq, dataset: stackfaq}} | rcl_table2a rcl-8 \
| data stackfaq instead of faqir
faq.folds = 4 | rcl_table2a rcl-8 | 4 folds instead of 5
training.max_steps = 100 | rcl_table3 rcl-8 | max_steps 100 instead of none
recipes.rcl.batch_size = 32 | rcl_table3 rcl-8 | batch_size 32 instead of 64
recipes.rcl.epochs = 2 | rcl_table3 rcl-8 | epochs 2 instead of 1
recipes.rcl.hard_negatives = false | rcl_table3 rcl-8 | hard_negatives false instead of true
recipes.rcl.hard_negatives = true | rcl_table3 rcl-8 |
recipes.rcl.learning_rate = 1.0e-5 | rcl_table3 rcl-8 |
methods.rcl-8.regulators.phis = [0.01, 0.02] | rcl_table3 rcl-8 \
| regulators of φ 0.01, 0.02 instead of 0.01, 0.02, 0.03, 0.04
methods.rcl-8.regulators.phis = [0.04, 0.03, 0.02, 0.01] | rcl_table3 rcl-8 |
methods.rcl-8.regulators.kind = entropy-sum | rcl_table3 rcl-8 |
train_entropy.kinds.entropy.batch_size = 32 | rcl_table3 rcl-8 \
| entropy models: batch_size 32 instead of 64
tables.rcl_table1a.published = {{attention-dropout-0.2: rcl/1a/Attention dropout (p=0.1)}} \
| rcl_table1a attention-dropout-0.2 | dropout.attention 0.2 instead of 0.1
methods.ssimcse.dropout.sampled.granularity = row | ssimcse_table1 ssimcse \
| dropout.sampled.granularity row instead of view or pass
transfer.datasets = [mr, trec] | simcse_tableE1 start bert-base \
| tests mr, trec instead of mr, cr, subj, mpqa, sst2, trec, mrpc
transfer.datasets = [mr, trec] | simcse_tableE1 simcse bert-base \
| tests mr, trec instead of mr, cr, subj, mpqa, sst2, trec, mrpc
transfer.datasets = [mr, trec] | simcse_tableE1 simcse-sup bert-base \
| tests mr, trec instead of mr, cr, subj, mpqa, sst2, trec, mrpc
transfer.datasets = [mr, trec] | simcse_table5 simcse bert-base |
sts.datasets = [stsb] | simcse_tableE1 simcse bert-base |
corpora.nli-neutral.labels = [entailment, neutral]; \
tables.simcse_table4.rows[1].corpora = [nli-neutral] | simcse_table4 simcse-sup-no-negatives \
| pairs labelled entailment, neutral instead of neutral
corpora.nli.limit = 1000 | simcse_tableC1 whitening-target |
corpora.nli.limit = 1000 | simcse_tableC1 whitening | 1,000 of {ROWS:,} triples
tables.simcse_tableC1.published.whitening = simcse/C1/BERT-base-flow (NLI) \
| simcse_tableC1 whitening | flow none instead of true
"""
MASKED = """
| TABLE simcse-sup bert-base |
| TABLE simcse-sup-mlm-0.01 bert-base |
| TABLE simcse-sup-mlm-0.1 bert-base |
| TABLE simcse-sup-mlm-1 bert-base |
methods.simcse-sup-mlm-1.masked_words.weight = 0.5 | TABLE simcse-sup-mlm-1 bert-base \
| masked_words.weight 0.5 instead of 1.0
methods.simcse-sup-mlm-1.masked_words.share = 0.3 | TABLE simcse-sup-mlm-1 bert-base \
| masked_words.share 0.3 instead of 0.15
methods.simcse-sup-mlm-1.masked_words = null | TABLE simcse-sup-mlm-1 bert-base \
| masked_words.weight none instead of 1.0
"""
for _table in ("simcse_tableD2", "simcse_tableD2_transfer"):
    DIFFERENCES += MASKED.replace("TABLE", _table)
CASES = [
    [part.strip() for part in line.split("|")]
    for line in DIFFERENCES.replace("\\\n", "").splitlines()
    if line
]


@pytest.fixture(autouse=True)
def _equal_rows(monkeypatch):
    """Let a test make one method another one's twin, which a table of a real config may not have."""
    monkeypatch.setattr("workflow.planning.config.check_equal_rows", lambda config: None)


def differences(config: dict, table: str, method: str, base: str = "", datasets=MANIFEST) -> list:
    """Return in what the first row of a method (on a base) differs from the paper's row."""
    plan = Plan(load(config))
    stand_ins = StandIns(plan, datasets, published())
    spec = stand_ins.marked(plan.table_spec(table))
    rows = [row for row in spec["rows"] if row["method"] == method]
    row = next(row for row in rows if base in ("", row["base"]))
    return row.get("stand_in", [])


@pytest.mark.parametrize("changes, row, expected", CASES)
def test_a_row_differs_from_the_papers_in_what_was_changed_and_in_nothing_else(
    changes, row, expected
):
    found = differences(changed(SHIPPED, changes), *row.split())
    assert found == ([expected] if expected else [])


def test_each_printed_row_says_what_it_was_made_from():
    assert {entry.name for entry in published().entries} == set(published().sources)


# Data of the papers that the manifest does not have. A data set that it gets must leave this list,
# and its digest must go into `used.datasets`.
NOT_IN_THE_MANIFEST = {"flickr30k", "paranmt", "wiki-consecutive"}


def test_the_papers_data_are_those_of_the_manifest():
    used = published().used
    named = {name for choice in used.corpora.values() for names in choice for name in names}
    named |= {name for names in used.tests.values() for name in names}
    assert named - set(MANIFEST) == NOT_IN_THE_MANIFEST
    held = named & set(MANIFEST)
    assert set(used.datasets) == held
    digests = {name: content_digest(MANIFEST[name]) for name in sorted(held)}
    lines = [f"    {n}: {digest}" for n, digest in digests.items() if digest != used.datasets[n]]
    assert not lines, "\n".join(["`used.datasets` in workflow/published.yaml:", *lines])


def test_no_row_of_the_shipped_config_is_a_stand_in():
    plan = Plan(load(SHIPPED))
    stand_ins = StandIns(plan, MANIFEST, published())
    compared = 0
    for table in plan.config.tables:
        for row in plan.table_spec(table)["rows"]:
            assert stand_ins.differences(row) == [], (table, row["label"])
            compared += "published" in row
    assert compared > 20


@pytest.mark.parametrize("config", ["configs/minilm.yaml", "demo/config.yaml"])
def test_every_row_of_a_run_on_other_models_is_a_stand_in(config):
    plan = Plan(load(merged("config.yaml", config)))
    stand_ins = StandIns(plan, load_manifest(ROOT / plan.config.manifest), published())
    rows = [row for table in plan.config.tables for row in plan.table_spec(table)["rows"]]
    counterparts = [row for row in rows if "published" in row]
    assert counterparts
    for row in counterparts:
        assert any(f"base {row['base']} instead of" in part for part in stand_ins.differences(row))


def test_the_note_of_a_small_run_names_base_and_rows():
    config = merged("config.yaml", "configs/minilm.yaml")
    assert differences(config, "rcl_table1a", "continued") == []  # a row without a counterpart
    config["corpora"]["nli"] = {"kind": "nli", "datasets": ["nli-simcse"], "limit": 8000}
    found = differences(config, "rcl_table1a", "attention-dropout-0.1")
    assert found[:2] == ["base minilm instead of SRoBERTa base", f"8,000 of {ROWS:,} triples"]


def test_a_longer_form_of_the_same_revision_is_the_same_base():
    config = merged("config.yaml")
    base = config["bases"][SROBERTA]
    base["revision"] += "0" * (40 - len(base["revision"]))
    assert differences(config, "rcl_table3", "rcl-8") == []


def copied_by_hand() -> dict:
    """Return the shipped config with BERT-base in a folder: no address says what it is."""
    config = merged("config.yaml")
    base = config["bases"]["bert-base"]
    del base["hub"], base["revision"]
    base["folder"] = "copied/by/hand"
    return config


def test_the_digest_of_the_weights_decides_where_both_are_known():
    config = copied_by_hand()
    assert differences(config, "ssimcse_table1", "simcse", "bert-base") == []
    base = config["bases"]["bert-base"]
    base["weights_sha256"] = base["weights_sha256"][::-1]
    reason = ["base bert-base instead of BERT-base"]
    assert differences(config, "ssimcse_table1", "simcse", "bert-base") == reason


def test_no_base_is_a_model_of_which_the_paper_says_nothing():
    config = copied_by_hand()
    config["tables"]["simcse_table5"]["published"]["bert-base/start"] = "simcse/5/IS-BERT-base"
    reason = ["base bert-base instead of IS-BERT-base"]
    assert differences(config, "simcse_table5", "start", "bert-base") == reason


@pytest.mark.parametrize(
    "limit, reason",
    [
        (None, ["all rows instead of 134,000"]),
        (134000, []),
        (8000, ["8,000 rows instead of 134,000"]),
    ],
)
def test_a_row_of_a_subsample_has_as_many_rows_as_the_papers(limit, reason):
    config = merged("config.yaml")
    config["corpora"]["nli"] = {"kind": "nli", "datasets": ["snli", "multinli"], "limit": limit}
    theirs = "simcse/4/SNLI+MNLI entailment (314k), sample"
    config["tables"]["simcse_table5"]["published"]["bert-base/simcse-sup"] = theirs
    negatives = ["hard_negatives none instead of false"]
    found = differences(config, "simcse_table5", "simcse-sup", "bert-base")
    assert found == reason + negatives


@pytest.mark.parametrize(
    "name, table, method",
    [
        ("nli-simcse", "rcl_table3", "rcl-8"),
        ("sts14", "rcl_table3", "start"),
        ("cough", "rcl_table2b", "rcl-8"),
    ],
)
def test_a_file_with_another_checksum_makes_a_stand_in(name, table, method):
    first, *others = MANIFEST[name].files
    altered = dataclasses.replace(first, sha256="0" * 64)
    dataset = dataclasses.replace(MANIFEST[name], files=(altered, *others))
    found = differences(SHIPPED, table, method, datasets=MANIFEST | {name: dataset})
    assert found == [f"other contents of {name}"]


def test_a_whitening_on_other_tests_is_a_stand_in():
    config = changed(SHIPPED, "sts.datasets = [sts12, stsb]")
    for method, words in (("whitening", ["tests"]), ("whitening-target", ["tests", "data"])):
        found = differences(config, "simcse_tableC1", method)
        for word in words:
            assert any(f"{word} sts12, stsb instead" in difference for difference in found)
    theirs = "simcse/C1/BERT-base-whitening (target)"
    config = changed(SHIPPED, f"tables.simcse_tableC1.published.whitening = {theirs}")
    assert "whitening true instead of target" in differences(config, "simcse_tableC1", "whitening")
