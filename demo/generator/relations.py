"""Sentences from topics, and partners that stand in a known degree of similarity to them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from generator.dice import Dice
from generator.lexicon import Phrase, Topic


@dataclass(frozen=True)
class Event:
    """Who does what where; ``where`` is None when it goes unsaid."""

    topic: Topic
    who: Phrase
    act: Phrase
    where: Phrase | None


def events(topics: tuple[Topic, ...], dice: Dice) -> Iterator[Event]:
    """Yield the topics' events in random order, none twice before all came."""
    return dice.deal(
        [Event(t, *slots) for t in topics for slots in product(t.whos, t.acts, t.wheres)]
    )


def wording(event: Event, pattern: str, reworded: str = "") -> str:
    """Fill a pattern's {who} {is} {act} {where}; ``reworded`` names by initial the slots said otherwise (w, a, p)."""
    who = event.who["w" in reworded]
    where = event.where["p" in reworded] if event.where else ""
    is_ = "are" if who.startswith("two ") else "is"
    text = pattern.format(who=who, act=event.act["a" in reworded], where=where, **{"is": is_})
    text = " ".join(text.split())
    for mark in ".?,":
        text = text.replace(f" {mark}", mark)
    text = text.strip(" ,:")
    return text[0].upper() + text[1:]


def _changed(event: Event, dice: Dice, slots: str) -> Event:
    topic = event.topic
    choices = {"who": topic.whos, "act": topic.acts, "where": topic.wheres}
    for slot, (name, phrases) in zip("wap", choices.items(), strict=True):
        if slot in slots:
            event = replace(event, **{name: dice.other(phrases, getattr(event, name))})
    return event


# score: (slots replaced by a sibling, slots reworded, is the place left out?)
STEPS = {
    "5.000": ("", "wap", False),
    "4.800": ("", "ap", False),
    "4.600": ("", "w", False),
    "4.200": ("", "", True),
    "4.000": ("", "w", True),
    "3.800": ("", "wa", True),
    "3.400": ("p", "", False),
    "3.000": ("w", "", False),
    "2.600": ("w", "a", True),
    "2.400": ("wp", "a", False),
    "2.000": ("a", "", False),
    "1.600": ("ap", "", False),
    "1.400": ("ap", "w", False),
    "1.000": ("wap", "", False),
    "0.800": ("wap", "wap", False),
}
SCORES = tuple(
    "5.000 4.000 3.000 2.000 1.000 0.000 4.800 3.800 2.600 1.600 0.200 4.600 3.400 2.400 1.400"
    " 4.200 0.800 0.000".split()
)


def partner(event: Event, stranger: Event, score: str, dice: Dice) -> tuple[Event, str]:
    """Return an event and its rewording that resemble ``event`` to the degree ``score``, below .8 the ``stranger``."""
    if score not in STEPS:
        return stranger, ""
    slots, reworded, unsaid = STEPS[score]
    near = _changed(event, dice, slots)
    return (replace(near, where=None) if unsaid else near), reworded
