"""Questions of a log that a person labels: three candidates each, and the number of the right one.

A third of the questions, drawn by a digest of their words, is kept apart: no training reads it, and
its labels say how good the answers to what people really ask are. Of the others those come first
whose label tells most. Each label is written at once, so that a session may end at any time.
"""

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from semblance.data.bare import bare
from semblance.errors import InputError
from semblance.files import write_text
from semblance_faq.answer.answerer import Answered, Answerer
from semblance_faq.answer.output import printable
from semblance_faq.commands.asked import read_asked
from semblance_faq.commands.coverage import share
from semblance_faq.commands.wordings import Row, own_rows, wordings_csv

CANDIDATES = 3
APART = 3  # one question of so many is kept apart
NONE = ""  # the id of a question that none of its candidates answers
LONGEST_SHOWN = 300  # characters of an answer
KEYS = f"1 to {CANDIDATES}: this one answers it; 0: none of them; empty: skip; Ctrl-D: end"


def label(
    log: str, folder: Path, output: str, count: int, ask: Callable[[str], str]
) -> Iterator[str]:
    """Ask for ``count`` labels, write each at once, and yield in lines what the labels show.

    ``ask`` shows a text and returns what the person types; EOFError ends the session.
    """
    if not output.endswith(".csv"):
        raise InputError(output, "labels are CSV", "choose a name that ends in .csv")
    files = Path(output), Path(f"{output.removesuffix('.csv')}-apart.csv")
    taught, apart = rows = [own_rows(file if file.is_file() else None) for file in files]
    times, lines = read_asked(log)
    yield from lines
    answerer = Answerer.open(folder)
    entries = answerer.stored.entries
    done = {bare(text) for text, _ in (*taught, *apart)}
    known = {bare(text) for entry in entries for text in (entry.question, *entry.wordings)}
    left = [text for text in times if bare(text) not in done]
    for one in in_turn(answerer.ask_all(left, CANDIDATES), known)[:count]:
        try:
            key = ask(_shown(one))
        except EOFError:
            break
        if key.isdecimal() and int(key) <= len(one.answers):
            chosen = one.answers[int(key) - 1].id if int(key) else NONE
            place = kept_apart(one.question) or chosen == NONE
            rows[place].append((one.question, chosen))
            write_text(files[place], wordings_csv(rows[place]))
    yield f"{files[0]}: {len(taught):,} labels; teach them by --queries {files[0]}"
    yield from judged(answerer, [row for row in apart if kept_apart(row[0])])


def kept_apart(question: str) -> bool:
    """Tell whether a question is one of the random third that no training reads."""
    return sha256(bare(question).encode()).digest()[0] % APART == 0


def in_turn(found: Sequence[Answered], known: set[str]) -> list[Answered]:
    """Return the questions to ask: one kept apart, drawn at random, then two that tell most.

    These are likely ones whose two best entries are close. A question that the FAQ has already
    (``known``, bare) teaches nothing; kept apart it is a question like any other.
    """
    turns = []
    apart = [one for one in found if kept_apart(one.question)]
    apart.sort(key=lambda one: sha256(one.question.encode()).digest())
    turns += [(APART * place, one) for place, one in enumerate(apart)]
    others = [one for one in found if not kept_apart(one.question)]
    others = sorted((one for one in others if bare(one.question) not in known), key=_gap)
    turns += [(APART * place / (APART - 1) + 1, one) for place, one in enumerate(others)]
    return [one for _, one in sorted(turns, key=lambda turn: turn[0])]


def _gap(one: Answered) -> tuple[bool, float]:
    """Return the key that sorts likely questions first, and of these those whose two best are close."""
    best, second = ([answer.score for answer in one.answers] * 2)[:2]
    return not one.likely, best - second if one.likely else -best


def _shown(one: Answered) -> str:
    """Return a question and its candidates as a terminal shows them."""
    lines = [f"\n{printable(one.question)}"]
    for answer in one.answers:
        lines.append(f"  {answer.rank}. {printable(answer.question)}")
        lines.append(f"     {printable(answer.answer):.{LONGEST_SHOWN}}")
    return "\n".join([*lines, f"{KEYS}: "])


def judged(answerer: Answerer, labels: Sequence[Row]) -> Iterator[str]:
    """Yield how well an answerer does on labelled questions that were drawn at random."""
    if not labels:
        return
    found = answerer.ask_all([text for text, _ in labels], 1)
    right = [one.answers[0].id == chosen for one, (_, chosen) in zip(found, labels, strict=True)]
    first = [r for r, (_, chosen) in zip(right, labels, strict=True) if chosen != NONE]
    given = [r for r, one in zip(right, found, strict=True) if one.is_answered]
    yield f"{len(labels):,} labelled questions were drawn at random and are kept apart:"
    for words, among in (
        ("the first answer is right", first),
        ("of the answers given, right", given),
    ):
        if among:
            yield f"  {words}: {share(sum(among), len(among))}"
    yield f"  none of the candidates was right: {share(len(labels) - len(first), len(labels))}"
