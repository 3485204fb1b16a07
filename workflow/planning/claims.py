"""The names that the file of claims may use: tables and methods of the repository's config.yaml."""

from collections.abc import Callable
from pathlib import Path

from semblance.names import START
from semblance.strict_yaml import read_yaml
from workflow.planning.methods import entropy_parts

CONFIG = Path(__file__).parents[2] / "config.yaml"


def known_names() -> tuple[set[str], Callable[[str], bool]]:
    """Return the names of all tables, and what tells whether a name is a method's.

    They are those of the repository's own config, since a configuration laid over it may leave out
    tables and methods.
    """
    config = read_yaml(CONFIG)

    def is_method(name: str) -> bool:
        known = name == START or name in config["methods"]
        return known or entropy_parts(config, name) is not None

    return set(config["tables"]), is_method
