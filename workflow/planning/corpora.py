"""The training sets of a config: those of pairs, and cross-checks of the keys of each."""

from typing import TYPE_CHECKING, Any

from semblance.data.nli import check_neutral
from semblance.data.pair import check_labels
from semblance.errors import InputError
from semblance.named_modules import PAIRS, load_module
from semblance.names import NO_CORPUS

if TYPE_CHECKING:
    from workflow.planning.plan import Plan

OWN_TEXT = "text"  # the kind of a user's own text, which is read like one of kind wiki


def pair_corpora(plan: "Plan") -> list[str]:
    """Return the corpora of pairs that some run trains on, in the order of the config."""
    trained = {run.corpus for run in plan.runs}
    corpora = plan.config["corpora"].items()
    return [name for name, c in corpora if c["kind"] == "pairs" and name in trained]


def full_corpus(corpus: dict[str, Any]) -> dict[str, Any]:
    """Return the full form of a training set: its data sets, and the kind that prepares it."""
    full = {"datasets": [], **corpus}
    if corpus["kind"] == OWN_TEXT:
        full["kind"] = "wiki"
    return full


def check_corpus(name: str, corpus: dict[str, Any]) -> None:
    """Raise InputError, at the key, for a training set that cannot be meant."""
    where = f"config.corpora.{name}"
    if name == NO_CORPUS:
        raise InputError(where, "this name stands for no corpus", "choose another")
    if corpus["kind"] == "pairs":
        _check_pairs(where, corpus)
    if corpus.get("neutral"):
        check_neutral(corpus["datasets"], f"{where}.neutral")


def _check_pairs(where: str, corpus: dict[str, Any]) -> None:
    source = load_module(PAIRS, corpus["format"], f"{where}.format")
    check_labels(source.LABELS, corpus.get("labels", ()), f"{where}.labels")
    if "sample_seed" in corpus and "limit" not in corpus:
        problem = "has no effect without limit"
        raise InputError(f"{where}.sample_seed", problem, "say in limit how many pairs to draw")
