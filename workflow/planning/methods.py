"""The names of methods: ``start``, a key of ``methods``, or KIND-PHI for an entropy model."""

import re

from semblance.errors import InputError
from semblance.names import START

TARGET = "target"  # of a whitening that each test fits on its own sentences
PHI = re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,18})?(e-?[0-9]{1,2})?")


def entropy_parts(config: dict, method: str) -> tuple[str, str] | None:
    """Split ``KIND-PHI`` into the kind and the literal φ; None for any other method name."""
    for kind in sorted(config["train_entropy"]["kinds"], key=len, reverse=True):
        phi = method.removeprefix(f"{kind}-")
        if phi != method and PHI.fullmatch(phi):
            return kind, phi
    return None


def candidates(config: dict, method: str) -> list[str]:
    """Return the methods out of which a method chooses on dev; none of a method that is trained."""
    return config["methods"].get(method, {}).get("choose", [])


def whitening(config: dict, method: str) -> bool | str | None:
    """Return what the whitening of a method is fitted on: True, the corpus; ``target``, the tests.

    None of a method that whitens nothing.
    """
    return config["methods"].get(method, {}).get("whitening")


def ranking(config: dict, method: str) -> dict[str, str]:
    """Return how a method ranks answers with another one's model; nothing of a method of its own."""
    return config["methods"].get(method, {}).get("ranking", {})


def model_of(config: dict, method: str) -> str:
    """Return the method whose model a method uses: itself, or the one whose answers it ranks anew."""
    return config["methods"].get(method, {}).get("ranking", {}).get("of", method)


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


def model_names(entry: str | dict) -> list[str]:
    """Return the names that an entry of the config stands for: itself, or KIND-PHI for each φ.

    A φ is named by its literal text: a text by itself, a number by its shortest form.
    """
    if isinstance(entry, str):
        return [entry]
    return [f"{entry['kind']}-{phi}" for phi in entry["phis"]]


def check_phis(where: str, entry: dict) -> None:
    """Raise InputError for a φ that no method's name can hold (``PHI``)."""
    for phi in entry["phis"]:
        if not PHI.fullmatch(str(phi)):
            problem = f"φ {phi} cannot be written as a decimal number of at most 9 + 18 digits"
            advice = "write one such as 0.01 or 1e-07: an exponent has two digits at most"
            raise InputError(where, problem, advice)


def check_spelling(config: dict, where: str, name: str) -> None:
    """Raise InputError for an entropy model whose φ has another spelling than its one.

    A φ is spelt as Python prints the float. With two spellings one model would be trained twice.
    """
    parts = entropy_parts(config, name)
    if parts is None:
        return
    kind, phi = parts
    spelling = repr(float(phi) + 0.0)  # -0.0 is 0.0
    if phi != spelling and PHI.fullmatch(spelling):
        problem = f"φ of {name!r} has another spelling"
        raise InputError(where, problem, f"write {spelling} ({kind}-{spelling})")
