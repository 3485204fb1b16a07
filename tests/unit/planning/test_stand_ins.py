"""Which of our rows are comparable with the papers', and in what the others differ."""

import dataclasses

import pytest

from semblance.fetch.manifest import load_manifest
from tests.shipped import merged
from tests.unit.planning.test_config import ROOT
from workflow.planning.config import load
from workflow.planning.plan import Plan
from workflow.planning.stand_ins import StandIns, content_digest
from workflow.planning.table_checks import published

MANIFEST = load_manifest(ROOT / "workflow/manifest.yaml")
NLI_ROWS = MANIFEST["nli-simcse"].expected["triples"]


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


def changed(*path, value) -> dict:
    """Return the shipped config with one entry changed."""
    config = merged("config.yaml")
    node = config
    for key in path[:-1]:
        node = node.setdefault(key, {})
    node[path[-1]] = value
    return config


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
    changed = [name for name in held if content_digest(MANIFEST[name]) != used.datasets[name]]
    lines = [f"    {name}: {content_digest(MANIFEST[name])}" for name in sorted(changed)]
    assert not lines, "\n".join(["`used.datasets` in workflow/published.yaml:", *lines])


def test_no_row_of_the_shipped_config_is_a_stand_in():
    plan = Plan(load(merged("config.yaml")))
    stand_ins = StandIns(plan, MANIFEST, published())
    compared = 0
    for table in plan.config.tables:
        for row in plan.table_spec(table)["rows"]:
            assert stand_ins.differences(row) == [], (table, row["label"])
            compared += "published" in row
    assert compared > 20


def test_the_untrained_base_is_a_stand_in_for_the_tuned_row_of_the_faq_tables():
    path = ("tables", "rcl_table2a", "published", "start")
    config = changed(*path, value="rcl/2a/SRoBERTa base")
    assert differences(config, "rcl_table2a", "start") == ["method start instead of continued"]


@pytest.mark.parametrize("config", ["configs/minilm.yaml", "demo/config.yaml"])
def test_every_row_of_a_run_on_other_models_is_a_stand_in(config):
    plan = Plan(load(merged("config.yaml", config)))
    stand_ins = StandIns(plan, load_manifest(ROOT / plan.config.manifest), published())
    rows = [row for table in plan.config.tables for row in plan.table_spec(table)["rows"]]
    counterparts = [row for row in rows if "published" in row]
    assert counterparts
    for row in counterparts:
        assert any(f"base {row['base']} instead of" in part for part in stand_ins.differences(row))


def test_a_row_without_a_counterpart_is_no_stand_in():
    config = merged("config.yaml", "configs/minilm.yaml")
    assert differences(config, "rcl_table1a", "continued") == []


def test_the_note_of_a_small_run_names_base_and_rows():
    config = merged("config.yaml", "configs/minilm.yaml")
    config["corpora"]["nli"] = {"kind": "nli", "datasets": ["nli-simcse"], "limit": 8000}
    found = differences(config, "rcl_table1a", "attention-dropout-0.1")
    assert found[:2] == [
        "base minilm instead of SRoBERTa base",
        f"8,000 of {NLI_ROWS:,} triples",
    ]


@pytest.mark.parametrize(
    "path, value, reason",
    [
        (("hub",), "someone/else", "base nli-roberta-base-v2 instead of SRoBERTa base"),
        (("revision",), "f" * 40, "base nli-roberta-base-v2 instead of SRoBERTa base"),
        (("layers",), 3, "base nli-roberta-base-v2 instead of SRoBERTa base"),
        (("pooling",), "cls", "pooling cls instead of mean"),
        (("max_length",), 64, "max_length 64 instead of 75"),
    ],
)
def test_another_base_is_a_stand_in(path, value, reason):
    config = changed("bases", "nli-roberta-base-v2", *path, value=value)
    for method in ("start", "rcl-8"):
        assert differences(config, "rcl_table3", method) == [reason]


def test_a_longer_form_of_the_same_revision_is_the_same_base():
    base = merged("config.yaml")["bases"]["nli-roberta-base-v2"]
    whole = base["revision"] + "0" * (40 - len(base["revision"]))
    config = changed("bases", "nli-roberta-base-v2", "revision", value=whole)
    assert differences(config, "rcl_table3", "rcl-8") == []


def test_the_digest_of_the_weights_decides_where_both_are_known():
    config = merged("config.yaml")
    pin = config["bases"]["bert-base"]["weights_sha256"]
    del config["bases"]["bert-base"]["hub"], config["bases"]["bert-base"]["revision"]
    config["bases"]["bert-base"]["folder"] = "copied/by/hand"
    assert differences(config, "ssimcse_table1", "simcse", "bert-base") == []
    config["bases"]["bert-base"]["weights_sha256"] = pin[::-1]
    reason = ["base bert-base instead of BERT-base"]
    assert differences(config, "ssimcse_table1", "simcse", "bert-base") == reason


