"""Invented vocabulary, in lexicon.txt: topics whose who, act and where combine freely."""

from dataclasses import dataclass
from pathlib import Path

Phrase = tuple[str, str]  # (wording, another wording of the same thing)
SLOTS = ("whos", "acts", "wheres")


@dataclass(frozen=True)
class Topic:
    """One field of life: ``general`` follows from any act of the topic, ``contrary`` excludes all of them."""

    whos: tuple[Phrase, ...]
    acts: tuple[Phrase, ...]
    wheres: tuple[Phrase, ...]
    someone: str
    general: str
    contrary: str


def _topic(lines: list[str]) -> Topic:
    values = dict(line.split(": ", 1) for line in lines)
    slots = {name: tuple(map(_phrase, values.pop(name).split("; "))) for name in SLOTS}
    return Topic(**slots, **values)


def _phrase(text: str) -> Phrase:
    plain, paraphrase = text.split("|")
    return plain, paraphrase


def _read() -> dict[str, tuple[Topic, ...]]:
    """Return the topics below each heading, in their order."""
    found: dict[str, tuple[Topic, ...]] = {}
    text = Path(__file__).with_name("lexicon.txt").read_text(encoding="utf-8")
    for block in text.split("\n\n")[1:]:
        heading, *lines = block.splitlines()
        found[heading] = (*found.get(heading, ()), _topic(lines))
    return found


_TOPICS = _read()
CAPTIONS = _TOPICS["[captions]"]
NEWS = _TOPICS["[news]"]
ADVICE = _TOPICS["[advice]"]
