"""The regulators of a method: models whose frozen embeddings of the corpus its loss reads.

Such a model is an entropy model, ``start`` (the base before any training) or any other trained
method. ``BASE/METHOD`` names one on another base than the method's own.
"""

from semblance.errors import InputError
from semblance.named_modules import LOSSES, module_names
from semblance.names import START
from workflow.planning import losses, word_vectors
from workflow.planning.collecting import check_known
from workflow.planning.methods import (
    TARGET,
    check_spelling,
    entropy_parts,
    model_names,
    whitening,
)
from workflow.planning.mined import mines


def regulator_entries(method: dict) -> list[str | dict]:
    """Return what a method says of its regulators as a list of entries; none without regulators."""
    stated = method.get("regulators", [])
    if isinstance(stated, dict):
        return [stated]
    return stated


def regulator_names(method: dict) -> list[str]:
    """Return the names of the models that regulate a method: METHOD, or BASE/METHOD."""
    return [name for entry in regulator_entries(method) for name in model_names(entry)]


def split(name: str, base: str) -> tuple[str, str]:
    """Return the base and the method of a regulator; ``base`` is that of the regulated method."""
    other, _, method = name.rpartition("/")
    return other or base, method


def check_needed(where: str, loss: str, training: dict) -> None:
    """Check that a training has regulators if its loss reads them, and none otherwise."""
    reads = losses.reads_regulators(loss)
    given = bool(training.get("regulators"))
    if reads and not given:
        advice = "name entropy models, such as {kind: entropy, phis: [0.01]}, or a method"
        raise InputError(f"config.{where}.regulators", f"loss {loss!r} needs regulators", advice)
    if given and not reads:
        able = ", ".join(name for name in module_names(LOSSES) if losses.reads_regulators(name))
        problem = f"loss {loss!r} reads no regulators"
        raise InputError(f"config.{where}.regulators", problem, f"losses that do are {able}")


def check_differ(where: str, method: dict) -> None:
    """Check that no two regulators are the same model; each φ has one spelling."""
    names = regulator_names(method)
    for name in names:
        if names.count(name) > 1:
            raise InputError(where, f"a model stands twice: {name}", "name each once")


def check_name(config: dict, where: str, name: str) -> None:
    """Raise InputError, at ``config.where``, for a regulator that this config cannot make."""
    base, method = split(name, "")
    if base:
        check_known(where, base, config["bases"], "base")
        word_vectors.check_transformer(config, f"config.{where}", base)
    where = f"config.{where}"
    check_spelling(config, where, method)
    if method == START or entropy_parts(config, method):
        return
    if method not in config["methods"]:
        kinds = ", ".join(config["train_entropy"]["kinds"])
        problem = f"{method!r} is neither KIND-PHI nor a method nor {START!r}"
        raise InputError(where, problem, f"kinds of entropy models are {kinds}")
    if whitening(config, method) == TARGET:
        problem = f"{method!r} is fitted on the STS tests, which no training may read"
        raise InputError(where, problem, "name a whitening of the corpus")
    if "choose" in config["methods"][method]:
        problem = f"{method!r} chooses on dev, so that it is no model of its own"
        raise InputError(where, problem, "name one of its candidates")
    if mines(config, method):
        problem = f"{method!r} mines its hard negatives among the answers of a FAQ bank"
        raise InputError(where, problem, "name a method without mined_negatives")
    if "ranking" in config["methods"][method]:
        problem = f"{method!r} ranks with the model of another method"
        raise InputError(where, problem, "name that method")


def check_ends(config: dict, where: str, name: str) -> None:
    """Check that a method is not regulated by itself, also not through other methods."""
    waiting = _trained_regulators(config, name)
    seen = set()
    while waiting:
        method = waiting.pop()
        if method == name:
            raise InputError(where, f"{name!r} waits for itself", "let no chain end where it began")
        if method not in seen:
            seen.add(method)
            waiting += _trained_regulators(config, method)


def _trained_regulators(config: dict, method: str) -> list[str]:
    """Return the names of those models that a method waits for, which may wait for others."""
    entry = config["methods"].get(method, {})
    names = [split(name, "")[1] for name in regulator_names(entry)]
    if "steps_of" in entry:
        names.append(entry["steps_of"])
    return names


def check_steps_of(config: dict, where: str, method: dict) -> None:
    """Check that a method takes its number of steps from one that is trained by itself."""
    named = method.get("steps_of")
    if named is None:
        return
    where = f"config.{where}.steps_of"
    check_known(where.removeprefix("config."), named, config["methods"], "method")
    if "recipe" not in config["methods"][named] or "steps_of" in config["methods"][named]:
        raise InputError(where, f"{named!r} has no steps of its own", "name a trained method")


def check_seeds(where: str, method: dict) -> None:
    """Check that a method with ``regulator_seeds`` has trained models to read."""
    if "regulator_seeds" in method and START in regulator_names(method):
        problem = f"{START!r} has one seed"
        raise InputError(f"config.{where}.regulator_seeds", problem, "name trained models")