def test_other_data_are_a_stand_in_for_what_was_trained_on_them_alone():
    config = changed("corpora", "nli", "datasets", value=["nli-sample"])
    assert differences(config, "rcl_table3", "start") == []
    assert differences(config, "rcl_table3", "rcl-8") == ["data nli-sample instead of nli-simcse"]


def test_other_dev_data_are_a_stand_in_for_what_they_chose_alone():
    config = changed("sts", "dev", value="sick")
    assert differences(config, "rcl_table3", "start") == []
    assert differences(config, "rcl_table3", "rcl-8") == ["dev data sick instead of stsb"]


def test_either_form_of_the_nli_data_is_rcls_and_only_its_own_file_is_simcses():
    config = changed("corpora", "nli", "datasets", value=["multinli", "snli"])
    assert differences(config, "rcl_table3", "rcl-8") == []
    reason = ["data multinli, snli instead of nli-simcse"]
    assert differences(config, "simcse_table5", "simcse-sup", "bert-base") == reason


def test_a_limit_is_a_stand_in_only_if_it_leaves_rows_out():
    config = changed("corpora", "nli", "limit", value=NLI_ROWS)
    assert differences(config, "rcl_table3", "rcl-8") == []
    config = changed("corpora", "nli", "limit", value=NLI_ROWS - 1)
    reason = [f"{NLI_ROWS - 1:,} of {NLI_ROWS:,} triples"]
    assert differences(config, "rcl_table3", "rcl-8") == reason


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


def test_no_base_is_a_model_of_which_the_paper_says_nothing():
    config = merged("config.yaml")
    base = config["bases"]["bert-base"]
    del base["hub"], base["revision"]
    base["folder"] = "copied/by/hand"
    path = config["tables"]["simcse_table5"]["published"]
    path["bert-base/start"] = "simcse/5/IS-BERT-base"
    reason = ["base bert-base instead of IS-BERT-base"]
    assert differences(config, "simcse_table5", "start", "bert-base") == reason


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
    found = differences(merged("config.yaml"), table, method, datasets=MANIFEST | {name: dataset})
    assert found == [f"other contents of {name}"]


def test_another_bank_or_another_number_of_folds_is_a_stand_in():
    config = changed("faq", "banks", "faqir", value={"kind": "stackfaq", "dataset": "stackfaq"})
    assert differences(config, "rcl_table2a", "rcl-8") == ["data stackfaq instead of faqir"]
    config = changed("faq", "folds", value=4)
    assert differences(config, "rcl_table2a", "rcl-8") == ["4 folds instead of 5"]


@pytest.mark.parametrize(
    "path, value, reasons",
    [
        (("training", "max_steps"), 100, ["max_steps 100 instead of none"]),
        (("recipes", "rcl", "batch_size"), 32, ["batch_size 32 instead of 64"]),
        (("recipes", "rcl", "epochs"), 2, ["epochs 2 instead of 1"]),
        (("recipes", "rcl", "hard_negatives"), False, ["hard_negatives false instead of true"]),
        (("recipes", "rcl", "hard_negatives"), True, []),
        (("recipes", "rcl", "learning_rate"), 1e-5, []),  # the paper states none
        (
            ("methods", "rcl-8", "regulators", "phis"),
            [0.01, 0.02],
            ["regulators of φ 0.01, 0.02 instead of 0.01, 0.02, 0.03, 0.04"],
        ),
        (("methods", "rcl-8", "regulators", "phis"), [0.04, 0.03, 0.02, 0.01], []),
        (
            ("methods", "rcl-8", "regulators", "kind"),
            "entropy-sum",
            ["entropy models: options.reduction sum instead of mean"],
        ),
        (
            ("train_entropy", "kinds", "entropy", "batch_size"),
            32,
            ["entropy models: batch_size 32 instead of 64"],
        ),
    ],
)
def test_a_setting_that_the_paper_states_otherwise_makes_a_stand_in(path, value, reasons):
    assert differences(changed(*path, value=value), "rcl_table3", "rcl-8") == reasons


def test_a_published_row_beside_the_wrong_method_is_found_out():
    published_row = "rcl/1a/Attention dropout (p=0.1)"
    path = ("tables", "rcl_table1a", "published", "attention-dropout-0.2")
    found = differences(changed(*path, value=published_row), "rcl_table1a", path[-1])
    assert found == ["dropout.attention 0.2 instead of 0.1"]


