"""Cross-checks of the answerers of a config."""

from collections.abc import Iterator
from functools import partial

from semblance.errors import InputError
from semblance.names import START
from semblance.reporting.layouts import find_layout
from semblance_faq.extends.settings import Answerer
from semblance_faq.extends.stages import answerer_protocol
from workflow.checks.options import Check, check_known
from workflow.config.methods import (
    PAIRS,
    entropy_model,
    is_untrained,
    model_of,
    trained,
    whitening,
)
from workflow.config.model import Config


def checks(config: Config) -> Iterator[Check]:
    """Yield a check of each answerer, and of its parts."""
    for name, answerer in config.answerers.items():
        yield partial(_check_protocol, config, answerer.bank)
        yield partial(_check_ways, config, f"config.answerers.{name}.methods", answerer)


def _check_protocol(config: Config, bank: str) -> None:
    judged_by_pairs = answerer_protocol(config, bank) == PAIRS
    if judged_by_pairs and PAIRS not in config.evaluate_faq.protocols:
        problem = f"an answerer of bank {bank!r} is judged by {PAIRS}"
        raise InputError("config.evaluate_faq.protocols", problem, f"add {PAIRS}")


def _check_ways(config: Config, where: str, answerer: Answerer) -> None:
    """Check the methods of an answerer: each model can be trained on a whole bank, and is evaluated."""
    for method in answerer.methods:
        check_known(where, method, [*config.methods, START], "method")
        used = model_of(config, method)
        if used != START:
            check_known(where, used, config.methods, "method")
            if entropy_model(config, used):
                raise InputError(where, f"{used!r} is an entropy model", "name another method")
            if whitening(config, used):
                advice = "an answerer cannot use that yet; name another method"
                raise InputError(where, f"{used!r} whitens its embeddings", advice)
            if (training := trained(config, used)) and training.steps_of:
                problem = f"{used!r} takes its steps from other trainings, not from its folds"
                raise InputError(where, problem, "name a method without steps_of")
        _check_evaluated(config, where, answerer, method)


def _check_evaluated(config: Config, where: str, answerer: Answerer, method: str) -> None:
    """Check that tables of the bank evaluate a method with the base and the seeds of an answerer."""
    wanted = set(config.seeds[answerer.seeds])
    seeds: list[set[int]] = []
    for table in config.tables.values():
        if not find_layout(table.layout).over_folds:
            continue
        for row in table.rows:
            on_bank = answerer.bank in row.corpora and answerer.base in row.bases
            if on_bank and method in row.method_names:
                seeds.append(set(config.seeds[table.seeds]))
    if not seeds or not is_untrained(config, method) and not wanted <= set().union(*seeds):
        problem = (
            f"no table of bank {answerer.bank!r} evaluates {method!r} with base"
            f" {answerer.base!r} and the seeds {answerer.seeds!r}"
        )
        raise InputError(where, problem, "name it in a row of a table")
