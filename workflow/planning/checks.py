"""Cross-checks of a config that fits the schema: each name exists, each option can act."""

from collections.abc import Callable, Iterator
from functools import partial

from semblance.errors import InputError
from semblance.layout import fold_corpus, whole_corpus
from semblance.named_modules import BANKS, LOSSES, POOLINGS, VIEWS, module_path
from semblance.names import INITIAL, START
from workflow.planning import (
    dropouts,
    losses,
    mined,
    part_checks,
    pretrained,
    rankings,
    regulators,
    views,
    word_vectors,
)
from workflow.planning.collecting import check_known, entries
from workflow.planning.corpora import check_corpus
from workflow.planning.expand import inherited_options, loss_of
from workflow.planning.methods import (
    check_phis,
    check_spelling,
    entropy_parts,
    model_names,
)
from workflow.planning.scored_pairs import check_own, check_sts

# The defaults of models/dropouts/sampled.py, which imports torch; a test holds them equal.
SAMPLED_RANGE = {"low": 0.0, "high": 0.2}
TRAINED_BY_KIND = (INITIAL, START)  # method names with rules of their own
NEEDED = (  # by every training, from its recipe or from what all trainings have in common
    "batch_size",
    "epochs",
    "learning_rate",
    "max_length",
    "views",
    "warmup",
    "weight_decay",
)


def checks(config: dict) -> Iterator[Callable[[], None]]:
    """Yield a check of each entry: it raises InputError, with the key, for what cannot be meant.

    The tables are left to ``table_checks``.
    """
    for name, base in entries(config, "bases"):
        yield partial(_check_base, config, name, base)
    for name, recipe in entries(config, "recipes"):
        yield partial(_check_recipe, config, name, recipe)
    for name, corpus in entries(config, "corpora"):
        yield partial(check_corpus, name, corpus)
    yield partial(check_sts, config)
    for name, _ in entries(config, "sts", "own"):
        yield partial(check_own, config, name)
    for name, bank in entries(config, "faq", "banks"):
        yield partial(_check_bank, config, name, bank)
    for name, method in entries(config, "methods"):
        yield partial(_check_method, config, name, method)
    for name, kind in entries(config, "train_entropy", "kinds"):
        yield partial(_check_entropy_kind, config, f"train_entropy.kinds.{name}", kind)
    if "train_initial" in config:
        yield partial(_check_training, config, "train_initial", config["train_initial"])


def _check_base(config: dict, name: str, base: dict) -> None:
    if pretrained.is_pretrained(base):
        pretrained.check_pretrained(config, name, base)
        return
    if word_vectors.is_word_vectors(base):
        return
    where = f"bases.{name}.tokenizer"
    check_known(where, base["tokenizer"], config["bases"], "base")
    pretrained.check_downloaded(config, where, base["tokenizer"])
    if "pooling" in base:
        module_path(POOLINGS, base["pooling"], f"config.bases.{name}.pooling")
    if "default_prompt" in base and base["default_prompt"] not in base.get("prompts", {}):
        problem = f"prompts do not have {base['default_prompt']!r}"
        raise InputError(f"config.bases.{name}.default_prompt", problem, "state that prompt")


def _check_recipe(config: dict, name: str, recipe: dict) -> None:
    where = f"recipes.{name}"
    for key in NEEDED:
        if key not in recipe and key not in config["training"]:
            raise InputError(f"config.{where}.{key}", "missing key", "each training needs it")
    _check_modules(where, recipe)
    for base, entry in recipe.get("by_base", {}).items():
        check_known(f"{where}.by_base.{base}", base, config["bases"], "base")
        _check_modules(f"{where}.by_base.{base}", entry)
    if "on_faq" in recipe:
        _check_modules(f"{where}.on_faq", recipe["on_faq"])
    if "loss" in recipe:
        module_path(LOSSES, recipe["loss"], f"config.{where}.loss")
        losses.check_values(recipe["loss"], recipe.get("options", {}), f"config.{where}.options")
    _check_sampled(where, recipe)


def _check_bank(config: dict, name: str, bank: dict) -> None:
    where = f"config.faq.banks.{name}"
    module_path(BANKS, bank["kind"], f"{where}.kind")
    folds = [fold_corpus(name, fold) for fold in range(config["faq"]["folds"])]
    corpora = {*folds, whole_corpus(name)}
    if taken := {name, *corpora} & set(config["corpora"]):
        raise InputError(where, f"a corpus has the name {min(taken)} already")
    if taken := corpora & set(config["faq"]["banks"]):
        problem = f"{min(taken)!r} is the name of a corpus of this bank, and of another bank"
        raise InputError(where, problem, "rename one of the two banks")


