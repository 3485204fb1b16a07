"""The settings of a training: what a config says of it, laid over each other as it is written."""

from typing import Any

from workflow.config.model import Config
from workflow.config.trainings import Common, Kind, Recipe, Trained, TrainInitial
from workflow.planning.signatures import loss_options

Training = Trained | TrainInitial | Kind
SETTINGS = Common.model_fields.keys()  # which the parts of a config lay over each other
RHYTHM = {"evaluate_every", "evaluate_share"}  # of evaluations: two ways to say the same
OF_PRETRAINING = {  # in place of the settings of all trainings
    "loss": None,  # no loss of sentences
    "views": "twice",  # each distinct sentence
    "head": "none",
    "encoders": 1,
    "evaluate_every": None,  # its last weights are its result
    "evaluate_share": None,
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
    settings: dict[str, Any] = {}
    for layer in filter(None, layers):
        stated = layer.written()
        if RHYTHM & stated.keys():
            settings = {key: value for key, value in settings.items() if key not in RHYTHM}
        settings |= {key: value for key, value in stated.items() if key in SETTINGS}
    settings["loss"] = loss_of(config, training)
    if options := inherited_options(config, training) | training.options:
        settings["options"] = options
    if dropout := recipe.dropout.written() | training.dropout.written():
        settings["dropout"] = dropout
    return settings


def pretraining_settings(config: Config, base: str) -> dict[str, Any]:
    """Return all settings of the training of a base by masked words, but for its device."""
    stated = {**config.training.written(), **config.bases[base].pretrain.written()}
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
