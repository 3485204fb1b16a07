"""A file that has changed since the training: its entries are embedded anew, and nothing is trained."""

import os
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import NamedTuple

from semblance import layout
from semblance.counts import counted
from semblance.data.bare import bare_or_whole
from semblance.data.faq import Faq, FaqPair
from semblance.data.text import normalise
from semblance.errors import InputError
from semblance.models.saved import WEIGHTS, SavedModel
from semblance.provenance import file_digest, named_beside
from semblance_faq.answer.bank import FaqEntry
from semblance_faq.answer.folder import (
    answerer_folder,
    embed_answerer,
    read_answerer,
    read_record,
    write_answerer,
)
from semblance_faq.commands.learn import find_run
from semblance_faq.commands.train import checked_output
from semblance_faq.read.faq import read_own

SUFFIX = "-updated"
DUE = 0.25  # of the entries: floor and threshold were not measured on so many others
KEYS = (  # what says that an entry is one of before, in this order
    lambda entry: (entry.question, entry.answer),
    lambda entry: bare_or_whole(entry.question),
    lambda entry: normalise(entry.answer),
)


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
    before = read_answerer(run.folder)
    entries, changes = continued(before.entries, faq)
    trained = SavedModel(run.folder / layout.RECORD, read_record(run.folder))
    stored = embed_answerer(entries, trained, before.settings)
    counts = ", ".join(f"{count:,} {name}" for name, count in changes._asdict().items())
    lines = [*faq.reading.lines, f"{counted(len(entries), 'entry', 'entries')}: {counts}"]
    share = sum(changes) / len(before.entries)
    if share >= DUE:
        lines.append(
            f"A training is due: the changes are {share:.0%} of the entries that the model was trained on, by"
            f" which floor and threshold were found."
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
    """Return the entries of a file, and what has changed.

    An entry for which the file names no wordings keeps those that it had, but for one that is a
    question of the file now: that entry answers it.
    """
    own: dict[str, list[str]] = {pair.id: [] for pair in faq.pairs}
    for query in faq.queries:
        for key in query.relevant:
            own[key].append(query.text)
    same = same_entries(before, faq.pairs)
    asked = {bare_or_whole(pair.question) for pair in faq.pairs}
    found = []
    other = 0
    for pair in faq.pairs:
        wordings = own[pair.id]
        if old := same.get(pair.id):
            wordings = wordings or [w for w in old.wordings if bare_or_whole(w) not in asked]
            other += (old.question, old.answer) != (pair.question, pair.answer)
        found.append(FaqEntry(pair.id, pair.question, pair.answer, tuple(wordings)))
    return found, Changes(len(found) - len(same), other, len(before) - len(same))


def same_entries(before: Sequence[FaqEntry], now: Sequence[FaqPair]) -> dict[str, FaqEntry]:
    """Return by the id of an entry which one of before it is: by both texts, else by its question.

    Else by its answer, where one entry alone has lost it and one alone has it newly: that one's
    question was reworded. Each entry of before is one of now at most.
    """
    found: dict[str, FaqEntry] = {}
    for number, key_of in enumerate(KEYS):
        claimed = {entry.id for entry in found.values()}
        old: dict[Hashable, list[FaqEntry]] = {}
        new: dict[Hashable, list[FaqPair]] = {}
        for entry in before:
            if entry.id not in claimed:
                old.setdefault(key_of(entry), []).append(entry)
        for pair in now:
            if pair.id not in found:
                new.setdefault(key_of(pair), []).append(pair)
        for key, pairs in new.items():
            entries = old.get(key, [])
            if number < len(KEYS) - 1 or len(pairs) == len(entries) == 1:
                found |= {pair.id: entry for pair, entry in zip(pairs, entries, strict=False)}
    return found
