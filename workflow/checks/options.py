"""Cross-checks of a config that fits its type: each name exists, each option can act.

Each check raises InputError at ``config.KEY``. All are run, so that a user mends all errors at once.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from operator import attrgetter
from typing import Any

from semblance.data.nli import check_neutral
from semblance.data.pair import check_labels
from semblance.errors import InputError, nearest
from semblance.layout import fold_corpus, whole_corpus
from semblance.named_modules import LOSSES, PAIRS, load_module, module_names
from semblance.names import INITIAL, NO_CORPUS, START
from workflow.config.inputs import Base, Corpus, Nli, Pairs, TrainedHere, Tuned
from workflow.config.methods import (
    TARGET,
    Training,
    inherited_options,
    is_untrained,
    loss_of,
    split_regulator,
    trained,
    whitening,
)
from workflow.config.model import Config
from workflow.config.part import Of, Part
from workflow.config.signatures import check_dropout, check_loss, check_view, reads_regulators
from workflow.config.trainings import (
    NEEDED,
    Entropies,
    Entropy,
    Kind,
    Method,
    Recipe,
    Reranked,
    Trained,
)

Check = Callable[[], None]


def check_known(where: str, name: str, table: Iterable[str], kind: str) -> None:
    """Raise InputError for a name that is not in ``table``."""
    if name not in table:
        raise InputError(where, f"there is no {kind} {name!r}", nearest(name, sorted(table)))


def name_checks(config: Config) -> Iterator[Check]:
    """Yield a check of each key that names entries of a section: `Of` in its type says of which."""
    for where, part in _parts_inside("config", config):
        for key, field in type(part).model_fields.items():
            for mark in field.metadata:
                if isinstance(mark, Of):
                    yield partial(_check_names, config, f"{where}.{key}", getattr(part, key), mark)


def _parts_inside(where: str, value: Any) -> Iterator[tuple[str, Part]]:
    """Yield each part of a config that is in a value, with its key."""
    if isinstance(value, Part):
        yield where, value
        value = dict(value)
    inside = []
    if isinstance(value, dict):
        inside = [(f"{where}.{key}", inner) for key, inner in value.items()]
    if isinstance(value, list):
        inside = [(f"{where}[{i}]", inner) for i, inner in enumerate(value)]
    for place, inner in inside:
        yield from _parts_inside(place, inner)


def _check_names(config: Config, where: str, value: Any, mark: Of) -> None:
    """Raise InputError for a name that no entry of the sections has; a mapping has it as a key."""
    entries = {name for section in mark.sections for name in attrgetter(section)(config)}
    names = [value] if isinstance(value, str) else value or ()
    for name in names:
        place = f"{where}.{name}" if isinstance(value, dict) else where
        check_known(place, name, entries, mark.kind)


def checks(config: Config) -> Iterator[Check]:
    """Yield a check of each entry but the tables and the figures."""
    for name, base in config.bases.items():
        yield partial(_check_base, config, f"config.bases.{name}", base)
    for name, recipe in config.recipes.items():
        yield partial(_check_recipe, config, f"config.recipes.{name}", recipe)
    for name, corpus in config.corpora.items():
        yield partial(_check_corpus, name, corpus)
    for name in config.faq.banks:
        yield partial(_check_bank, config, name)
    for name, method in config.methods.items():
        yield partial(_check_method, config, name, method)
    for name, kind in config.train_entropy.kinds.items():
        yield partial(_check_training, config, f"config.train_entropy.kinds.{name}", kind)
    yield partial(_check_training, config, "config.train_initial", config.train_initial)


# --- what a run reads --------------------------------------------------------------------------


def _check_base(config: Config, where: str, base: Base) -> None:
    key = "base" if isinstance(base, TrainedHere) else "tokenizer"
    named = getattr(base, key)
    if isinstance(other := config.bases[named], TrainedHere):
        advice = f"name the base that it is trained from: {other.base}"
        raise InputError(f"{where}.{key}", f"{named!r} is trained here itself", advice)
    if isinstance(base, Tuned) and not trained(config, base.method):
        problem = f"{base.method!r} does not train a model of its own"
        raise InputError(f"{where}.method", problem, "name a method with a recipe")
    stated = getattr(base, "default_prompt", None)
    if stated and not getattr(base.prompts, stated, None):
        problem = f"prompts do not have {stated!r}"
        raise InputError(f"{where}.default_prompt", problem, "state that prompt")


def _check_corpus(name: str, corpus: Corpus) -> None:
    """Raise InputError for a training set that cannot be meant."""
    where = f"config.corpora.{name}"
    if name == NO_CORPUS:
        raise InputError(where, "this name stands for no corpus", "choose another")
    if isinstance(corpus, Pairs):
        source = load_module(PAIRS, corpus.format, f"{where}.format")
        check_labels(source.LABELS, corpus.labels or (), f"{where}.labels")
        if corpus.sample_seed is not None and corpus.limit is None:
            advice = "say in limit how many pairs to draw"
            raise InputError(f"{where}.sample_seed", "has no effect without limit", advice)
    if isinstance(corpus, Nli) and corpus.neutral:
        check_neutral(corpus.datasets, f"{where}.neutral")


def _check_bank(config: Config, name: str) -> None:
    where = f"config.faq.banks.{name}"
    folds = [fold_corpus(name, fold) for fold in range(config.faq.folds)]
    corpora = {*folds, whole_corpus(name)}
    if taken := {name, *corpora} & set(config.corpora):
        raise InputError(where, f"a corpus has the name {min(taken)} already")
    if taken := corpora & set(config.faq.banks):
        problem = f"{min(taken)!r} is the name of a corpus of this bank, and of another bank"
        raise InputError(where, problem, "rename one of the two banks")


# --- trainings ---------------------------------------------------------------------------------


def _check_recipe(config: Config, where: str, recipe: Recipe) -> None:
    for key in NEEDED:
        if getattr(recipe, key) is None and getattr(config.training, key) is None:
            raise InputError(f"{where}.{key}", "missing key", "each training needs it")
    check_dropout(recipe.dropout.written(), f"{where}.dropout")
    if recipe.loss:
        check_loss(recipe.loss, recipe.options, f"{where}.options", may_miss=True)


def _check_training(config: Config, where: str, training: Training) -> None:
    """Check what a method, a kind of entropy model or the initial model says of its training."""
    if isinstance(training, Kind) and "phi" in training.options:
        advice = "φ is the number in a method's name: entropy-0.01"
        raise InputError(f"{where}.options.phi", "has no effect here", advice)
    name = training.recipe
    recipe = config.recipes[name]
    loss = loss_of(config, training)
    if loss is None:
        raise InputError(f"{where}.loss", "missing key", f"the recipe {name!r} has no loss either")
    check_dropout(training.dropout.written(), f"{where}.dropout")
    inherited = inherited_options(config, training)
    check_loss(loss, inherited, f"config.recipes.{name}.options", may_miss=True)
    options = {**inherited, **training.options}
    if isinstance(training, Kind):
        options["phi"] = 0.0  # any number: each model has its own
    check_loss(loss, options, f"{where}.options")
    _check_reads_regulators(where, loss, training)
    view_options = training.view_options or recipe.view_options or {}
    if view := training.views or recipe.views:
        check_view(view, view_options, f"{where}.view_options")
    dropout = recipe.dropout.written() | training.dropout.written()
    without = "off_last" in dropout
    if without and (others := sorted(set(dropout) - {"off_last"})):
        problem = f"{others[0]!r} has no effect beside off_last, which has rates of its own"
        raise InputError(f"{where}.dropout", problem, "set off_last: {hidden: …, attention: …}")
    if (without or loss == "off_dropout") and view != "thrice":
        problem = "SimCSE++ embeds each sentence a third time, without dropout"
        raise InputError(f"{where}.views", f"{view!r}: {problem}", "set views: thrice")
    if loss == "off_dropout" and not without:
        problem = "loss 'off_dropout' needs a third text without dropout"
        raise InputError(f"{where}.dropout", problem, "set dropout: {off_last: {}}")


def _check_reads_regulators(where: str, loss: str, training: Training) -> None:
    """Check that a training has regulators if its loss reads them, and none otherwise."""
    reads = reads_regulators(loss)
    given = isinstance(training, Trained) and bool(training.regulators)
    if reads and not given:
        advice = "name entropy models, such as {kind: entropy, phis: [0.01]}, or a method"
        raise InputError(f"{where}.regulators", f"loss {loss!r} needs regulators", advice)
    if given and not reads:
        able = ", ".join(name for name in module_names(LOSSES) if reads_regulators(name))
        problem = f"loss {loss!r} reads no regulators"
        raise InputError(f"{where}.regulators", problem, f"losses that do are {able}")


# --- methods -----------------------------------------------------------------------------------


def _check_method(config: Config, name: str, method: Method) -> None:
    where = f"config.methods.{name}"
    if name in (INITIAL, START):
        raise InputError(where, "this name is taken by a stage of its own")
    if isinstance(method, Reranked):
        used = method.ranking.of
        check_known(f"{where}.ranking.of", used, [*config.methods, START], "method")
        if isinstance(config.methods.get(used), Reranked):
            problem = f"{used!r} has no model of its own"
            raise InputError(f"{where}.ranking.of", problem, "name a method that has one")
    elif isinstance(method, Trained):
        _check_training(config, where, method)
        if paced := method.steps_of:
            other = trained(config, paced)
            if other is None or other.steps_of:
                problem = f"{paced!r} has no steps of its own"
                raise InputError(f"{where}.steps_of", problem, "name a trained method")
        _check_regulators(config, where, name, method)


# --- models that a method or a row names -------------------------------------------------------


def _check_regulators(config: Config, where: str, name: str, method: Trained) -> None:
    names = method.regulator_names
    for model in names if method.regulator_seeds else ():
        if is_untrained(config, split_regulator(model, "")[1]):
            advice = "name trained models"
            raise InputError(f"{where}.regulator_seeds", f"{model!r} has one seed", advice)
    where = f"{where}.regulators"
    for entry in method.regulator_entries:
        if isinstance(entry, Entropies):
            check_models(config, where, entry)
        else:
            _check_regulator(config, where, entry)
    for model in names:
        if names.count(model) > 1:  # each φ has one spelling
            raise InputError(where, f"a model stands twice: {model}", "name each once")
    waiting = _waits_for(config, name)
    for model in waiting:  # the list grows while it is read
        waiting += [other for other in _waits_for(config, model) if other not in waiting]
    if name in waiting:  # also through other methods
        raise InputError(where, f"{name!r} waits for itself", "let no chain end where it began")


def _check_regulator(config: Config, where: str, name: str) -> None:
    """Raise InputError for a regulator that this config cannot make."""
    base, method = split_regulator(name, "")
    if base:
        check_known(where, base, config.bases, "base")
    check_known(where, method, [*config.methods, START], "method")
    if whitening(config, method) == TARGET:
        problem = f"{method!r} is fitted on the STS tests, which no training may read"
        raise InputError(where, problem, "name a whitening of the corpus")
    if isinstance(config.methods.get(method), Reranked):
        problem = f"{method!r} ranks with the model of another method"
        raise InputError(where, problem, "name that method")


def _waits_for(config: Config, method: str) -> list[str]:
    """Return the names of those models that a method waits for, which may wait for others."""
    training = trained(config, method)
    if training is None:
        return []
    names = [split_regulator(name, "")[1] for name in training.regulator_names]
    return [*names, training.steps_of] if training.steps_of else names


def check_models(config: Config, where: str, entry: Entropies) -> None:
    """Check that the names of entropy models are those of no other method."""
    for name, model in entry.models.items():
        other = config.methods.get(name)
        same = isinstance(other, Entropy) and (other.kind, other.phi) == (model.kind, model.phi)
        if other is not None and not same:
            problem = f"{name!r} is the name of another method"
            raise InputError(where, problem, "rename that one, or the kind")
