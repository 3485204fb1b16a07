"""The names that the file of claims may use: tables and methods of the repository's config.yaml."""

from collections.abc import Callable
from pathlib import Path

from semblance.names import START
from semblance.strict_yaml import read_yaml
from workflow.planning.methods import entropy_parts

CONFIG = Path(__file__).parents[2] / "config.yaml"


def known_names() -> tuple[set[str], Callable[[str], bool]]:
    """Return the names of all tables, and what tells whether a name is METHOD or CORPUS/METHOD.

    They are those of the repository's own config, since a configuration laid over it may leave out
    tables and methods.
    """
    config = read_yaml(CONFIG)

    def is_method(name: str) -> bool:
        corpus, _, method = name.rpartition("/")
        if corpus and corpus not in config["corpora"]:
            return False
        known = method == START or method in config["methods"]
        return known or entropy_parts(config, method) is not None

    return set(config["tables"]), is_method
