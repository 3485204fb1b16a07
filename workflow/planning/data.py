"""What a config says of the texts and bases of a run: FAQ banks, scored pairs, bases made here."""

from collections.abc import Iterable
from typing import Any

from semblance.names import RELATEDNESS_DATASETS, STS_DEV, STS_TASKS, TRAINING, TRANSFER_TASKS
from semblance.reporting.layouts import AVERAGE

# A user's own set of pairs is a task of its name, and no two tasks may share one.
ALL_TASKS = {*STS_TASKS, STS_DEV, *RELATEDNESS_DATASETS, *TRANSFER_TASKS, TRAINING, AVERAGE}
WORDING = "wording"  # the protocol of a bank that holds out users' wordings
PAIRS = "pairs"  # the protocol of a bank that holds out entries


# --- FAQ banks --------------------------------------------------------------------------------


def holds_out_wordings(config: dict, bank: str) -> bool:
    """Tell whether the folds of a bank test users' wordings of entries that they know."""
    return config["faq"]["banks"][bank].get("hold_out") == "wordings"


def faq_protocols(config: dict, bank: str) -> list[str]:
    """Return the protocols by which a bank is evaluated."""
    if holds_out_wordings(config, bank):
        return [WORDING]
    return config["evaluate_faq"]["protocols"]


def answerer_protocol(config: dict, bank: str) -> str:
    """Return what an answerer is judged by: users' wordings, or the questions of unknown entries."""
    return WORDING if holds_out_wordings(config, bank) else PAIRS


# --- scored pairs: data sets of the manifest, and a user's own ---------------------------------


def own_sets(config: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the user's own sets of pairs by name; none of a config without them."""
    return config["sts"].get("own", {})


def of_manifest(config: dict[str, Any], names: Iterable[str]) -> list[str]:
    """Return those names that are data sets of the manifest."""
    own = own_sets(config)
    return [name for name in names if name not in own]


def own_paths(config: dict[str, Any], names: Iterable[str]) -> dict[str, str]:
    """Return the path of each of the names that is a user's own set."""
    own = own_sets(config)
    return {name: own[name]["path"] for name in names if name in own}


def scored_sets(config: dict[str, Any], stage: str) -> list[str]:
    """Return the names of all sets that ``prepare_sts`` or ``prepare_dev`` reads."""
    if stage == "prepare_dev":
        return [config["sts"]["dev"]]
    return config["sts"]["datasets"]


def sts_tests(config: dict[str, Any]) -> dict[str, Any]:
    """Return the STS test sets and their protocol."""
    sts = config["sts"]
    settings = {"datasets": sts["datasets"], "protocol": sts["protocol"]}
    own = {name: entry for name, entry in own_sets(config).items() if name in sts["datasets"]}
    return {**settings, "own": own} if own else settings


# --- bases that are made here ------------------------------------------------------------------


def is_pretrained(base: dict) -> bool:
    """Tell whether a base of the config is trained here, out of another base, by masked words."""
    return "pretrain" in base


def is_word_vectors(base: dict) -> bool:
    """Tell whether a base of the config is a user's file of word vectors, which is never trained."""
    return "word_vectors" in base


def word_vector_bases(config: dict) -> list[str]:
    """Return the bases of the config that are files of word vectors."""
    return [name for name, base in config["bases"].items() if is_word_vectors(base)]
