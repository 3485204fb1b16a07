"""A file that has changed since the training: its entries are embedded anew, and nothing is trained."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from semblance import layout
from semblance.counts import counted
from semblance.data.bare import bare_or_whole
from semblance.data.faq import Faq
from semblance.data.text import normalise
from semblance.errors import InputError
from semblance.models.saved import WEIGHTS, SavedModel
from semblance.provenance import file_digest, named_beside
from semblance_faq.answer.answerer import Answerer
from semblance_faq.answer.bank import FaqEntry
from semblance_faq.answer.folder import (
    answerer_folder,
    embed_answerer,
    read_record,
    write_answerer,
)
from semblance_faq.commands.learn import find_run
from semblance_faq.commands.train import checked_output
from semblance_faq.judge.held_out import Judged, by_answerer
from semblance_faq.read.faq import read_own

SUFFIX = "-updated"
MOST_ASKED = 500  # known wordings that are asked again, some seconds
DUE = 0.25  # of the entries: floor and threshold were not measured on so many others


class Changes(NamedTuple):
    """How many entries are new, have another question or answer, and are gone."""

    new: int
    other: int
    gone: int


def update(file: str, model: str, output: str | None, queries: str | None) -> list[str]:
    """Write the answerer of a file as it stands now, by a trained model; return what was found."""
    run = find_run(read_record(answerer_folder(model)).get("update_of", model))
    output = checked_output(output or run.output + SUFFIX)
    record = Path(layout.record(output, layout.ANSWERER, answerer=run.answerer))
    if record.is_file() and "update_of" not in read_record(record.parent):
        raise InputError(output, "holds a trained FAQ", "choose another --output")
    faq = read_own(file, run.columns(), queries)
    before = Answerer.open(run.folder)
    entries, changes = continued(before.stored.entries, faq)
    trained = SavedModel(run.folder / layout.RECORD, read_record(run.folder))
    stored = embed_answerer(entries, trained, before.stored.settings)
    counts = ", ".join(f"{count:,} {name}" for name, count in changes._asdict().items())
    lines = [*faq.reading.lines, f"{counted(len(entries), 'entry', 'entries')}: {counts}"]
    lines += known_lines(before, Answerer(stored))
    share = sum(changes) / len(before.stored.entries)
    if share >= DUE:
        lines.append(
            f"A training is due: the changes are {share:.0%} of the entries that the model was trained on, by"
            f" which floor and threshold were found. semblance faq train {file}"
        )
    text = "".join(f"- {line}\n" for line in lines)
    weights = run.folder / WEIGHTS
    write_answerer(
        record.parent,
        trained,
        stored,
        texts={layout.SUMMARY: f"# {run.answerer}, updated without a training\n\n{text}"},
        inputs=named_beside(record, {file: file_digest(file), weights: trained.weights_digest}),
        records=named_beside(record, {file: Path(file), weights: trained.record}),
        update_of=os.path.realpath(run.output),
    )
    return [*lines, f"Ask by --model {output}; {run.output} stays as it is."]


def continued(before: Sequence[FaqEntry], faq: Faq) -> tuple[list[FaqEntry], Changes]:
    """Return the entries of a file, and what has changed: their questions say which is which.

    One with another question has changed, too, if its answer is that of an entry whose question is
    gone. Where the file names no wordings, an entry keeps those that it had.
    """
    own: dict[str, list[str]] = {pair.id: [] for pair in faq.pairs}
    for query in faq.queries:
        for key in query.relevant:
            own[key].append(query.text)
    asked = {bare_or_whole(pair.question) for pair in faq.pairs}
    by_texts = {(entry.question, entry.answer): entry for entry in before}
    by_question = {bare_or_whole(entry.question): entry for entry in before}
    by_answer = {
        normalise(entry.answer): entry
        for entry in before
        if bare_or_whole(entry.question) not in asked
    }
    found = []
    same: dict[str, FaqEntry] = {}  # by its id, an entry of before that is there still
    new = other = 0
    for pair in faq.pairs:
        entry = FaqEntry(pair.id, pair.question, pair.answer, tuple(own[pair.id]))
        old = (
            by_texts.get((pair.question, pair.answer))
            or by_question.get(bare_or_whole(pair.question))
            or by_answer.get(normalise(pair.answer))
        )
        if old is not None:
            same[old.id] = old
            if not faq.queries:
                entry = replace(entry, wordings=old.wordings)
        new += old is None
        other += old is not None and (old.question, old.answer) != (pair.question, pair.answer)
        found.append(entry)
    return found, Changes(new, other, len(before) - len(same))


def known_lines(before: Answerer, now: Answerer) -> list[str]:
    """Say for how many known wordings the first answer is right, with the entries of before and now."""
    right: dict[str, set[str]] = {}
    for entry in now.stored.entries:
        for wording in entry.wordings:
            right.setdefault(wording, set()).add(normalise(entry.answer))
    asked = [Judged(text, frozenset(answers), 0.0, False) for text, answers in right.items()]
    found = [by_answerer(answerer, asked[:MOST_ASKED]) for answerer in (before, now)]
    both = found[0].keys() & found[1].keys()
    if not both:
        return []
    shares = [np.mean([each[key].right for key in both]) for each in found]
    wordings = counted(len(both), "known wording")
    return [f"{wordings}: the first answer is right for {shares[1]:.1%}, before {shares[0]:.1%}"]
