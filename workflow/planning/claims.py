"""The names that the file of claims may use: those of the repository's config.yaml."""

from semblance.names import START
from semblance.reporting.claims import Known
from workflow.planning.config import load
from workflow.planning.layers import PROJECT, laid_over
from workflow.planning.methods import entropy_parts


def known_names() -> Known:
    """Return the names of all tables and bases, and what tells METHOD and CORPUS/METHOD.

    They are those of the repository's own config, since a configuration laid over it may leave out
    tables and methods. So may that config itself, by `null`: the names stay known.
    """
    written = laid_over([PROJECT])
    config = load(written)

    def is_method(name: str) -> bool:
        corpus, _, method = name.rpartition("/")
        if corpus and corpus not in written["corpora"]:
            return False
        known = method == START or method in written["methods"]
        return known or entropy_parts(config, method) is not None

    return Known(set(written["tables"]), set(written["bases"]), is_method)
