"""Which of our rows are comparable with the papers', and in what the others differ."""

import dataclasses

import pytest

from semblance.fetch.manifest import load_manifest
from semblance.provenance import ROOT
from tests.shipped import changed, merged
from workflow.checks.load import load
from workflow.planning.plan import Plan
from workflow.planning.stand_ins import REFERENCE, marked, reference_text
from workflow.scripts.fill_docs import shipped_configs

MANIFEST = load_manifest(ROOT / "workflow/manifest.yaml")
SHIPPED = merged("config.yaml")
SROBERTA = "nli-roberta-base-v2"
# Changes of config.yaml | table, method and base of a row | in what it differs then; in nothing.
DIFFERENCES = f"""
| ssimcse_table1 ssimcse |
tables.rcl_table2a.published.start = rcl/2a/SRoBERTa base | rcl_table2a start \
| method start instead of a training
bases.{SROBERTA}.hub = someone/else | rcl_table3 start | base {SROBERTA} instead of SRoBERTa base
bases.{SROBERTA}.hub = someone/else | rcl_table3 rcl-8 | base {SROBERTA} instead of SRoBERTa base
bases.{SROBERTA}.revision = {"f" * 40} | rcl_table3 rcl-8 | base {SROBERTA} instead of SRoBERTa base
bases.{SROBERTA}.revision = {SHIPPED["bases"][SROBERTA]["revision"].ljust(40, "0")} \
| rcl_table3 rcl-8 |
bases.{SROBERTA}.layers = 3 | rcl_table3 rcl-8 | layers 3 instead of none
bases.{SROBERTA}.pooling = cls | rcl_table3 start | pooling cls instead of mean
bases.{SROBERTA}.max_length = 64 | rcl_table3 rcl-8 | max_length 64 instead of 75
corpora.nli.datasets = [nli-sample] | rcl_table3 start |
corpora.nli.datasets = [nli-sample] | rcl_table3 rcl-8 | data nli-sample instead of nli-simcse
sts.dev = sick | rcl_table3 start |
sts.dev = sick | rcl_table3 rcl-8 | dev data sick instead of stsb
corpora.nli.datasets = [multinli, snli] | rcl_table3 rcl-8 \
| data multinli, snli instead of nli-simcse
corpora.nli.datasets = [multinli, snli] | simcse_table5 simcse-sup bert-base \
| data multinli, snli instead of nli-simcse
corpora.nli.limit = 1000 | rcl_table1a continued |
corpora.nli.limit = 1000 | rcl_table3 rcl-8 | limit 1000 instead of none
faq.banks.faqir = {{kind: stackfaq, dataset: stackfaq}} | rcl_table2a rcl-8 \
| data stackfaq instead of faqir
faq.folds = 4 | rcl_table2a rcl-8 | folds 4 instead of 5
training.max_steps = 100 | rcl_table3 rcl-8 \
| max_steps 100 instead of none; regulators.max_steps 100 instead of none
recipes.rcl.batch_size = 32 | rcl_table3 rcl-8 \
| batch_size 32 instead of 64; regulators.batch_size 32 instead of 64
recipes.rcl.hard_negatives = false | rcl_table3 rcl-8 \
| hard_negatives false instead of none; regulators.hard_negatives false instead of none
recipes.rcl.learning_rate = 1.0e-5 | rcl_table3 rcl-8 \
| learning_rate 1e-05 instead of 2e-05; regulators.learning_rate 1e-05 instead of 2e-05
training.precision = bf16 | rcl_table3 rcl-8 |
methods.rcl-8.regulators.phis = [0.01, 0.02] | rcl_table3 rcl-8 \
| regulators.models entropy-0.01, entropy-0.02 \
instead of entropy-0.01, entropy-0.02, entropy-0.03, entropy-0.04
methods.rcl-8.regulators.phis = [0.04, 0.03, 0.02, 0.01] | rcl_table3 rcl-8 |
methods.rcl-8.regulators.kind = entropy-sum | rcl_table3 rcl-8 |
train_entropy.kinds.entropy.batch_size = 32 | rcl_table3 rcl-8 \
| regulators.batch_size 32 instead of 64
tables.rcl_table1a.published = {{attention-dropout-0.2: rcl/1a/Attention dropout (p=0.1)}} \
| rcl_table1a attention-dropout-0.2 | dropout.attention 0.2 instead of 0.1
methods.ssimcse.dropout.sampled.granularity = row | ssimcse_table1 ssimcse \
| dropout.sampled.granularity row instead of view
transfer.datasets = [mr, trec] | simcse_tableE1 start bert-base \
| tests mr, trec instead of mr, cr, subj, mpqa, sst2, trec, mrpc
transfer.datasets = [mr, trec] | simcse_tableE1 simcse bert-base \
| tests mr, trec instead of mr, cr, subj, mpqa, sst2, trec, mrpc
transfer.datasets = [mr, trec] | simcse_table5 simcse bert-base |
sts.datasets = [stsb] | simcse_tableE1 simcse bert-base |
corpora.nli-neutral.labels = [entailment, neutral]; \
tables.simcse_table4.rows[1].corpora = [nli-neutral] | simcse_table4 simcse-sup-no-negatives \
| labels entailment, neutral instead of neutral
corpora.nli.limit = 1000 | simcse_tableC1 whitening-target |
corpora.nli.limit = 1000 | simcse_tableC1 whitening | limit 1000 instead of none
tables.simcse_tableC1.published.whitening = simcse/C1/BERT-base-flow (NLI) \
| simcse_tableC1 whitening | the shipped config has no row beside it
sts.datasets = [sts12, stsb] | simcse_tableC1 whitening \
| tests sts12, stsb instead of sts12, sts13, sts14, sts15, sts16, stsb, sick
sts.datasets = [sts12, stsb] | simcse_tableC1 whitening-target \
| tests sts12, stsb instead of sts12, sts13, sts14, sts15, sts16, stsb, sick
tables.simcse_tableC1.published.whitening = simcse/C1/BERT-base-whitening (target) \
| simcse_tableC1 whitening | data nli-simcse instead of none; whitening true instead of target
tables.rcl_table3.tasks = [stsb, sickr] | rcl_table3 rcl-8 \
| tasks stsb, sickr instead of sts12, sts13, sts14, sts15, sts16, stsb, sickr
evaluate_faq.max_length = 32 | rcl_table2a rcl-8 | test max_length 32 instead of 256
evaluate_faq.max_length = 32 | rcl_table3 rcl-8 |
evaluate_transfer.folds = 5 | simcse_tableE1 simcse bert-base | test folds 5 instead of 10
faq.folds = 4; faq.banks.faqir.hold_out = entries | rcl_table3 rcl-8 |
faq.banks.faqir.together = answer | rcl_table2a rcl-8 | together answer instead of none
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
    monkeypatch.setattr("workflow.checks.load.check_equal_rows", lambda config: None)


def differences(config: dict, table: str, method: str, base: str = "", datasets=MANIFEST) -> list:
    """Return in what the first row of a method (on a base) differs from the paper's row."""
    plan = Plan(load(config))
    spec = marked(plan, datasets, plan.table_spec(table))
    rows = [row for row in spec["rows"] if row["method"] == method]
    row = next(row for row in rows if base in ("", row["base"]))
    return row.get("stand_in", [])


