"""The answerers of a config: what each is chosen from, and cross-checks of their keys."""

from collections.abc import Callable, Iterator
from functools import partial

from semblance.errors import InputError
from semblance.names import START
from semblance.reporting.layouts import find_layout
from workflow.planning import word_vectors
from workflow.planning.banks import WORDING, holds_out_wordings
from workflow.planning.collecting import check_known, entries
from workflow.planning.methods import is_untrained, model_names, model_of
from workflow.planning.part_checks import check_curve, curves_of

PAIRS = "pairs"  # the protocol of a bank that holds out entries
PRECISION = 0.9  # of the answers given, where an answerer states none
NOT_YET = {  # what an answerer cannot use: key of a method -> why
    "choose": "chooses among others itself",
    "whitening": "whitens its embeddings",
    "train_part": "is trained on a part of the bank",
}


def full_answerer(answerer: dict) -> dict:
    """Return an answerer with its defaults."""
    return {"precision": PRECISION, **answerer}


def models_of(config: dict, name: str) -> list[str]:
    """Return the methods whose models an answerer may use: the start model, then the trained ones."""
    methods = config["answerers"][name]["methods"]
    used = list(dict.fromkeys(model_of(config, method) for method in methods))
    trained = [method for method in used if method != START]
    if START in used:
        return [START, *trained]
    return trained


def protocol_of(config: dict, bank: str) -> str:
    """Return what an answerer is judged by: users' wordings, or the questions of unknown entries."""
    if holds_out_wordings(config, bank):
        return WORDING
    return PAIRS


def seeds_of(config: dict, answerer: dict, method: str) -> list[int]:
    """Return the seeds of a method's evaluations; an untrained one has seed 0 alone."""
    if is_untrained(config, method):
        return [0]
    return config["seeds"][answerer["seeds"]]


def answerer_checks(config: dict) -> Iterator[Callable[[], None]]:
    """Yield checks that raise InputError, with the key, for an answerer that cannot be built."""
    for name, answerer in entries(config, "answerers"):
        where = f"answerers.{name}"
        yield partial(_check_names, config, where, answerer)
        for method in answerer["methods"]:
            yield partial(_check_method, config, f"{where}.methods", answerer, method)
        for of in curves_of(answerer):
            yield partial(_check_curve, config, f"{where}.learning_curves.{of}", answerer, of)


def _check_names(config: dict, where: str, answerer: dict) -> None:
    bank = answerer["bank"]
    check_known(f"{where}.bank", bank, config["faq"]["banks"], "bank")
    check_known(f"{where}.base", answerer["base"], config["bases"], "base")
    word_vectors.check_transformer(config, f"config.{where}.base", answerer["base"])
    check_known(f"{where}.seeds", answerer["seeds"], config["seeds"], "list of seeds")
    protocol = protocol_of(config, bank)
    if protocol == PAIRS and PAIRS not in config["evaluate_faq"]["protocols"]:
        problem = f"an answerer of bank {bank!r} is judged by {PAIRS}"
        raise InputError("config.evaluate_faq.protocols", problem, f"add {PAIRS}")


def _check_method(config: dict, where: str, answerer: dict, method: str) -> None:
    """Check a method of an answerer: its model can be trained on a whole bank, and it is evaluated."""
    check_known(where, method, {**config["methods"], START: None}, "method")
    used = model_of(config, method)
    if used != START:
        check_known(where, used, config["methods"], "method")
        for key, why in NOT_YET.items():
            if config["methods"][used].get(key):
                advice = "an answerer cannot use that yet; name another method"
                raise InputError(f"config.{where}", f"{used!r} {why}", advice)
    _check_evaluated(config, where, answerer, method)


def _check_curve(config: dict, where: str, answerer: dict, of: str) -> None:
    """Check a learning curve of an answerer: its methods grow, and are evaluated."""
    curve = curves_of(answerer)[of]
    check_curve(config, where, of, curve)
    for method in curve:
        _check_evaluated(config, where, answerer, method)


def _check_evaluated(config: dict, where: str, answerer: dict, method: str) -> None:
    wanted = set(config["seeds"].get(answerer["seeds"], ()))
    evaluated = _evaluated(config, answerer, method)
    if evaluated is None or not is_untrained(config, method) and not wanted <= evaluated:
        problem = (
            f"no table of bank {answerer['bank']!r} evaluates {method!r} with base"
            f" {answerer['base']!r} and the seeds {answerer['seeds']!r}"
        )
        raise InputError(f"config.{where}", problem, "name it in a row of a table")


def _evaluated(config: dict, answerer: dict, method: str) -> set[int] | None:
    """Return the seeds with which tables evaluate a method on a bank; None if none names it."""
    found: set[int] = set()
    named = False
    for _, table in entries(config, "tables"):
        if not find_layout(table["layout"]).over_folds:
            continue
        for row in table["rows"]:
            methods = {each for entry in row["methods"] for each in model_names(entry)}
            on_bank = answerer["bank"] in row["corpora"] and answerer["base"] in row["bases"]
            if on_bank and method in methods:
                named = True
                found |= set(config["seeds"].get(table["seeds"], ()))
    if not named:
        return None
    return found
