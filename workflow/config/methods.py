"""What the name of a method stands for: ``start`` or a key of ``methods``; its settings.

A regulator of a method may also be BASE/METHOD. What a config says of a training at several places is
laid over each other as it is written.
"""

from typing import Any, Literal

from semblance.names import START, STS_DEV, STS_TASKS, TRAINING, TRANSFER_TASKS, WITH_DEV_PAIRS
from semblance.reporting.layouts import AVERAGE
from workflow.config.model import Config
from workflow.config.signatures import loss_options
from workflow.config.trainings import (
    Common,
    Entropy,
    Kind,
    Ranking,
    Recipe,
    Reranked,
    Trained,
    TrainInitial,
    Whitened,
)

TARGET = "target"  # of a whitening that each test fits on its own sentences


def entropy_model(config: Config, method: str) -> Entropy | None:
    """Return the entropy model that a method is; None of any other method."""
    entry = config.methods.get(method)
    return entry if isinstance(entry, Entropy) else None


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


def maker(config: Config, method: str) -> str:
    """Return the stage that makes the model of a method; an empty text where it is the base as it is.

    Of a training on a whole FAQ bank it is ``train_final`` in place of ``train``.
    """
    used = model_of(config, method)
    match config.methods.get(used):
        case Trained():
            return "train"
        case Entropy():
            return "train_entropy"
        case Whitened(whitening=True):
            return "fit_whitening"
        case Whitened():
            return ""
    return "" if used == START else "train_initial"


def is_untrained(config: Config, method: str) -> bool:
    """Tell whether a method has no training, and so one run, of seed 0."""
    return maker(config, method) in ("", "fit_whitening")


def methods_of(config: Config, stage: str) -> list[str]:
    """Return the methods with a model of their own that a stage makes."""
    names = [name for name in config.methods if not ranking(config, name)]
    return [name for name in names if maker(config, name) == stage]


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


# --- settings of a training ---------------------------------------------------------------------

Training = Trained | TrainInitial | Kind
SETTINGS = Common.model_fields.keys()  # which the parts of a config lay over each other
# Two ways to say when a training is evaluated; with neither, its last weights are its result.
NO_EVALUATIONS = dict.fromkeys(("evaluate_every", "evaluate_share"))
OF_PRETRAINING = {  # in place of the settings of all trainings
    "loss": None,  # no loss of sentences
    "views": "twice",  # each distinct sentence
    "head": "none",
    "encoders": 1,
    **NO_EVALUATIONS,
}


def settings_of(config: Config, training: Training, base: str, on_faq: bool) -> dict[str, Any]:
    """Return all settings of a training but for its seed.

    They are laid over each other: ``training``, the recipe, its ``on_faq`` on a fold of a FAQ bank,
    its ``by_base``, the training itself, its own ``on_faq`` on a fold. Options of the loss and rates
    of dropout are laid over the recipe's key by key.
    """
    recipe = config.recipes[training.recipe]
    layers = [config.training, recipe]
    if on_faq:
        layers.append(recipe.on_faq)
    layers += [recipe.by_base.get(base), training]
    if on_faq and isinstance(training, Trained):
        layers.append(training.on_faq)
    settings: dict[str, Any] = {"gpus": config.resources.gpus}
    for layer in filter(None, layers):
        stated = layer.written()
        if NO_EVALUATIONS.keys() & stated.keys():
            settings = {key: value for key, value in settings.items() if key not in NO_EVALUATIONS}
        settings |= {key: value for key, value in stated.items() if key in SETTINGS}
    settings["loss"] = loss_of(config, training)
    if options := inherited_options(config, training) | training.options:
        settings["options"] = options
    if dropout := recipe.dropout.written() | training.dropout.written():
        settings["dropout"] = dropout
    return settings


def entropy_settings(config: Config, model: Entropy, options: dict[str, Any]) -> dict[str, Any]:
    """Return what an entropy model changes of the settings of its kind, ``options`` being its loss's."""
    section = config.train_entropy
    stopping = section.early_stopping.written() if section.kinds[model.kind].stops_early else {}
    return {
        "options": {**options, "phi": float(model.phi)},
        **stopping,
        **NO_EVALUATIONS,  # ASSUME: no dev score chooses the weights
    }


def pretraining_settings(config: Config, base: str) -> dict[str, Any]:
    """Return all settings of the training of a base by masked words."""
    stated = {**config.training.written(), **config.bases[base].pretrain.written()}
    stated["gpus"] = config.resources.gpus
    masked_words = {"weight": 1.0}
    if "share" in stated:
        masked_words["share"] = stated.pop("share")
    return {**stated, **OF_PRETRAINING, "masked_words": masked_words}


def loss_of(config: Config, training: Training) -> str | None:
    """Return the loss of a training: its own, or its recipe's; None if neither says one."""
    if isinstance(training, Kind):
        return "entropy"
    return training.loss or config.recipes[training.recipe].loss


def inherited_options(config: Config, training: Training) -> dict[str, Any]:
    """Return the options that a training takes over from its recipe.

    A training with another loss takes over only those that its own loss takes, too.
    """
    recipe: Recipe = config.recipes[training.recipe]
    loss = loss_of(config, training)
    if loss == recipe.loss:
        return recipe.options
    taken = loss_options(loss)
    return {key: value for key, value in recipe.options.items() if key in taken}
