"""Methods that are trained with hard negatives which are mined on each fold of a FAQ bank."""

from typing import TYPE_CHECKING

from semblance import layout
from semblance.errors import InputError
from semblance.names import START
from workflow.planning.methods import candidates

if TYPE_CHECKING:
    from workflow.planning.plan import Plan


def mines(config: dict, method: str) -> bool:
    """Tell whether a method's training has mined hard negatives."""
    return config["methods"].get(method, {}).get("mined_negatives", False)


def rows_record(plan: "Plan", corpus: str, base: str, method: str) -> str:
    """Return the record of a training's rows: those of the corpus, or the same with negatives."""
    if mines(plan.config, method):
        return layout.record(plan.out, layout.NEGATIVES, corpus=corpus, base=base)
    return layout.record(plan.out, layout.CORPUS, corpus=corpus)


def rows_file(plan: "Plan", corpus: str, base: str, method: str) -> str:
    """Return the file of a training's rows."""
    return f"{rows_record(plan, corpus, base, method).removesuffix(layout.RECORD)}rows.arrow"


def embeddings_of_start(plan: "Plan", corpus: str, base: str) -> str:
    """Return the record of what a base before any training makes of the sentences of a corpus."""
    return layout.record(
        plan.out, layout.EMBEDDINGS, corpus=corpus, base=base, method=START, seed=0
    )


def check_mined(where: str, method: dict) -> None:
    """Check that a method with mined negatives uses them."""
    for place in (method, method.get("on_faq", {})):
        if method.get("mined_negatives") and place.get("hard_negatives") is False:
            advice = "leave one of the two out"
            raise InputError(f"config.{where}.mined_negatives", "hard_negatives is false", advice)


def check_only_on_banks(config: dict, where: str, on_banks: bool, method: str) -> None:
    """Check that a method with mined negatives, itself or a candidate, is trained on a bank."""
    for name in (method, *candidates(config, method)):
        if mines(config, name) and not on_banks:
            problem = f"{name!r} mines its hard negatives among the answers of a FAQ bank"
            raise InputError(where, problem, "name it in a table of a bank")
