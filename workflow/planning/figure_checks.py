"""Cross-checks of the figures of a config: models that exist, a kind that can show them."""

from collections.abc import Callable, Iterator
from functools import partial

from semblance.errors import InputError
from semblance.figures import KINDS, package_of
from semblance.named_modules import module_file
from semblance.settings import check_keywords
from workflow.planning import word_vectors
from workflow.planning.checks import check_known, check_models
from workflow.planning.collecting import entries, items
from workflow.planning.methods import candidates, model_names, ranking, whitening
from workflow.planning.mined import check_only_on_banks
from workflow.planning.signatures import read_signature
from workflow.planning.table_checks import check_method_name


def figure_checks(config: dict) -> Iterator[Callable[[], None]]:
    """Yield checks that raise InputError, with the key, for what a figure cannot mean."""
    for name, figure in entries(config, "figures"):
        where = f"figures.{name}"
        yield partial(_check_kind, config, where, figure)
        yield partial(_check_trained, config, where, figure)
        for i, row in items(figure, "rows"):
            yield partial(_check_row, config, f"{where}.rows[{i}]", figure, row)


def _check_kind(config: dict, where: str, figure: dict) -> None:
    """Check a figure's module and options, and that its seeds, tables and collection exist."""
    kind = figure["kind"]
    path = module_file(package_of(kind), kind, f"config.{where}.kind")
    signature = read_signature(path, "rows")
    if signature is None:
        raise InputError(path, "it defines no function `rows`", "see CONTRIBUTING.md")
    if "collection" in figure:
        check_known(f"{where}.collection", figure["collection"], config["corpora"], "corpus")
    if "seeds" in figure:
        check_known(f"{where}.seeds", figure["seeds"], config["seeds"], "list of seeds")
    for table in figure.get("tables", ()):
        check_known(f"{where}.tables", table, config["tables"], "table")
    check_keywords(signature, figure.get("options", {}), f"config.{where}.options")


def _check_trained(config: dict, where: str, figure: dict) -> None:
    """Check that each method of a curve is one of ``methods`` that has a training."""
    if KINDS.get(figure["kind"]) not in ("curve", "training"):
        return
    for i, row in items(figure, "rows"):
        key = f"{where}.rows[{i}].methods"
        for name in (name for entry in row["methods"] for name in model_names(entry)):
            check_known(key, name, config["methods"], "method")
            if whitening(config, name) is not None:
                problem = f"{name!r} whitens a base and has no training"
                raise InputError(f"config.{key}", problem, "name a method that is trained")
            if ranking(config, name):
                problem = f"{name!r} ranks with the model of another method"
                raise InputError(f"config.{key}", problem, "name that method")


def _check_row(config: dict, where: str, figure: dict, row: dict) -> None:
    corpora = config["corpora"]
    kind = "corpus"
    if KINDS.get(figure["kind"]) == "questions":
        corpora = config["faq"]["banks"]
        kind = "FAQ bank"
    for corpus in row["corpora"]:
        check_known(f"{where}.corpora", corpus, corpora, kind)
    for base in row["bases"]:
        check_known(f"{where}.bases", base, config["bases"], "base")
        word_vectors.check_transformer(config, f"config.{where}.bases", base)
    for entry in row["methods"]:
        if isinstance(entry, dict):
            check_models(config, f"{where}.methods", entry)
            continue
        check_method_name(config, f"{where}.methods", entry)
        check_only_on_banks(config, f"config.{where}.methods", kind == "FAQ bank", entry)
        if candidates(config, entry):
            problem = f"{entry!r} chooses and has no models of its own"
            raise InputError(f"config.{where}.methods", problem, "name one of its candidates")
