"""What a config says of the texts of a run: the protocols of FAQ banks, and scored pairs."""

from collections.abc import Iterable
from typing import Any

from semblance.config.model import Config
from semblance.names import STS_DEV, STS_TASKS, TRAINING, TRANSFER_TASKS, WITH_DEV_PAIRS
from semblance.reporting.layouts import AVERAGE

# A user's own set of pairs is a task of its name, and no two tasks may share one.
ALL_TASKS = {*STS_TASKS, STS_DEV, *WITH_DEV_PAIRS, *TRANSFER_TASKS, TRAINING, AVERAGE}
WORDING = "wording"  # the protocol of a bank that holds out users' wordings
PAIRS = "pairs"  # the protocol of a bank that holds out entries


# --- FAQ banks --------------------------------------------------------------------------------


def holds_out_wordings(config: Config, bank: str) -> bool:
    """Tell whether the folds of a bank test users' wordings of entries that they know."""
    return config.faq.banks[bank].hold_out == "wordings"


def faq_protocols(config: Config, bank: str) -> list[str]:
    """Return the protocols by which a bank is evaluated."""
    if holds_out_wordings(config, bank):
        return [WORDING]
    return config.evaluate_faq.protocols


def answerer_protocol(config: Config, bank: str) -> str:
    """Return what an answerer is judged by: users' wordings, or the questions of unknown entries."""
    return WORDING if holds_out_wordings(config, bank) else PAIRS


# --- scored pairs: data sets of the manifest, and a user's own ---------------------------------


def of_manifest(config: Config, names: Iterable[str]) -> list[str]:
    """Return those names that are data sets of the manifest."""
    return [name for name in names if name not in config.sts.own]


def own_paths(config: Config, names: Iterable[str]) -> dict[str, str]:
    """Return the path of each of the names that is a user's own set."""
    own = config.sts.own
    return {name: own[name].path for name in names if name in own}


def scored_sets(config: Config, stage: str) -> list[str]:
    """Return the names of all sets that ``prepare_sts`` or ``prepare_dev`` reads."""
    if stage == "prepare_dev":
        return [config.sts.dev]
    return config.sts.datasets


def sts_tests(config: Config) -> dict[str, Any]:
    """Return the STS test sets and their protocol."""
    sts = config.sts
    settings = {"datasets": sts.datasets, "protocol": sts.protocol}
    own = {name: entry.written() for name, entry in sts.own.items() if name in sts.datasets}
    return {**settings, "own": own} if own else settings