def _check_method(config: dict, name: str, method: dict) -> None:
    where = f"methods.{name}"
    if name in TRAINED_BY_KIND or entropy_parts(config, name):
        raise InputError(f"config.{where}", "this name is taken by a stage of its own")
    if "choose" in method:
        _check_choice(config, where, method)
        return
    if "whitening" in method:
        return
    if "ranking" in method:
        rankings.check_ranking(config, where, method)
        return
    _check_training(config, where, method)
    mined.check_mined(where, method)
    regulators.check_steps_of(config, where, method)
    regulators.check_seeds(where, method)
    _check_regulators(config, f"{where}.regulators", name, method)
    part_checks.check_part(where, method)


def _check_regulators(config: dict, where: str, name: str, method: dict) -> None:
    for entry in regulators.regulator_entries(method):
        if isinstance(entry, dict):
            check_models(config, where, entry)
        else:
            regulators.check_name(config, where, entry)
    regulators.check_differ(f"config.{where}", method)
    regulators.check_ends(config, f"config.{where}", name)


def _check_choice(config: dict, where: str, method: dict) -> None:
    """Check a method that chooses: it is trained by its candidates, which share a recipe."""
    recipes = set()
    for name in method["choose"]:
        check_known(f"{where}.choose", name, config["methods"], "method")
        candidate = config["methods"][name]
        if "choose" in candidate:
            advice = "name its candidates themselves"
            raise InputError(f"config.{where}.choose", f"{name!r} chooses itself", advice)
        if "whitening" in candidate or "ranking" in candidate:
            problem = f"{name!r} is not trained"
            raise InputError(f"config.{where}.choose", problem, "name methods of one recipe")
        if candidate.get("recipe") in config["recipes"]:  # another is an error of its own
            recipes.add(candidate["recipe"])
    if len(recipes) > 1:
        problem = f"the candidates have several recipes: {', '.join(sorted(recipes))}"
        raise InputError(f"config.{where}.choose", problem, "name methods of one recipe")
    if "paper" in method:
        check_known(f"{where}.paper", method["paper"], config["methods"], "method")


def check_models(config: dict, where: str, entry: str | dict) -> None:
    """Check that an entry names entropy models of known kinds."""
    kinds = config["train_entropy"]["kinds"]
    if isinstance(entry, dict):
        check_known(f"{where}.kind", entry["kind"], kinds, "kind of entropy model")
        check_phis(f"config.{where}.phis", entry)
    for name in model_names(entry):
        kind, _ = entropy_parts(config, name) or ("", "")
        if not kind or isinstance(entry, dict) and kind != entry["kind"]:
            advice = f"kinds are {', '.join(kinds)}"
            raise InputError(f"config.{where}", f"{name!r} is not KIND-PHI", advice)
        check_spelling(config, f"config.{where}", name)


def _check_entropy_kind(config: dict, where: str, kind: dict) -> None:
    """Check one kind of entropy model; its φ comes from the names of methods, KIND-PHI."""
    options = kind.get("options", {})
    if "phi" in options:
        advice = "φ is the number in a method's name: entropy-0.01"
        raise InputError(f"config.{where}.options.phi", "has no effect here", advice)
    _check_training(config, where, {**kind, "loss": "entropy", "options": {**options, "phi": 0.0}})


def _check_training(config: dict, where: str, training: dict) -> None:
    """Check what a method, a kind of entropy model or the initial model says of its training."""
    recipe = training["recipe"]
    check_known(f"{where}.recipe", recipe, config["recipes"], "recipe")
    loss = loss_of(config, training)
    if loss is None:
        advice = f"the recipe {recipe!r} has no loss either"
        raise InputError(f"config.{where}.loss", "missing key", advice)
    module_path(LOSSES, loss, f"config.{where}.loss")
    _check_modules(where, training)
    _check_modules(f"{where}.on_faq", training.get("on_faq", {}))
    inherited = inherited_options(config, training)
    own = training.get("options", {})
    losses.check_values(loss, inherited, f"config.recipes.{recipe}.options")
    losses.check_options(loss, {**inherited, **own}, f"config.{where}.options")
    regulators.check_needed(where, loss, training)
    _check_view(config, where, training)
    _check_sampled(where, training)


def _check_modules(where: str, entry: dict) -> None:
    """Check that an entry's view and dropouts exist, and the dropouts' options."""
    if "views" in entry:
        module_path(VIEWS, entry["views"], f"config.{where}.views")
    dropouts.check(entry.get("dropout", {}), f"config.{where}.dropout")


def _check_view(config: dict, where: str, training: dict) -> None:
    """Check the options of a training's view, its own or its recipe's."""
    stated = {**config["recipes"][training["recipe"]], **training}
    options = stated.get("view_options", {})
    if "views" in stated:
        views.check_options(stated["views"], options, f"config.{where}.view_options")


def _check_sampled(where: str, entry: dict) -> None:
    sampled = {**SAMPLED_RANGE, **entry.get("dropout", {}).get("sampled", {})}
    if sampled["low"] > sampled["high"]:
        raise InputError(f"config.{where}.dropout.sampled", "low is above high")
