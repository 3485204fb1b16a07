"""Which modules found by name a stage runs: their code counts in that stage's digest, and no other's."""

import functools
import json
from typing import Any

from semblance.figures import is_measured
from semblance.named_modules import (
    BANKS,
    DROPOUTS,
    FIGURES,
    LOSSES,
    MASKED_WORDS,
    OWN_LOSS,
    PAIRS,
    POOLINGS,
    VIEWS,
    module_names,
    module_path,
)
from semblance.settings import PLAIN_RATES
from workflow.config.model import Config

_path = functools.cache(module_path)  # it looks on the disk, and each job asks


def of_training(config: Config, base: str, settings: str) -> list[str]:
    """Return the view, dropouts, poolings and losses of a training, from the JSON that it gets.

    The loss of masked words is one of them where the settings have it. A user's own file with a loss
    stands among them by its path.
    """
    values: dict[str, Any] = json.loads(settings)
    dropouts = [name for name in values.get("dropout", {}) if name not in PLAIN_RATES]
    names = [
        _path(VIEWS, values["views"], "views"),
        *(_path(DROPOUTS, name, f"dropout.{name}") for name in dropouts),
        *of_reading(config, base),
    ]
    if values["loss"] is not None:
        names.append(_path(LOSSES, values["loss"], "loss"))
    if values["loss"] == OWN_LOSS:
        names.append(values["options"]["file"])
    if values.get("masked_words"):
        names.append(MASKED_WORDS)
    return names


def of_bank(config: Config, bank: str) -> list[str]:
    """Return the module that reads the files of a FAQ bank."""
    return [_path(BANKS, config.faq.banks[bank].kind, f"config.faq.banks.{bank}.kind")]


def of_pairs(config: Config, corpus: str) -> list[str]:
    """Return the module that reads the files of a corpus of pairs."""
    name = config.corpora[corpus].format
    return [_path(PAIRS, name, f"config.corpora.{corpus}.format")]


def of_figure(config: Config, figure: str) -> list[str]:
    """Return what makes the rows of a figure's kind, and the poolings that its models may use."""
    kind = config.figures[figure].kind
    names = [f"{FIGURES}.{kind}:{part}" for part in ("COLUMNS", "rows")]
    if is_measured(kind):
        for row in config.figures[figure].rows:
            for base in row.bases:
                names += of_reading(config, base)
    return list(dict.fromkeys(names))


def of_drawing(config: Config, figure: str) -> list[str]:
    return [f"{FIGURES}.{config.figures[figure].kind}:{part}" for part in ("COLUMNS", "draw")]


def of_reading(config: Config, base: str) -> list[str]:
    """Return the poolings that a model of a base may use.

    It is one where the config states it. Where the base's own files choose, all count.
    """
    origin = config.origin(base)
    if origin.pooling:
        return [_path(POOLINGS, origin.pooling, f"config.bases.{base}.pooling")]
    return [f"{POOLINGS}.{name}" for name in module_names(POOLINGS)]
