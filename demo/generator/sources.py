"""Sources of sentence pairs: Quora's questions, Flickr30k's captions, ParaNMT and ANLI."""

import json

from generator.dice import Dice
from generator.lexicon import ADVICE, CAPTIONS, NEWS
from generator.nli import CAPTION, contradicted, entailed, neutral, pattern_of
from generator.relations import Event, events, wording

ASKED = ("How can {who} {act} {where}?", "What is the best way for {who} to {act} {where}?")
REASON = "Why would {who} {act} {where}?"
REWORDED = ("", "w", "a", "p", "wap")
SAID = ("{who} will {act} {where} .", "it is said that {who} will {act} {where} .")
ROUNDS = {"R1": 4, "R2": 5, "R3": 6}  # contexts of each round of ANLI


def quora() -> str:
    """Return Quora's table: 48 pairs, a field in quotes where it holds a tab, a quote or a line end.

    One question is empty, and one goes on in a second line, as in the release.
    """
    dice = Dice(501)
    deck = events(ADVICE, dice)
    lines = ["id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate"]
    for number in range(48):
        first, second, duplicate = _questions(next(deck), number, dice)
        ids = f"{number}\t{2 * number + 1}\t{2 * number + 2}"
        lines.append(f"{ids}\t{_quoted(first)}\t{_quoted(second)}\t{duplicate}")
    return "\n".join(lines) + "\n"


def _questions(event: Event, number: int, dice: Dice) -> tuple[str, str, int]:
    first = wording(event, ASKED[number % 2])
    second = wording(event, ASKED[1 - number % 2], "wa")
    if number == 17:
        return first, "", 0
    if number == 29:
        return f'Is "{first}" a good question?', f"Is this\na good question: {first}", 1
    if dice.below(5) < 2:
        return first, wording(event, REASON), 0
    return first, second, 1


def _quoted(text: str) -> str:
    if any(mark in text for mark in '"\t\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def captions() -> str:
    """Return a token file: 10 images of five captions each."""
    dice = Dice(502)
    deck = events(CAPTIONS, dice)
    lines = []
    for number in range(10):
        event = next(deck)
        image = f"{8000 + 41 * number}.jpg"
        for place, reworded in enumerate(REWORDED):
            lines.append(f"{image}#{place}\t{wording(event, CAPTION, reworded)}")
    return "\n".join(lines) + "\n"


def paraphrases() -> str:
    """Return ParaNMT's table: 16 sentences in lower case, each with a paraphrase and its score."""
    dice = Dice(503)
    deck = events(NEWS, dice)
    lines = []
    for number in range(16):
        event = next(deck)
        first = wording(event, SAID[number % 2]).lower()
        second = wording(event, SAID[1 - number % 2], "wa").lower()
        lines.append(f"{first}\t{second}\t0.{700 + dice.below(250)}")
    return "\n".join(lines) + "\n"


def anli() -> dict[str, str]:
    """Return the training file of each round: contexts of several sentences, three hypotheses each."""
    dice = Dice(504)
    deck = events(NEWS + ADVICE, dice)
    return {
        f"{name}/train.jsonl": _round(name, count, deck, dice) for name, count in ROUNDS.items()
    }


def _round(name: str, contexts: int, deck, dice: Dice) -> str:
    rows = []
    for number in range(contexts):
        event = next(deck)
        further = next(deck)
        context = f"{wording(event, pattern_of(event))} {wording(further, pattern_of(further))}"
        hypotheses = {
            "e": entailed(event, number),
            "n": neutral(event, dice),
            "c": contradicted(event, number, dice),
        }
        for label, hypothesis in hypotheses.items():
            uid = f"{name}-{number}-{label}"
            rows.append({"uid": uid, "context": context, "hypothesis": hypothesis, "label": label})
    return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
