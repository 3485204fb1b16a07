"""What a config says of the texts of a run: the protocols of FAQ banks, and scored pairs."""

from semblance.config.model import Config
from semblance.names import STS_DEV, STS_TASKS, TRAINING, TRANSFER_TASKS, WITH_DEV_PAIRS
from semblance.reporting.layouts import AVERAGE

# The tasks of scores.
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
