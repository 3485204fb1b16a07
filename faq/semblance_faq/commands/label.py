"""Questions of a log that a person labels: three candidates each, and the number of the right one.

A third of the questions, drawn by a digest of their words, is kept apart: no training reads it, and
its labels say how good the answers to what people really ask are. Of the others those come first
whose label tells most. Each label is written at once, so that a session may end at any time.
"""

import contextlib
import csv
import io
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import chain, zip_longest
from pathlib import Path

import numpy as np

from semblance.data.text import bare, filled, normalise
from semblance.errors import InputError
from semblance.files import write_text
from semblance_faq.answer.answerer import Answered, Answerer
from semblance_faq.answer.bank import build_bank
from semblance_faq.answer.output import printable
from semblance_faq.commands.coverage import read_asked, share
from semblance_faq.read.faq import QUERY_COLUMNS
from semblance_faq.read.findings import Findings
from semblance_faq.read.tables import read_table
from semblance_faq.read.text import read_text

CANDIDATES = 3
APART = 3  # one question of so many is kept apart
NONE = ""  # the id of a question that none of its candidates answers
LONGEST_SHOWN = 300  # characters of an answer
MARK = "\ufeff"  # tells Excel that a file is UTF-8
# At its start a spreadsheet takes a cell for a formula, the wide forms in some languages.
FORMULA = tuple("=+-@＝＋－＠")
SHIELD = "'"  # before them makes it a text; the words of the question stay
Row = tuple[str, str]  # of the file: query, id
KEYS = f"1 to {CANDIDATES}: this one answers it; 0: none of them; empty: skip; Ctrl-D: end: "


def label(
    log: str, folder: Path, output: str, count: int, ask: Callable[[str], str]
) -> Iterator[str]:
    """Ask for ``count`` labels, write each at once, and yield in lines what the labels show.

    ``ask`` shows a text and returns what the person types; EOFError ends the session. InputError for
    an output that holds something else than labels.
    """
    if not output.endswith(".csv"):
        raise InputError(output, "labels are CSV", "choose a name that ends in .csv")
    files = Path(output), Path(f"{output.removesuffix('.csv')}-apart.csv")
    done = {bare(text) for file in files for text, _ in labels_of(file)}
    times, _, lines = read_asked(log)
    yield from lines
    answerer = Answerer.open(folder)
    entries = answerer.stored.entries
    known = {bare(text) for entry in entries for text in (entry.question, *entry.wordings)}
    left = [text for text in times if bare(text) not in done | known]
    turns = iter(in_turn(answerer.ask_all(left, CANDIDATES)))
    with contextlib.suppress(EOFError):
        while count > 0 and (one := next(turns, None)):
            keys = ["", *map(str, range(len(one.answers) + 1))]
            key = ask(f"{_prompt(one)}\n{count:,} to go; {KEYS}").strip()
            while key not in keys:
                key = ask(KEYS).strip()
            if key:
                count -= 1
                chosen = one.answers[int(key) - 1].id if int(key) else NONE
                file = files[kept_apart(one.question) or chosen == NONE]
                write_text(file, labels_csv([*labels_of(file), (one.question, chosen)]))
    all_taught, still = labels_of(files[0]), sum(1 for _ in turns)
    taught, apart = (
        [row for row in labels_of(file) if bare(row[0]) not in known] for file in files
    )
    told = f"{len(all_taught):,} labels to teach, by --queries {files[0]}"
    yield f"\n{files[0]}: {told}; {still:,} questions are left"
    apart = [row for row in apart if kept_apart(row[0])]
    yield from judged(answerer, apart)
    if apart and taught and answerer.stored.settings.match != "answer":
        yield f"and with {len(taught):,} labels as wordings, which `semblance faq update` takes over:"
        yield from judged(with_wordings(answerer, taught), apart)