@pytest.mark.parametrize("changes, row, expected", CASES)
def test_a_row_differs_from_the_papers_in_what_was_changed_and_in_nothing_else(
    changes, row, expected
):
    found = differences(changed(SHIPPED, changes), *row.split())
    assert found == (expected.split("; ") if expected else [])


def test_the_reference_is_what_the_shipped_config_says():
    assert REFERENCE.read_text(encoding="utf-8") == reference_text(shipped_configs()), (
        "run `make docs`"
    )


def test_no_row_of_the_shipped_config_is_a_stand_in():
    plan = Plan(load(SHIPPED))
    specs = [marked(plan, MANIFEST, plan.table_spec(table)) for table in plan.config.tables]
    rows = [row for spec in specs for row in spec["rows"]]
    assert sum("published" in row for row in rows) > 100
    assert [row for row in rows if "stand_in" in row] == []


def test_one_line_puts_an_encoder_in_place_of_the_papers_in_all_rows_and_marks_them():
    instead = {SROBERTA: "all-minilm", "faqir": "cough"}
    plan = Plan(load(SHIPPED | {"instead": instead}))
    theirs = Plan(load(SHIPPED))
    for name in plan.config.tables:
        ours = marked(plan, MANIFEST, plan.table_spec(name))["rows"]
        for row, before in zip(ours, theirs.table_spec(name)["rows"], strict=True):
            assert row["base"] == instead.get(before["base"], before["base"])
            assert row["corpus"] == instead.get(before["corpus"], before["corpus"])
            assert row.get("published") == before.get("published")
            if "published" in row and before["base"] == SROBERTA:
                assert "base all-minilm instead of SRoBERTa base" in row["stand_in"]


def test_a_printed_row_beside_a_base_of_the_papers_stands_beside_ours_unless_another_does():
    config = SHIPPED | {"instead": {"bert-base": "all-minilm"}}
    assert differences(config, "simcse_table5", "simcse", "all-minilm")
    printed = "tables.simcse_table5.published.all-minilm/simcse = simcse/5/BERT-base first-last"
    (row, *_) = [
        row
        for row in Plan(load(changed(config, printed))).table_spec("simcse_table5")["rows"]
        if (row["base"], row["method"]) == ("all-minilm", "simcse")
    ]
    assert row["published"] == "simcse/5/BERT-base first-last"


@pytest.mark.parametrize("config", ["configs/minilm.yaml", "demo/config.yaml"])
def test_every_row_of_a_run_on_other_models_is_a_stand_in(config):
    plan = Plan(load(merged("config.yaml", config)))
    datasets = load_manifest(ROOT / plan.config.manifest)
    specs = [marked(plan, datasets, plan.table_spec(table)) for table in plan.config.tables]
    counterparts = [row for spec in specs for row in spec["rows"] if "published" in row]
    assert counterparts
    for row in counterparts:
        assert any(f"base {row['base']} instead of" in part for part in row["stand_in"])


def test_the_digest_of_the_weights_decides_where_both_are_known():
    config = merged("config.yaml")
    base = config["bases"]["bert-base"]
    del base["hub"], base["revision"]
    base["folder"] = "copied/by/hand"  # no address says what it is
    assert differences(config, "ssimcse_table1", "simcse", "bert-base") == []
    base["weights_sha256"] = base["weights_sha256"][::-1]
    reason = ["base bert-base instead of BERT-base"]
    assert differences(config, "ssimcse_table1", "simcse", "bert-base") == reason


@pytest.mark.parametrize(
    "limit, reason",
    [
        (None, ["limit none instead of 134000"]),
        (134000, []),
        (8000, ["limit 8000 instead of 134000"]),
    ],
)
def test_a_row_of_a_subsample_has_as_many_rows_as_the_papers(limit, reason):
    config = changed(SHIPPED, "tables.simcse_table4.rows[1].corpora = [nli-entailment-134k]")
    corpus = config["corpora"]["nli-entailment-134k"]
    corpus["limit"] = limit
    corpus["sample_seed"] = limit and 0
    assert differences(config, "simcse_table4", "simcse-sup-no-negatives") == reason


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
