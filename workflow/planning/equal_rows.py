"""A check of the tables of the full config: no two rows of a table are the same training.

Such rows would show one model under two labels, and a difference of exactly 0 as if it were measured.
"""

import json
from collections.abc import Iterator

from semblance.errors import InputError
from semblance.names import START
from workflow.planning.expand import settings_of
from workflow.planning.methods import candidates, ranking, whitening

BESIDE_SETTINGS = (  # what else makes a training
    "regulators",
    "regulator_seeds",
    "steps_of",
    "mined_negatives",
    "train_part",
)


def check_equal_rows(config: dict) -> None:
    """Raise InputError for a table with two rows of the same corpus, base and training."""
    for name, table in config["tables"].items():
        for place, row in enumerate(table["rows"]):
            where = f"config.tables.{name}.rows[{place}].methods"
            for corpus in row["corpora"]:
                for base in row["bases"]:
                    _check_row(config, where, row["methods"], corpus, base)


def _check_row(config: dict, where: str, methods: list, corpus: str, base: str) -> None:
    first: dict[str, str] = {}
    for name in _trained(config, methods):
        training = config["methods"][name]
        settings = settings_of(config, training, base, corpus in config["faq"]["banks"])
        beside = [training.get(key) for key in BESIDE_SETTINGS]
        known = first.setdefault(json.dumps([settings, beside], sort_keys=True), name)
        if known != name:
            problem = f"{known!r} and {name!r} are the same training here"
            raise InputError(where, problem, "leave one out, or change a setting of one")


def _trained(config: dict, methods: list) -> Iterator[str]:
    """Yield the methods of a row that have a training of their own."""
    for name in methods:
        if not isinstance(name, str) or name == START or name not in config["methods"]:
            continue  # models that a row lists, the base as it is, and an entropy model
        if not (candidates(config, name) or ranking(config, name) or whitening(config, name)):
            yield name