def test_one_rate_for_each_view_or_pass_is_the_papers_and_one_for_both_views_is_not():
    path = ("methods", "ssimcse", "dropout", "sampled", "granularity")
    reason = ["dropout.sampled.granularity row instead of view or pass"]
    found = differences(changed(*path, value="row"), "ssimcse_table1", "ssimcse")
    assert found == reason
    assert differences(merged("config.yaml"), "ssimcse_table1", "ssimcse") == []


def test_the_best_of_the_papers_whole_grid_is_comparable():
    assert differences(merged("config.yaml"), "rcl_table3", "rcl-chosen") == []


def test_the_best_of_another_grid_is_a_stand_in():
    candidates = merged("config.yaml")["methods"]["rcl-chosen"]["choose"]
    config = changed("methods", "rcl-chosen", "choose", value=candidates[1:])
    reason = ["chosen out of 9 of 10 settings"]
    assert differences(config, "rcl_table3", "rcl-chosen") == reason
    config = changed("methods", "rcl-10", "regulators", "phis", value=[0.05])
    (reason,) = differences(config, "rcl_table3", "rcl-chosen")
    assert reason.startswith("regulators of φ 0.05 instead of 0.01 or 0.01, 0.02 or ")


def test_a_choice_on_dev_is_a_stand_in_for_a_row_of_fixed_settings():
    path = ("tables", "rcl_table3", "published", "rcl-chosen")
    config = changed(*path, value="rcl/3/DropHead (p=0.1)")
    reason = ["chosen on dev instead of drophead-0.1"]
    assert differences(config, "rcl_table3", "rcl-chosen") == reason


def test_other_transfer_tasks_are_a_stand_in_for_scores_on_them_alone():
    tasks = ["mr", "trec"]
    config = changed("transfer", "datasets", value=tasks)
    reason = "tests mr, trec instead of mr, cr, subj, mpqa, sst2, trec, mrpc"
    for method in ("start", "simcse", "simcse-sup"):
        assert differences(config, "simcse_tableE1", method, "bert-base") == [reason]
    assert differences(config, "simcse_table5", "simcse", "bert-base") == []
    other_pairs = changed("sts", "datasets", value=["stsb"])
    assert differences(other_pairs, "simcse_tableE1", "simcse", "bert-base") == []


def test_pairs_of_other_labels_than_the_papers_are_a_stand_in():
    config = changed("corpora", "nli-neutral", "labels", value=["entailment", "neutral"])
    rows = config["tables"]["simcse_table4"]["rows"]
    rows[1]["corpora"] = ["nli-neutral"]
    found = differences(config, "simcse_table4", "simcse-sup-no-negatives")
    assert found == ["pairs labelled entailment, neutral instead of neutral"]


@pytest.mark.parametrize("table", ["simcse_tableD2", "simcse_tableD2_transfer"])
def test_masked_words_of_another_weight_or_share_are_a_stand_in(table):
    config = merged("config.yaml")
    for method in ("simcse-sup", "simcse-sup-mlm-0.01", "simcse-sup-mlm-0.1", "simcse-sup-mlm-1"):
        assert differences(config, table, method, "bert-base") == []
    path = ("methods", "simcse-sup-mlm-1", "masked_words")
    found = differences(changed(*path, "weight", value=0.5), table, path[1], "bert-base")
    assert found == ["masked_words.weight 0.5 instead of 1.0"]
    found = differences(changed(*path, "share", value=0.3), table, path[1], "bert-base")
    assert found == ["masked_words.share 0.3 instead of 0.15"]
    found = differences(changed(*path, value=None), table, path[1], "bert-base")
    assert found == ["masked_words.weight none instead of 1.0"]


def test_a_whitening_on_other_tests_or_another_corpus_is_a_stand_in():
    table = "simcse_tableC1"
    config = changed("sts", "datasets", value=["sts12", "stsb"])
    for method in ("whitening", "whitening-target"):
        assert any("tests sts12, stsb instead" in d for d in differences(config, table, method))
    assert any(
        "data sts12, stsb instead" in d for d in differences(config, table, "whitening-target")
    )
    config = changed("corpora", "nli", "limit", value=1000)
    assert differences(config, table, "whitening") != []
    assert differences(config, table, "whitening-target") == []


def test_a_whitening_beside_the_row_of_another_method_is_a_stand_in():
    path = ("tables", "simcse_tableC1", "published", "whitening")
    config = changed(*path, value="simcse/C1/BERT-base-flow (NLI)")
    assert differences(config, "simcse_tableC1", "whitening") == ["flow none instead of true"]
    config = changed(*path, value="simcse/C1/BERT-base-whitening (target)")
    assert "whitening true instead of target" in differences(config, "simcse_tableC1", "whitening")
