"""Cross-checks of a config that fits its type: each name exists, each option can act.

Each check raises InputError at ``config.KEY``. All are run, so that a user mends all errors at once.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from semblance.data.nli import check_neutral
from semblance.data.pair import check_labels
from semblance.errors import InputError
from semblance.layout import fold_corpus, whole_corpus
from semblance.named_modules import (
    BANKS,
    LOSSES,
    PAIRS,
    POOLINGS,
    VIEWS,
    load_module,
    module_names,
    module_path,
)
from semblance.names import (
    INITIAL,
    NO_CORPUS,
    RELATEDNESS_DATASETS,
    START,
)
from workflow.planning.data import ALL_TASKS, is_pretrained, is_word_vectors, own_sets
from workflow.planning.expand import inherited_options, loss_of
from workflow.planning.methods import (
    PART,
    PHI,
    TARGET,
    entropy_parts,
    entry_of,
    mines,
    model_names,
    regulator_entries,
    regulator_names,
    split_regulator,
    whitening,
)
from workflow.planning.signatures import check_dropout, check_loss, check_view, reads_regulators

Check = Callable[[], None]
# What a check may meet in a config that does not fit its type, which is an error of its own.
MISFIT = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
NEEDED = (  # by every training, from its recipe or from what all trainings have in common
    "batch_size",
    "epochs",
    "learning_rate",
    "max_length",
    "views",
    "warmup",
    "weight_decay",
)


def errors_of(checks: Iterable[Check], some_misfit: bool = False) -> list[InputError]:
    """Return the InputError of each check that raises one.

    ``some_misfit``: the config does not fit its type somewhere, so a check may not run to its end.
    """
    passed_over: tuple[type[Exception], ...] = MISFIT if some_misfit else ()
    errors = []
    for check in checks:
        try:
            check()
        except InputError as error:
            errors.append(error)
        except passed_over:
            continue
    return errors


def check_known(where: str, name: str, table: Iterable[str], kind: str) -> None:
    """Raise InputError for a name that is not in ``table``."""
    if name not in table:
        known = ", ".join(sorted(table))
        raise InputError(where, f"there is no {kind} {name!r}", f"known are {known}")


def entries(config: dict, *path: str) -> Iterator[tuple[str, Any]]:
    """Yield name and value of each entry of a mapping; nothing where there is no mapping."""
    node: Any = config
    for key in path:
        node = node.get(key) if isinstance(node, dict) else None
    if isinstance(node, dict):
        yield from node.items()


def checks(config: dict) -> Iterator[Check]:
    """Yield a check of each entry but the tables, the figures and the answerers."""
    for name, base in entries(config, "bases"):
        yield partial(_check_base, config, f"config.bases.{name}", base)
    for name, recipe in entries(config, "recipes"):
        yield partial(_check_recipe, config, f"config.recipes.{name}", recipe)
    for name, corpus in entries(config, "corpora"):
        yield partial(check_corpus, name, corpus)
    yield partial(_check_dev, config)
    for name, _ in entries(config, "sts", "own"):
        yield partial(_check_own_pairs, config, name)
    for name, bank in entries(config, "faq", "banks"):
        yield partial(_check_bank, config, name, bank)
    for name, method in entries(config, "methods"):
        yield partial(_check_method, config, name, method)
    for name, kind in entries(config, "train_entropy", "kinds"):
        yield partial(_check_entropy_kind, config, f"config.train_entropy.kinds.{name}", kind)
    if "train_initial" in config:
        yield partial(_check_training, config, "config.train_initial", config["train_initial"])


# --- what a run reads --------------------------------------------------------------------------


def _check_base(config: dict, where: str, base: dict) -> None:
    if is_word_vectors(base):
        return
    key = "base" if is_pretrained(base) else "tokenizer"
    check_known(f"{where}.{key}", base[key], config["bases"], "base")
    if is_pretrained(base):
        check_known(f"{where}.corpus", base["corpus"], config["corpora"], "corpus")
    _check_downloaded(config, f"{where}.{key}", base[key])
    if "pooling" in base:
        module_path(POOLINGS, base["pooling"], f"{where}.pooling")
    if "default_prompt" in base and base["default_prompt"] not in base.get("prompts", {}):
        problem = f"prompts do not have {base['default_prompt']!r}"
        raise InputError(f"{where}.default_prompt", problem, "state that prompt")


def _check_downloaded(config: dict, where: str, name: str) -> None:
    """Raise InputError for a base that is made here itself."""
    check_transformer(config, where, name)
    other = config["bases"][name]
    if is_pretrained(other):
        advice = f"name the base that it is trained from: {other.get('base')}"
        raise InputError(where, f"{name!r} is trained here itself", advice)


def check_transformer(config: dict, where: str, base: str) -> None:
    """Raise InputError for a base of word vectors."""
    if is_word_vectors(config["bases"][base]):
        raise InputError(where, f"{base!r} is a file of word vectors", "name another base")


def check_corpus(name: str, corpus: dict[str, Any]) -> None:
    """Raise InputError for a training set that cannot be meant."""
    where = f"config.corpora.{name}"
    if name == NO_CORPUS:
        raise InputError(where, "this name stands for no corpus", "choose another")
    if corpus["kind"] == "pairs":
        source = load_module(PAIRS, corpus["format"], f"{where}.format")
        check_labels(source.LABELS, corpus.get("labels", ()), f"{where}.labels")
        if "sample_seed" in corpus and "limit" not in corpus:
            advice = "say in limit how many pairs to draw"
            raise InputError(f"{where}.sample_seed", "has no effect without limit", advice)
    if corpus.get("neutral"):
        check_neutral(corpus["datasets"], f"{where}.neutral")


def _check_dev(config: dict[str, Any]) -> None:
    dev = config["sts"]["dev"]
    known = [*RELATEDNESS_DATASETS, *own_sets(config)]  # those that are released with dev pairs
    if dev not in known:
        advice = f"choose one of {', '.join(known)}"
        raise InputError("config.sts.dev", f"{dev!r} has no dev pairs", advice)


def _check_own_pairs(config: dict[str, Any], name: str) -> None:
    sts = config["sts"]
    where = f"config.sts.own.{name}"
    if name in ALL_TASKS or name in config["faq"]["banks"]:
        raise InputError(where, "another task has this name", "choose another")
    is_test = name in sts["datasets"]
    is_dev = name == sts["dev"]
    if is_test and is_dev:
        problem = "is the dev set and a test set: the test would choose its own model"
        raise InputError(where, problem, "write two files")
    if not is_test and not is_dev:
        raise InputError(where, "has no effect", "name it in sts.datasets or in sts.dev")


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


# --- trainings ---------------------------------------------------------------------------------


def _check_recipe(config: dict, where: str, recipe: dict) -> None:
    for key in NEEDED:
        if key not in recipe and key not in config["training"]:
            raise InputError(f"{where}.{key}", "missing key", "each training needs it")
    _check_modules(where, recipe)
    for base, entry in recipe.get("by_base", {}).items():
        check_known(f"{where}.by_base.{base}", base, config["bases"], "base")
        _check_modules(f"{where}.by_base.{base}", entry)
    if "loss" in recipe:
        module_path(LOSSES, recipe["loss"], f"{where}.loss")
        options = recipe.get("options", {})
        check_loss(recipe["loss"], options, f"{where}.options", may_miss=True)


def _check_modules(where: str, entry: dict) -> None:
    """Check that the views and dropouts of an entry and of its ``on_faq`` exist, and their options."""
    for place, part in ((where, entry), (f"{where}.on_faq", entry.get("on_faq", {}))):
        if "views" in part:
            module_path(VIEWS, part["views"], f"{place}.views")
    check_dropout(entry.get("dropout", {}), f"{where}.dropout")


def _check_training(config: dict, where: str, training: dict) -> None:
    """Check what a method, a kind of entropy model or the initial model says of its training."""
    name = training["recipe"]
    check_known(f"{where}.recipe", name, config["recipes"], "recipe")
    loss = loss_of(config, training)
    if loss is None:
        raise InputError(f"{where}.loss", "missing key", f"the recipe {name!r} has no loss either")
    module_path(LOSSES, loss, f"{where}.loss")
    _check_modules(where, training)
    inherited = inherited_options(config, training)
    check_loss(loss, inherited, f"config.recipes.{name}.options", may_miss=True)
    check_loss(loss, {**inherited, **training.get("options", {})}, f"{where}.options")
    _check_reads_regulators(where, loss, training)
    stated = {**config["recipes"][name], **training}
    if "views" in stated:
        check_view(stated["views"], stated.get("view_options", {}), f"{where}.view_options")


def _check_reads_regulators(where: str, loss: str, training: dict) -> None:
    """Check that a training has regulators if its loss reads them, and none otherwise."""
    reads = reads_regulators(loss)
    given = bool(training.get("regulators"))
    if reads and not given:
        advice = "name entropy models, such as {kind: entropy, phis: [0.01]}, or a method"
        raise InputError(f"{where}.regulators", f"loss {loss!r} needs regulators", advice)
    if given and not reads:
        able = ", ".join(name for name in module_names(LOSSES) if reads_regulators(name))
        problem = f"loss {loss!r} reads no regulators"
        raise InputError(f"{where}.regulators", problem, f"losses that do are {able}")


def _check_entropy_kind(config: dict, where: str, kind: dict) -> None:
    """Check one kind of entropy model; its φ comes from the names of methods, KIND-PHI."""
    options = kind.get("options", {})
    if "phi" in options:
        advice = "φ is the number in a method's name: entropy-0.01"
        raise InputError(f"{where}.options.phi", "has no effect here", advice)
    _check_training(config, where, {**kind, "loss": "entropy", "options": {**options, "phi": 0.0}})


# --- methods -----------------------------------------------------------------------------------


def _check_method(config: dict, name: str, method: dict) -> None:
    where = f"config.methods.{name}"
    if name in (INITIAL, START) or entropy_parts(config, name):
        raise InputError(where, "this name is taken by a stage of its own")
    if "choose" in method:
        _check_choice(config, where, method)
    elif "ranking" in method:
        _check_ranking(config, f"{where}.ranking.of", method["ranking"]["of"])
    elif "whitening" not in method:
        _check_training(config, where, method)
        _check_reads(config, where, method)
        _check_regulators(config, where, name, method)


def _check_choice(config: dict, where: str, method: dict) -> None:
    """Check a method that chooses: it is trained by its candidates, which share a recipe."""
    recipes = set()
    for name in method["choose"]:
        check_known(f"{where}.choose", name, config["methods"], "method")
        candidate = config["methods"][name]
        if "choose" in candidate:
            advice = "name its candidates themselves"
            raise InputError(f"{where}.choose", f"{name!r} chooses itself", advice)
        if "whitening" in candidate or "ranking" in candidate:
            advice = "name methods of one recipe"
            raise InputError(f"{where}.choose", f"{name!r} is not trained", advice)
        if candidate.get("recipe") in config["recipes"]:  # another is an error of its own
            recipes.add(candidate["recipe"])
    if len(recipes) > 1:
        problem = f"the candidates have several recipes: {', '.join(sorted(recipes))}"
        raise InputError(f"{where}.choose", problem, "name methods of one recipe")
    if "paper" in method:
        check_known(f"{where}.paper", method["paper"], config["methods"], "method")


def _check_ranking(config: dict, where: str, name: str) -> None:
    """Check a method with ``ranking``: it uses the model of ``start`` or of a method with one."""
    if name == START or entropy_parts(config, name):
        return
    check_known(where, name, {**config["methods"], START: None}, "method")
    if config["methods"][name].keys() & {"ranking", "choose"}:
        problem = f"{name!r} has no model of its own"
        raise InputError(where, problem, "name a method that has one")


def _check_reads(config: dict, where: str, method: dict[str, Any]) -> None:
    """Check what a training reads besides its corpus: mined negatives, the steps of another one.

    A training on a part of a fold reads nothing that was made of the whole fold.
    """
    for place in (method, method.get("on_faq", {})):
        if method.get("mined_negatives") and place.get("hard_negatives") is False:
            advice = "leave one of the two out"
            raise InputError(f"{where}.mined_negatives", "hard_negatives is false", advice)
    if "steps_of" in method:
        named = method["steps_of"]
        check_known(f"{where}.steps_of", named, config["methods"], "method")
        if "recipe" not in config["methods"][named] or "steps_of" in config["methods"][named]:
            problem = f"{named!r} has no steps of its own"
            raise InputError(f"{where}.steps_of", problem, "name a trained method")
    for key in ("regulators", "mined_negatives"):
        if PART in method and method.get(key):
            problem = f"its {key} are made of all of the fold"
            raise InputError(f"{where}.{PART}", problem, f"name a method without {key}")


# --- models that a method or a row names -------------------------------------------------------


def _check_regulators(config: dict, where: str, name: str, method: dict) -> None:
    names = regulator_names(method)
    if "regulator_seeds" in method and START in names:
        advice = "name trained models"
        raise InputError(f"{where}.regulator_seeds", f"{START!r} has one seed", advice)
    where = f"{where}.regulators"
    for entry in regulator_entries(method):
        if isinstance(entry, dict):
            check_models(config, where, entry)
        else:
            _check_regulator(config, where, entry)
    for model in names:
        if names.count(model) > 1:  # each φ has one spelling
            raise InputError(where, f"a model stands twice: {model}", "name each once")
    _check_ends(config, where, name)


def _check_regulator(config: dict, where: str, name: str) -> None:
    """Raise InputError for a regulator that this config cannot make."""
    base, method = split_regulator(name, "")
    if base:
        check_known(where, base, config["bases"], "base")
        check_transformer(config, where, base)
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


def _check_ends(config: dict, where: str, name: str) -> None:
    """Check that a method is not regulated by itself, also not through other methods."""
    waiting = _waits_for(config, name)
    seen = set()
    while waiting:
        method = waiting.pop()
        if method == name:
            raise InputError(where, f"{name!r} waits for itself", "let no chain end where it began")
        if method not in seen:
            seen.add(method)
            waiting += _waits_for(config, method)


def _waits_for(config: dict, method: str) -> list[str]:
    """Return the names of those models that a method waits for, which may wait for others."""
    entry = entry_of(config, method)
    names = [split_regulator(name, "")[1] for name in regulator_names(entry)]
    return [*names, entry["steps_of"]] if "steps_of" in entry else names


def check_models(config: dict, where: str, entry: dict) -> None:
    """Check that an entry names entropy models of a known kind, each φ by its one spelling."""
    kinds = config["train_entropy"]["kinds"]
    check_known(f"{where}.kind", entry["kind"], kinds, "kind of entropy model")
    for phi in entry["phis"]:
        if not PHI.fullmatch(str(phi)):
            problem = f"φ {phi} cannot be written as a decimal number of at most 9 + 18 digits"
            advice = "write one such as 0.01 or 1e-07: an exponent has two digits at most"
            raise InputError(f"{where}.phis", problem, advice)
    for name in model_names(entry):
        kind, _ = entropy_parts(config, name) or ("", "")
        if kind != entry["kind"]:
            advice = f"kinds are {', '.join(kinds)}"
            raise InputError(where, f"{name!r} is not KIND-PHI", advice)
        check_spelling(config, where, name)


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
