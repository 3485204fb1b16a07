"""A file that has changed since the training: its entries are embedded anew, and nothing is trained."""

import os
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from semblance import layout
from semblance.counts import counted
from semblance.data.faq import Faq, FaqPair
from semblance.data.text import bare_or_whole, normalise
from semblance.errors import InputError
from semblance.files import whole_folder
from semblance.locks import exclusive
from semblance.models.saved import WEIGHTS, SavedModel
from semblance.provenance import file_digest, named_beside
from semblance.strict_yaml import read_yaml
from semblance_faq.answer.bank import FaqEntry
from semblance_faq.answer.folder import (
    StoredAnswerer,
    answerer_folder,
    embed_answerer,
    read_answerer,
    read_record,
    write_answerer,
)
from semblance_faq.answer.places import ANSWERER, SUMMARY
from semblance_faq.commands.config import FEWEST_WORDINGS
from semblance_faq.read.faq import read_own

SUFFIX = "-updated"
OWN = "own"  # the kind of a bank that is a user's file
TRAINING_IS_DUE = (
    "A training is due: the changes are {:.0%} of the entries that the model was trained on, by which"
    " floor and threshold were found."
)
ANSWERS_ALONE = (
    "This model compares a question with the answers alone: a wording counts where it is asked word"
    f" for word, and any once it is trained again with {FEWEST_WORDINGS} of them or more."
)
DUE = 0.25  # of the entries: floor and threshold were not measured on so many others


def _texts(entry: FaqEntry | FaqPair) -> tuple[str, str]:
    """Return what an entry says, however it is spelled."""
    return bare_or_whole(entry.question), bare_or_whole(entry.answer)


KEYS = (  # what says that an entry is one of before, in this order
    lambda entry: (entry.question, normalise(entry.answer)),
    lambda entry: bare_or_whole(entry.question),
    lambda entry: normalise(entry.answer),
)


class Changes(NamedTuple):
    """How many entries are new, have another question or answer, and are gone."""

    new: int
    other: int
    gone: int


@dataclass(frozen=True)
class TrainedRun:
    """The run that made a model: its output folder, the answerer's name, what the config says of the file."""

    output: str
    answerer: str
    bank: dict[str, Any]

    @property
    def folder(self) -> Path:
        """The folder of the answerer."""
        return Path(layout.place(self.output, ANSWERER, name=self.answerer))


def find_run(model: str) -> TrainedRun:
    """Return the run of a folder that ``semblance faq train`` has written, or of the answerer in it.

    Raises InputError for a folder without its config or its answerer.
    """
    answerer = answerer_folder(os.path.normpath(model))
    read_record(answerer)
    output = str(answerer.parent.parent)
    path = Path(f"{output}.yaml")
    if not path.is_file():
        advice = "update where semblance faq train wrote both, the folder and its config"
        raise InputError(path, "no such config of the model", advice)
    config = read_yaml(path)
    try:
        bank = config["faq"]["banks"][config["answerers"][answerer.name]["bank"]]
        is_own = bank["kind"] == OWN and "path" in bank
    except (KeyError, TypeError):
        is_own = False
    if not is_own:
        problem = f"does not say from which file {answerer.name!r} was trained"
        raise InputError(path, problem, "name the folder that semblance faq train wrote")
    return TrainedRun(output, answerer.name, bank)


def update(
    file: str, model: str, output: str | None = None, queries: str | None = None
) -> list[str]:
    """Write the answerer of a file as it stands now, by a trained model; return what was found.

    Wordings are taken over from ``model``, which may be an update; changes count from the training.
    """
    run = find_run(read_record(answerer_folder(model)).get("update_of", model))
    output = os.path.normpath(os.path.expanduser(output or run.output + SUFFIX))
    record = Path(layout.record(output, ANSWERER, name=run.answerer))
    is_trained = record.is_file() and "update_of" not in read_record(record.parent)
    if is_trained or Path(f"{output}.yaml").exists():
        raise InputError(output, "is the folder of a training", "choose another --output")
    trained = SavedModel(run.folder / layout.RECORD, read_record(run.folder))
    before = read_answerer(run.folder)
    latest = read_answerer(answerer_folder(model))
    own = {path: file_digest(path) for path in (file, queries) if path}
    files = {run.folder / WEIGHTS: trained.weights_digest, **own}
    columns = {role: run.bank.get(f"{role}_column") for role in ("question", "answer")}
    entries, lines = entries_now(read_own(file, columns, queries), before, latest)
    stored = embed_answerer(entries, trained, before.settings)
    text = "".join(f"- {line}\n" for line in lines)
    records = {path: Path(path) for path in files} | {run.folder / WEIGHTS: trained.record}
    with exclusive(output), whole_folder(record.parent) as folder:
        write_answerer(
            folder,
            trained,
            stored,
            texts={SUMMARY: f"# {run.answerer}, updated without a training\n\n{text}"},
            inputs=named_beside(record, files),
            records=named_beside(record, records),
            update_of=os.path.realpath(run.output),
        )
    return [*lines, f"Ask by --model {output}; {run.output} stays as it is."]


def entries_now(
    faq: Faq, before: StoredAnswerer, latest: StoredAnswerer
) -> tuple[list[FaqEntry], list[str]]:
    """Return the entries of a file, what was found and has changed, and if a training is due.

    Entries are compared with those of the training, wordings with those of the ``latest`` update.
    """
    changes = continued(before.entries, faq)[1]
    entries = continued(latest.entries, faq)[0]
    counts = ", ".join(f"{count:,} {name}" for name, count in changes._asdict().items())
    old, now = (
        {bare_or_whole(text) for entry in some for text in entry.wordings}
        for some in (latest.entries, entries)
    )
    lines = [
        *faq.reading.lines,
        f"{counted(len(entries), 'entry', 'entries')}: {counts}",
        f"{counted(len(now), 'wording')}: {len(now - old):,} new, {len(old - now):,} gone",
    ]
    if now and before.settings.match == "answer":
        lines.append(ANSWERS_ALONE)
    share = sum(changes) / len(before.entries)
    if share >= DUE:
        lines.append(TRAINING_IS_DUE.format(share))
    return entries, lines


def continued(before: Sequence[FaqEntry], faq: Faq) -> tuple[list[FaqEntry], Changes]:
    """Return the entries of a file, and what has changed.

    An entry for which the file names no wordings keeps those that it had, but for one that the file
    has at another entry now, as its question or as a wording.
    """
    own: dict[str, list[str]] = {pair.id: [] for pair in faq.pairs}
    for query in faq.queries:
        for key in query.relevant:
            own[key].append(query.text)
    same = same_entries(before, faq.pairs)
    asked = {bare_or_whole(pair.question) for pair in faq.pairs}
    asked |= {bare_or_whole(query.text) for query in faq.queries}
    entries = []
    other = 0
    for pair in faq.pairs:
        wordings = own[pair.id]
        if old := same.get(pair.id):
            wordings = wordings or [w for w in old.wordings if bare_or_whole(w) not in asked]
            other += _texts(old) != _texts(pair)
        entries.append(FaqEntry(pair.id, pair.question, pair.answer, tuple(wordings)))
    return entries, Changes(len(entries) - len(same), other, len(before) - len(same))


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
