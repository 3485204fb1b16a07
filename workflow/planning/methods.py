"""What the name of a method stands for: ``start``, a key of ``methods``, or KIND-PHI.

KIND-PHI is an entropy model. A regulator of a method may also be BASE/METHOD.
"""

from typing import Any, Literal

from semblance.names import START, STS_DEV, STS_TASKS, TRAINING, TRANSFER_TASKS, WITH_DEV_PAIRS
from semblance.reporting.layouts import AVERAGE
from workflow.config.model import Config
from workflow.config.part import PHI
from workflow.config.trainings import Entropy, Ranking, Reranked, Trained, Whitened

TARGET = "target"  # of a whitening that each test fits on its own sentences


def entropy_parts(config: Config, method: str) -> Entropy | None:
    """Return the entropy model of a name; None for any other method."""
    for kind in sorted(config.train_entropy.kinds, key=len, reverse=True):
        phi = method.removeprefix(f"{kind}-")
        if phi != method and PHI.fullmatch(phi):
            return Entropy(kind, phi)
    return None


def trained(config: Config, method: str) -> Trained | None:
    """Return the training that ``methods`` says of a method; None of any other."""
    entry = config.methods.get(method)
    return entry if isinstance(entry, Trained) else None


def whitening(config: Config, method: str) -> Literal[True, "target"] | None:
    """Return what the whitening of a method is fitted on: True, the corpus; ``target``, the tests.

    None of a method that whitens nothing.
    """
    entry = config.methods.get(method)
    return entry.whitening if isinstance(entry, Whitened) else None


def ranking(config: Config, method: str) -> Ranking | None:
    """Return how a method ranks answers with another one's model; None of a method of its own."""
    entry = config.methods.get(method)
    return entry.ranking if isinstance(entry, Reranked) else None


def regulators(config: Config, method: str) -> list[str]:
    """Return the names of the models that regulate a method."""
    training = trained(config, method)
    return training.regulator_names if training else []


def model_of(config: Config, method: str) -> str:
    """Return the method whose model a method uses: itself, or the one whose answers it ranks anew."""
    stated = ranking(config, method)
    return stated.of if stated else method


def evaluation_settings(config: Config, method: str) -> dict[str, Any]:
    """Return what a method changes of the evaluation of its model; most change nothing."""
    if stated := ranking(config, method):
        return {"ranking": stated.written()}
    if whitening(config, method) == TARGET:
        return {"whitening": TARGET}
    return {}


def is_untrained(config: Config, method: str) -> bool:
    """Tell whether a method has no training, and so one run, of seed 0."""
    used = model_of(config, method)
    return used == START or whitening(config, used) is not None


def reads_no_corpus(config: Config, method: str) -> bool:
    """Tell whether the model of a method is the base as it is."""
    used = model_of(config, method)
    return used == START or whitening(config, used) == TARGET


def trained_methods(config: Config) -> list[str]:
    """Return the methods of the config that are trained."""
    return [name for name in config.methods if trained(config, name)]


def whitened_methods(config: Config) -> list[str]:
    """Return the methods that have a model with a whitening, fitted on their corpus."""
    return [name for name in config.methods if whitening(config, name) is True]


def split_regulator(name: str, base: str) -> tuple[str, str]:
    """Return the base and the method of a regulator; ``base`` is that of the regulated method."""
    other, _, method = name.rpartition("/")
    return other or base, method


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
