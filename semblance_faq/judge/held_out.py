"""Two models that answer one FAQ, compared on wordings that neither of them was trained on.

The model before and the new one have learned different wordings, so that no plain test is fair to
both. Each wording is judged here by what had no part in it:

- The new model: by the models of its folds, of which each is asked about wordings that its training
  and its choice have not seen. They know three fifths of the wordings, the new model knows all.
- The model before, on a wording that is new in the log: by itself. It has never seen it.
- The model before, on a wording that it knows: by the models of its own folds.

Both are asked the same wordings with the same right answers. What is not even favours the model
before (docs/own-faq.md), so that "worse" has to be shown.
"""

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from semblance import layout
from semblance.data.arrow import read_parquet
from semblance.data.bare import bare
from semblance.data.text import normalise
from semblance.evaluation.metrics import average_precision, relevant_ranks
from semblance.evaluation.prepared import read_bank
from semblance.layout import PREDICTIONS
from semblance.provenance import read_sealed
from semblance.settings import decode
from semblance_faq.answer.answerer import Answerer
from semblance_faq.answer.questions import LONGEST
from semblance_faq.judge.building import AnswererSettings
from semblance_faq.judge.evaluations import read_evaluations, read_questions
from semblance_faq.judge.evidence import choose_by_fold, clusters_of, mean_interval
from semblance_faq.judge.summary import WORDING

LEVEL = 0.8  # of the two-sided interval: what lies below it is worse with a probability of 90 %
FEWEST = 10  # wordings that are judged by themselves
SCORES = layout.FAQ_SCORES.partition("/{")[0]


class Judged(NamedTuple):
    """A wording, its right answers, and what a model made of it: average precision, first right."""

    text: str
    relevant: frozenset[str]
    precision: float
    right: bool


ByWording = Mapping[str, Judged]  # by the text without case, white space and punctuation


@dataclass(frozen=True)
class JudgedPart:
    """Some wordings: the scores of the model before and of the new one, and clusters, (n,) each."""

    name: str
    before: np.ndarray
    now: np.ndarray
    clusters: np.ndarray

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of the mean difference, in pairs; wordings of one entry are a cluster."""
        return mean_interval(self.now - self.before, self.clusters, LEVEL)

    @property
    def is_worse(self) -> bool:
        """Whether the new model was shown to be worse."""
        return self.interval[1] < 0

    def line(self) -> str:
        """Return what was found, in one line."""
        low, high = (100 * bound for bound in self.interval)
        before = 100 * self.before.mean()
        now = 100 * self.now.mean()
        return (
            f"{self.name} ({len(self.now):,}): MAP {now:.1f}, before {before:.1f},"
            f" {now - before:+.1f} points ({LEVEL:.0%} interval {low:+.1f} to {high:+.1f})"
        )


def of_folds(folder: Path) -> dict[str, Judged]:
    """Return what the fold models of an answerer made of the wordings that they had not seen.

    For each fold the questions of the others choose the method, as for the summary. An
    answerer that was tested on other questions than wordings has none. Raises InputError for files
    that are damaged.
    """
    record = read_sealed(folder / layout.RECORD)
    where = f"{folder / layout.RECORD}.answerer"
    wanted = decode(AnswererSettings, record.get("answerer"), where)
    if wanted.protocol != WORDING:
        return {}
    places = (link["place"] for link in record["inputs"])
    scored = (place for place in places if f"/{SCORES}/" in place)
    paths = list(dict.fromkeys(os.path.normpath(folder / place) for place in scored))
    output = Path(os.path.normpath(folder / ".." / ".."))
    questions = read_questions(Path(layout.place(output, layout.BANK, bank=wanted.bank)), WORDING)
    evaluations = read_evaluations(paths, wanted.base, questions)
    bank = read_bank(layout.place(output, layout.BANK, bank=wanted.bank))
    by_id = {question.id: question for question in bank.questions if question.protocol == WORDING}
    places = zip(evaluations.results, paths, strict=True)
    of_corpus = {place.corpus: Path(path).parent for place, path in places}
    chosen = choose_by_fold(wanted.results(evaluations))
    found = {}
    for fold, result in enumerate(chosen):
        file = of_corpus[layout.fold_corpus(wanted.bank, fold)] / PREDICTIONS
        rows = read_parquet(file, ("protocol", "query")).to_pylist()
        asked = [by_id[row["query"]] for row in rows if row["protocol"] == WORDING]
        for question, precision, right in zip(asked, result.precision, result.right, strict=True):
            relevant = frozenset(bank.answers[number] for number in question.relevant)
            judged = Judged(question.text, relevant, float(precision), bool(right))
            found[bare(question.text)] = judged
    return found


def by_answerer(answerer: Answerer, asked: Collection[Judged]) -> dict[str, Judged]:
    """Return what a whole model makes of wordings that it does not know.

    A wording whose right answers it does not have, or which is too long to be asked, is left out.
    """
    answers = dict.fromkeys(normalise(entry.answer) for entry in answerer.stored.entries)
    number = {answer: place for place, answer in enumerate(answers)}
    found = {}
    for text, relevant, _, _ in asked:
        if relevant <= number.keys() and len(text) <= LONGEST:
            places = np.asarray([number[answer] for answer in relevant])
            ranks = relevant_ranks(answerer.rank_scores(text), places)
            judged = Judged(text, relevant, average_precision(ranks), bool(ranks[0] == 1))
            found[bare(text)] = judged
    return found


def compare_answerers(before: Answerer, now: Path) -> tuple[list[JudgedPart], int]:
    """Compare the model before with a new answerer, whose folder is ``now``.

    Return all held-out wordings, then those known before and those learned, if enough of each, and
    the number of wordings that could not be asked of both.
    """
    held_out = of_folds(now)
    entries = before.stored.entries
    known = {bare(text) for entry in entries for text in (entry.question, *entry.wordings)}
    new = [judged for key, judged in held_out.items() if key not in known]
    judged = {**of_folds(before.stored.folder), **by_answerer(before, new)}
    asked = [
        key
        for key, now_judged in held_out.items()
        if key in judged and judged[key].relevant == now_judged.relevant
    ]
    parts = []
    if asked:
        parts.append(_part("held-out wordings", asked, judged, held_out))
    for name, chosen in (
        ("of these known before", [key for key in asked if key in known]),
        ("of these learned", [key for key in asked if key not in known]),
    ):
        if FEWEST <= len(chosen) < len(asked):
            parts.append(_part(name, chosen, judged, held_out))
    return parts, len(held_out) - len(asked)


def _part(name: str, keys: list[str], before: ByWording, now: ByWording) -> JudgedPart:
    """Return the scores of some wordings."""
    return JudgedPart(
        name,
        np.asarray([before[key].precision for key in keys]),
        np.asarray([now[key].precision for key in keys]),
        clusters_of([now[key].relevant for key in keys]),
    )
