"""The config of one FAQ of a user's own: a few trainings, and one answerer at the end.

It is laid over config.yaml, of which it leaves out the papers' tables, figures and banks.
"""

from dataclasses import dataclass
from typing import Any

BANK = "faq"
BASE = "minilm"  # all-MiniLM-L6-v2, Apache-2.0: a package that is installed, so no hub is asked
MULTILINGUAL = "multilingual-e5-small"
READY = (  # bases of config.yaml that were made for searching
    "e5-small",
    "e5-base",
    MULTILINGUAL,
    "bge-small",
    "bge-base",
    "arctic-small",
    "arctic-base",
)
TUNED = {  # RCL's Eq. 1 with its dropout, on a FAQ of some hundred entries
    "label": "Tuned",
    "recipe": "rcl",
    "dropout": {"attention": 0.1},
    # A few minutes on two cores. On StackFAQ's wordings these steps reach the dev score of 400 at the
    # recipe's 2e-5. On the 210 entries of the COVID tables an earlier step is best on dev.
    "on_faq": {
        "batch_size": 16,
        "epochs": 10,
        "max_steps": 120,
        "learning_rate": 1.0e-4,
        "frozen_share": 0.5,
        "evaluate_share": 0.5,  # an evaluation embeds all answers: of 500, as long as 10 steps
    },
}
PRECISION = 0.9  # of the answers given, where the user states none
FOLDS = 5
FEWEST_WORDINGS = 5 * FOLDS  # of users, of which some are held out; with fewer, entries are

BETTER = "-better"  # a question is compared with answers and known questions


@dataclass(frozen=True)
class OwnFaq:
    """A user's file, and what is made of it.

    It holds so many ``wordings`` of users that are no question of an entry.

    Without a GPU (``gpus`` 0) times are predicted for the processor, and no job looks for one.
    """

    path: str
    output: str
    wordings: int
    precision: float = PRECISION
    queries_path: str | None = None
    question_column: str | None = None
    answer_column: str | None = None
    bf16: bool = False
    gpus: int = 1
    base: str = BASE

    @property
    def holds_out_wordings(self) -> bool:
        """Whether there are enough queries to test the model on some of them."""
        return self.wordings >= FEWEST_WORDINGS


def quick_config(known: dict, bases: dict, own: OwnFaq) -> dict[str, Any]:
    """Return the config to lay over ``known``, which is config.yaml.

    ``bases`` are those that ``known`` lacks.
    """
    methods = _methods(own)
    better = BETTER * own.holds_out_wordings
    candidates = [  # the simplest first
        *(f"start{better}", "bm25", "start-hybrid"),
        *(f"tuned{better}", "tuned-hybrid"),
    ]
    answerer = {"bank": BANK, "base": own.base, "methods": candidates, "seeds": BANK}
    answerer["precision"] = own.precision
    row = {"corpora": [BANK], "bases": [own.base], "methods": candidates}
    table = {
        "title": "Ways to answer from my FAQ",
        "layout": "faq",
        "seeds": BANK,
        "control": f"tuned{better}",
        "rows": [row],
    }
    return {
        "output": own.output,
        "keep": {"models": "final"},
        "seeds": {BANK: [1]},
        "bases": bases,
        "faq": {
            "folds": FOLDS,
            "banks": {**dict.fromkeys(known["faq"]["banks"]), BANK: _bank(own)},
        },
        "methods": methods,
        **_computing(own),
        "papers": [],
        "tables": {BANK: table},
        "figures": {"contrasts": None},
        "answerers": {BANK: answerer},
    }


def _methods(own: OwnFaq) -> dict[str, dict]:
    """Return the methods: the trained one, and how each model ranks, alone and with BM25."""

    def ranking(label: str, of: str, by: str) -> dict:
        match = "better" if own.holds_out_wordings else "answer"
        return {"label": label, "ranking": {"of": of, "by": by, "match": match}}

    methods: dict[str, dict] = {"tuned": TUNED, "bm25": ranking("BM25", "start", "words")}
    for of, label in (("start", "Untrained"), ("tuned", "Tuned")):
        if own.holds_out_wordings:
            methods[f"{of}{BETTER}"] = ranking(f"{label}, all texts", of, "vectors")
        methods[f"{of}-hybrid"] = ranking(f"{label} with BM25", of, "hybrid")
    return methods


def _bank(own: OwnFaq) -> dict[str, str]:
    """Return the bank: what the user states of the file, and what the folds hold out."""
    hold_out = "wordings" if own.holds_out_wordings else "entries"
    names = ("queries_path", "question_column", "answer_column")
    given = {name: getattr(own, name) for name in names if getattr(own, name) is not None}
    return {"kind": "own", "path": own.path, "hold_out": hold_out, **given}


def _computing(own: OwnFaq) -> dict[str, dict]:
    """Return the sections that say what is tested, and how models are trained and compute."""
    # A wording is no wrong answer to another one of its entry.
    training: dict[str, Any] = {"apart": "entries"}
    evaluation: dict[str, Any] = {"protocols": ["pairs"], "threads": 1}
    if own.bf16:
        training["precision"] = "bf16"
        evaluation["precision"] = "bf16"
    sections: dict[str, dict] = {"training": training, "evaluate_faq": evaluation}
    if not own.gpus:
        sections["resources"] = {"gpus": 0}
    return sections
