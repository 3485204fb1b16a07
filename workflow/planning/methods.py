"""What the name of a method stands for: ``start``, a key of ``methods``, or KIND-PHI.

KIND-PHI is an entropy model. A regulator of a method may also be BASE/METHOD.
"""

from typing import Any

from semblance.config.part import PHI
from semblance.names import START

TARGET = "target"  # of a whitening that each test fits on its own sentences
PART = "train_part"  # of a method that is trained on a part of a FAQ bank


def entry_of(config: dict, method: str) -> dict[str, Any]:
    """Return what ``methods`` says of a method; nothing of ``start`` and of an entropy model."""
    return config["methods"].get(method, {})


def entropy_parts(config: dict, method: str) -> tuple[str, str] | None:
    """Split ``KIND-PHI`` into the kind and the literal φ; None for any other method name."""
    for kind in sorted(config["train_entropy"]["kinds"], key=len, reverse=True):
        phi = method.removeprefix(f"{kind}-")
        if phi != method and PHI.fullmatch(phi):
            return kind, phi
    return None


def candidates(config: dict, method: str) -> list[str]:
    """Return the methods out of which a method chooses on dev; none of a method that is trained."""
    return entry_of(config, method).get("choose", [])


def whitening(config: dict, method: str) -> bool | str | None:
    """Return what the whitening of a method is fitted on: True, the corpus; ``target``, the tests.

    None of a method that whitens nothing.
    """
    return entry_of(config, method).get("whitening")


def ranking(config: dict, method: str) -> dict[str, str]:
    """Return how a method ranks answers with another one's model; nothing of a method of its own."""
    return entry_of(config, method).get("ranking", {})


def mines(config: dict, method: str) -> bool:
    """Tell whether a method's training has mined hard negatives."""
    return entry_of(config, method).get("mined_negatives", False)


def model_of(config: dict, method: str) -> str:
    """Return the method whose model a method uses: itself, or the one whose answers it ranks anew."""
    return ranking(config, method).get("of", method)


def is_untrained(config: dict, method: str) -> bool:
    """Tell whether a method has no training, and so one run, of seed 0."""
    used = model_of(config, method)
    return used == START or whitening(config, used) is not None


def reads_no_corpus(config: dict, method: str) -> bool:
    """Tell whether the model of a method is the base as it is."""
    used = model_of(config, method)
    return used == START or whitening(config, used) == TARGET


def trained_methods(config: dict) -> list[str]:
    """Return the methods of the full config that are trained; they have a loss."""
    return [name for name, method in config["methods"].items() if "loss" in method]


def whitened_methods(config: dict) -> list[str]:
    """Return the methods that have a model with a whitening, fitted on their corpus."""
    return [name for name in config["methods"] if whitening(config, name) is True]


def percent_of(config: dict, method: str) -> int:
    """Return how many percent of the entries or wordings of a bank a method is trained on."""
    return entry_of(config, method).get(PART, {}).get("percent", 100)


def model_names(entry: str | dict) -> list[str]:
    """Return the names that an entry of the config stands for: itself, or KIND-PHI for each φ.

    A φ is named by its literal text: a text by itself, a number by its shortest form.
    """
    if isinstance(entry, str):
        return [entry]
    return [f"{entry['kind']}-{phi}" for phi in entry["phis"]]


def methods_of(row: dict) -> list[str]:
    """Return the methods of a group of rows; an entry with several φ is one for each."""
    return [name for entry in row["methods"] for name in model_names(entry)]


def regulator_entries(method: dict) -> list[str | dict]:
    """Return what a method says of its regulators as a list of entries; none without regulators."""
    stated = method.get("regulators", [])
    return [stated] if isinstance(stated, dict) else stated


def regulator_names(method: dict) -> list[str]:
    """Return the names of the models that regulate a method: METHOD, or BASE/METHOD."""
    return [name for entry in regulator_entries(method) for name in model_names(entry)]


def split_regulator(name: str, base: str) -> tuple[str, str]:
    """Return the base and the method of a regulator; ``base`` is that of the regulated method."""
    other, _, method = name.rpartition("/")
    return other or base, method