def with_wordings(answerer: Answerer, labels: Iterable[Row]) -> Answerer:
    """Return an answerer whose entries have labels as further wordings, as an update has them."""
    stored = answerer.stored
    own: dict[str, list[str]] = {}
    for text, entry in labels:
        own.setdefault(entry, []).append(text)
    entries = tuple(
        replace(entry, wordings=(*entry.wordings, *own.get(entry.id, ())))
        for entry in stored.entries
    )
    bank = build_bank(entries, stored.settings.match)
    vectors = dict(zip(stored.bank.texts, stored.vectors, strict=True))
    new = [text for text in bank.texts if text not in vectors]
    if new and answerer.embedder is not None:
        vectors |= zip(new, answerer.embedder.embed(new), strict=True)
    rows = np.stack([vectors.get(text, stored.vectors[0]) for text in bank.texts])
    return Answerer(replace(stored, entries=entries, bank=bank, vectors=rows))


def labels_of(file: Path) -> list[Row]:
    """Return the labels of a file, as it stands now; none if it is not there."""
    if not file.exists():
        return []
    header = read_text(file, Findings()).partition("\n")[0]  # a spreadsheet may have saved it anew
    if header.replace('"', "").replace(";", ",") != "query,id":
        raise InputError(file, "holds something else than labels", "name a new file")
    rows = []
    for line, row in read_table(file, QUERY_COLUMNS, Findings()):
        text = filled(row.get("query"), "query", file, line)
        rows.append((text, normalise(str(row.get("id", "")))))
    return rows


def labels_csv(rows: Iterable[Row]) -> str:
    """Return a file of labels: each cell in quotes, and none that a spreadsheet would compute."""
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(("query", "id"))
    for query, entry in rows:
        shield = SHIELD * query.startswith(FORMULA)
        writer.writerow((shield + query, entry))
    return MARK + text.getvalue()


def kept_apart(question: str) -> bool:
    """Tell whether a question is one of the random third that no training reads."""
    return sha256(bare(question).encode()).digest()[0] % APART == 0


def in_turn(found: Sequence[Answered]) -> list[Answered]:
    """Return the questions to ask: one kept apart, drawn at random, then two that tell most.

    These are likely ones whose two best entries are close.
    """
    apart = [one for one in found if kept_apart(one.question)]
    apart.sort(key=lambda one: sha256(one.question.encode()).digest())

    def gap(one: Answered) -> tuple[bool, float]:
        best, second = ([answer.score for answer in one.answers] * 2)[:2]
        return not one.likely, best - second if one.likely else -best

    others = sorted((one for one in found if not kept_apart(one.question)), key=gap)
    rounds = zip_longest(apart, *(others[place :: APART - 1] for place in range(APART - 1)))
    return [one for one in chain.from_iterable(rounds) if one is not None]


def _prompt(one: Answered) -> str:
    """Return a question and its candidates as a terminal shows them."""
    lines = [f"\n{printable(one.question)}"]
    for answer in one.answers:
        lines.append(f"  {answer.rank}. {printable(answer.question)}")
        lines.append(
            f"     {textwrap.shorten(printable(answer.answer), LONGEST_SHOWN, placeholder=' …')}"
        )
    return "\n".join(lines)


def judged(answerer: Answerer, labels: Sequence[Row]) -> Iterator[str]:
    """Yield how well an answerer does on labelled questions that were drawn at random.

    Labels of entries that it does not have are left out. Entries with one answer are one.
    """
    answer_of = {entry.id: normalise(entry.answer) for entry in answerer.stored.entries}
    labels = [row for row in labels if row[1] in (NONE, *answer_of)]
    if not labels:
        return
    answers = answerer.ask_all([text for text, _ in labels], 1)
    given, right = [], []
    for one, (_, chosen) in zip(answers, labels, strict=True):
        is_right = answer_of.get(chosen) == normalise(one.answers[0].answer)
        right += [is_right] * (chosen != NONE)
        given += [is_right] * bool(one.given)
    yield f"{len(labels):,} labelled questions were drawn at random and are kept apart:"
    for words, among in (
        ("the first answer is right", right),
        ("of the answers given, right", given),
    ):
        if among:
            yield f"  {words}: {share(sum(among), len(among))}"
    yield f"  none of the candidates was right: {share(len(labels) - len(right), len(labels))}"
