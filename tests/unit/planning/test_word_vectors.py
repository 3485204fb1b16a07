"""A base that is a file of word vectors: what the config may say of it, and what reads it."""

import json

import pytest

from semblance.models.word_vectors import WordVectorSettings
from semblance.settings import decode
from tests.shipped import merged
from tests.unit.costing.examples import MANIFEST, SHIPPED
from workflow.costing.model import Cost
from workflow.planning import modules
from workflow.planning.config import load
from workflow.planning.plan import Plan
from workflow.planning.stages import Job, inputs, jobs, log, record, wanted_by

CONFIGS = ("config.yaml", "configs/simcse-glove.yaml")
MADE = Job("prepare_word_vectors", base="glove")
SCORED = [
    Job("evaluate_sts", "none", "glove", "start"),
    Job("evaluate_transfer", "none", "glove", "start"),
]


def config(**changed):
    """Return the shipped config with the rows of GloVe, and a base that says something else."""
    found = merged(*CONFIGS)
    found["bases"]["glove"] |= changed
    return found


def plan(**changed):
    return Plan(load(config(**changed)))


@pytest.mark.parametrize("job", SCORED)
def test_its_evaluations_wait_for_it_and_nothing_is_downloaded(job):
    ours = plan()
    found = jobs(ours)
    assert job in found
    assert MADE in inputs(ours, job) and inputs(ours, MADE) == []
    assert not [other for other in found if other.base == "glove" and other not in (*SCORED, MADE)]
    assert "glove" not in wanted_by(ours).bases


def test_its_record_lies_below_the_output_folder():
    ours = plan()
    assert record(ours, MADE) == "results/bases/none/glove/record.json"
    assert log(MADE) == "logs/prepare_word_vectors/glove"


def test_its_settings_are_its_file_and_the_number_of_words():
    given = json.loads(plan(words=400).word_vector_settings("glove"))
    assert decode(WordVectorSettings, given) == WordVectorSettings("glove.840B.300d.txt", 400)
    given = json.loads(plan().word_vector_settings("glove"))
    assert decode(WordVectorSettings, given).words is None


def test_its_evaluation_runs_no_pooling():
    assert modules.of_reading(plan().config, "glove") == []


def test_it_costs_the_reading_of_its_file_and_no_product():
    model = Cost(load(config()), MANIFEST, SHIPPED)
    assert model.need(MADE).work == 4 * 660  # MB of float32
    assert model.need(MADE).memory > 4 * 660
    assert model.need(SCORED[0]).work == 0


def test_its_rows_have_the_label_and_the_published_values_of_the_paper():
    for table, name in (("simcse_table5", "5"), ("simcse_tableE1", "E1")):
        [row] = [row for row in plan().table_spec(table)["rows"] if row["base"] == "glove"]
        assert row["label"] == "Avg. GloVe embeddings"
        assert row["published"] == f"simcse/{name}/GloVe embeddings (avg.)"


def test_the_other_rows_of_both_tables_are_those_of_the_shipped_config():
    shipped = merged("config.yaml")["tables"]
    for table in ("simcse_table5", "simcse_tableE1"):
        rows = [row for row in config()["tables"][table]["rows"] if row["bases"] != ["glove"]]
        assert rows == shipped[table]["rows"]


def test_a_whitening_of_the_tests_reads_word_vectors():
    other = config()
    row = {"corpora": ["nli"], "bases": ["glove"], "methods": ["whitening-target"]}
    other["tables"]["simcse_table5"]["rows"].append(row)
    job = Job("evaluate_sts", "none", "glove", "whitening-target")
    assert MADE in inputs(Plan(load(other)), job)
