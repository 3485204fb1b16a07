"""The training sets of a config: those of pairs, and cross-checks of the keys of each."""

from typing import TYPE_CHECKING, Any

from semblance.data.labelled import check_neutral
from semblance.data.pair import check_labels
from semblance.errors import InputError
from semblance.named_modules import PAIRS, load_module
from semblance.names import NO_CORPUS

if TYPE_CHECKING:
    from workflow.planning.plan import Plan

KIND_OF = {  # the kind that alone reads a key
    "format": "pairs",
    "labels": "pairs",
    "sample_seed": "pairs",
    "neutral": "nli",
}
OWN_TEXT = "text"  # the kind of a user's own text, which is read like one of kind wiki
OF_PATH = ("wiki", OWN_TEXT)  # the kinds that may be a user's own file


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
    for key, kind in KIND_OF.items():
        if key in corpus and corpus["kind"] != kind:
            raise InputError(f"{where}.{key}", "has no effect here", f"it belongs to kind: {kind}")
    if "path" in corpus and corpus["kind"] not in OF_PATH:
        advice = f"it belongs to kind: {OWN_TEXT}"
        raise InputError(f"{where}.path", "has no effect here", advice)
    if corpus["kind"] == OWN_TEXT and "datasets" in corpus:
        problem = f"kind: {OWN_TEXT} is a file of your own"
        raise InputError(f"{where}.datasets", problem, "write its path")
    if ("path" in corpus) == ("datasets" in corpus):
        raise InputError(where, "needs exactly one of datasets, path")
    if corpus["kind"] == "pairs":
        _check_pairs(where, corpus)
    if corpus.get("neutral"):
        check_neutral(corpus["datasets"], f"{where}.neutral")


def _check_pairs(where: str, corpus: dict[str, Any]) -> None:
    if "format" not in corpus:
        raise InputError(f"{where}.format", "missing key", "kind: pairs needs it")
    source = load_module(PAIRS, corpus["format"], f"{where}.format")
    check_labels(source.LABELS, corpus.get("labels", ()), f"{where}.labels")
    if "sample_seed" in corpus and "limit" not in corpus:
        problem = "has no effect without limit"
        raise InputError(f"{where}.sample_seed", problem, "say in limit how many pairs to draw")
