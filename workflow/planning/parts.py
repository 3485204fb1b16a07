"""Learning curves: methods that are trained on a part of a FAQ bank, and the curves of answerers."""

from typing import NamedTuple

from semblance import layout
from semblance.provenance import canonical
from workflow.planning import mined
from workflow.planning.answerers import protocol_of
from workflow.planning.part_checks import KEY, curves_of, percent_of
from workflow.planning.plan import Evaluation, Plan, Run


class Part(NamedTuple):
    """A part of the training corpus of a fold."""

    corpus: str
    percent: int
    of: str

    @property
    def name(self) -> str:
        """The name of the corpus that holds it."""
        return layout.part_corpus(self.corpus, self.percent, self.of)


def parts_of(plan: Plan) -> dict[str, Part]:
    """Return the parts that the methods of a plan may be trained on, by the names of their corpora."""
    found = {}
    for method in plan.config["methods"]:
        for corpus in plan.folds_of:
            part = _part(plan, corpus, method)
            if part is not None:
                found[part.name] = part
    return found


def _part(plan: Plan, corpus: str, method: str) -> Part | None:
    stated = plan.config["methods"].get(method, {}).get(KEY)
    if stated is None or corpus not in plan.folds_of:
        return None
    return Part(corpus, stated["percent"], stated["of"])


def corpus_read(plan: Plan, corpus: str, method: str) -> str:
    """Return the corpus that a training of a method on a corpus reads: itself, or a part of it."""
    part = _part(plan, corpus, method)
    if part is None:
        return corpus
    return part.name


def rows_record(plan: Plan, corpus: str, base: str, method: str) -> str:
    """Return the record of the rows that a training reads: of its corpus or a part, or mined ones."""
    return mined.rows_record(plan, corpus_read(plan, corpus, method), base, method)


def rows_file(plan: Plan, corpus: str, base: str, method: str) -> str:
    """Return the file of the rows that a training reads."""
    return mined.rows_file(plan, corpus_read(plan, corpus, method), base, method)


def part_settings(plan: Plan, corpus: str) -> str:
    """Return the ``--settings`` of ``thin_corpus``."""
    part = parts_of(plan)[corpus]
    seed = plan.config["faq"]["seed"]
    return canonical({"percent": part.percent, "of": part.of, "seed": seed})


def curve_evaluations(plan: Plan, name: str) -> list[Evaluation]:
    """Return the evaluations that the learning curves of an answerer are made from, each once."""
    answerer = plan.config["answerers"][name]
    methods = dict.fromkeys(
        m for curve in curves_of(plan.config["answerers"][name]).values() for m in curve
    )
    return [
        Evaluation("faq", Run(corpus, answerer["base"], method, seed))
        for method in methods
        for corpus in plan.fold_corpora(answerer["bank"])
        for seed in plan.config["seeds"][answerer["seeds"]]
    ]


def curve_files(plan: Plan, name: str, file: str) -> list[str]:
    """Return a file of each of ``curve_evaluations``."""
    return [plan.scores(evaluation, file) for evaluation in curve_evaluations(plan, name)]


def curve_record(plan: Plan, name: str) -> list[str]:
    """Return the record of an answerer's learning curves, if it has some."""
    if not curves_of(plan.config["answerers"][name]):
        return []
    return [layout.record(plan.out, layout.LEARNING_CURVE, answerer=name)]


def curve_settings(plan: Plan, name: str) -> str:
    """Return the ``--settings`` of ``draw_learning_curve``."""
    answerer = plan.config["answerers"][name]
    trained = [
        {"method": method, "of": of, "percent": percent_of(plan.config, method)}
        for of, curve in curves_of(plan.config["answerers"][name]).items()
        for method in curve
    ]
    return canonical(
        {
            "bank": answerer["bank"],
            "base": answerer["base"],
            "folds": plan.folds,
            "seeds": plan.config["seeds"][answerer["seeds"]],
            "protocol": protocol_of(plan.config, answerer["bank"]),
            "parts": trained,
        }
    )
