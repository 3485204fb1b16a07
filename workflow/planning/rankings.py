"""Methods that rank the answers of a FAQ bank in another way, with the model of another method."""

from semblance.errors import InputError
from semblance.names import START
from semblance.reporting.layouts import Layout
from workflow.planning.banks import holds_out_wordings
from workflow.planning.collecting import check_known
from workflow.planning.methods import entropy_parts, ranking


def check_ranking(config: dict, where: str, method: dict) -> None:
    """Check a method with `ranking`: it uses the model of `start` or of a method with one."""
    name = method["ranking"]["of"]
    if name == START or entropy_parts(config, name):
        return
    check_known(f"{where}.ranking.of", name, {**config["methods"], START: None}, "method")
    for key in ("ranking", "choose"):
        if key in config["methods"][name]:
            problem = f"{name!r} has no model of its own"
            raise InputError(f"config.{where}.ranking.of", problem, "name a method that has one")


def check_ranked(config: dict, where: str, layout: Layout, banks: list[str], method: str) -> None:
    """Check that a method with `ranking` stands in a table of FAQ banks that suit it."""
    stated = ranking(config, method)
    if not stated:
        return
    if not layout.over_folds:
        problem = f"{method!r} ranks answers, of which layout {layout.name!r} has none"
        raise InputError(where, problem, "name it in a table of a FAQ bank")
    if stated.get("match", "answer") == "answer":
        return
    for bank in banks:
        if not holds_out_wordings(config, bank):
            problem = f"{method!r} matches questions, and bank {bank!r} tests its own ones"
            raise InputError(where, problem, "give the bank `hold_out: wordings`")
