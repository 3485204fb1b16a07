"""No two rows of a table are the same training under two names."""

import pytest

from semblance.errors import InputError
from tests.shipped import merged
from workflow.planning.config import load


def config(**method) -> dict:
    """Return a config whose Table 1a has one more row, and its control, which it equals or not."""
    found = merged("config.yaml")
    found["methods"]["twin"] = {"recipe": "rcl", "dropout": {"attention": 0.1}, **method}
    [first, *_] = found["tables"]["rcl_table1a"]["rows"]
    first["methods"] = [*first["methods"], "twin"]
    return found


def test_two_rows_of_one_training_are_refused_by_their_names():
    with pytest.raises(InputError, match="'attention-dropout-0.1' and 'twin' are the same") as said:
        load(config(label="Another name"))
    assert str(said.value).startswith("config.tables.rcl_table1a.rows[0].methods")


@pytest.mark.parametrize(
    "method",
    [
        {"dropout": {"attention": 0.15}},
        {"options": {"scale": 3.0}},
        {"loss": "regulators", "regulators": ["entropy-0.01"]},
        {"max_steps": 7},
    ],
)
def test_rows_that_differ_in_one_setting_are_two_trainings(method):
    load(config(**method))


def test_the_heads_of_a_table_of_poolings_differ_where_the_recipe_has_none():
    found = merged("config.yaml", "configs/minilm.yaml")
    found["tables"]["simcse_table6"]["rows"][0]["methods"] = ["simcse-mlp-train", "simcse"]
    load(found)
    found["tables"]["simcse_table6"]["rows"][0]["methods"] = ["simcse-mlp-train", "simcse-no-mlp"]
    load(found)
    found["tables"]["simcse_table6"]["rows"][0]["methods"] += ["simcse"]
    with pytest.raises(InputError, match="'simcse-no-mlp' and 'simcse' are the same training"):
        load(found)
