"""Inference corpora: SimCSE's triples as CSV, SNLI and MultiNLI as JSON lines."""

import csv
import io
import json

from generator.dice import Dice
from generator.lexicon import ADVICE, CAPTIONS, NEWS
from generator.relations import Event, events, wording

CAPTION = "{who} {is} {act} {where}."
PLAN = "{who} will {act} {where}."
SKILL = "{who} can {act} {where}."
GENRES = {
    "government": NEWS,
    "slate": NEWS,
    "travel": CAPTIONS,
    "fiction": CAPTIONS,
    "telephone": ADVICE,
}

EXTRAS = (
    "for the first time;to win a bet;with a famous visitor nearby;because of a promise;"
    "for a documentary film;as on every Tuesday;without telling anyone"
).split(";")

# Real text that careless readers turn into missing values.
ODD_TRIPLES = (
    ("null", "The field holds the word null.", "The field holds a street name."),
    ("The answer column says NA.", "NA", "The answer column says yes."),
    ("The clerk wrote n/a in the last box.", "The last box says n/a.", "n/a"),
    (
        "None of the parcels arrived.",
        "The parcels are still missing.",
        "Every parcel arrived on time.",
    ),
    (
        'The sign reads "closed, back soon".',
        "The place is closed, for now.",
        'The sign reads "open".',
    ),
)


def pattern_of(event: Event) -> str:
    """Return the sentence pattern that suits an event's topic."""
    return CAPTION if event.topic in CAPTIONS else PLAN if event.topic in NEWS else SKILL


def _frame(event: Event) -> str:
    """Return the pattern without its slots, as in ``{} is {}.``, for general and contrary statements."""
    return pattern_of(event).replace("{where}", "")


def entailed(event: Event, way: int) -> str:
    """Return a sentence that follows from the event's; ``way`` chooses how it says less or says it otherwise."""
    topic = event.topic
    general = Event(topic, (topic.someone,) * 2, (topic.general,) * 2, None)
    return (
        wording(Event(topic, event.who, event.act, None), _frame(event)),
        wording(general, _frame(event)).replace("Officials is", "Officials are"),
        wording(event, pattern_of(event), "wa"),
        wording(Event(topic, event.who, (topic.general,) * 2, None), _frame(event)),
    )[way % 4]


def contradicted(event: Event, way: int, dice: Dice) -> str:
    """Return a sentence that cannot be true beside the event's."""
    topic = event.topic
    if way % 3 == 0:
        return wording(Event(topic, event.who, (topic.contrary,) * 2, None), _frame(event))
    if way % 3 == 1:
        return (
            "Nobody " + wording(event, "{is} {act} {where}.").lower().replace("are ", "is ", 1)
            if event.topic in CAPTIONS
            else "It is untrue that " + _lower(wording(event, pattern_of(event)))
        )
    act = dice.other(topic.acts, event.act)
    return wording(Event(topic, event.who, act, event.where), pattern_of(event))


def neutral(event: Event, dice: Dice) -> str:
    """Return a sentence that may or may not be true beside the event's."""
    extra = dice.pick(EXTRAS)
    return wording(event, pattern_of(event).replace("{where}", extra))


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]


def triples() -> str:
    """Return nli_for_simcse.csv: about 450 rows, in which a premise stands up to three times."""
    dice = Dice(101)
    deck = events(CAPTIONS + CAPTIONS + NEWS + ADVICE, dice)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("sent0", "sent1", "hard_neg"))
    rows = []
    for number in range(226):
        event = next(deck)
        for way in dice.shuffled(range(4))[: 1 + number % 3]:
            premise = wording(event, pattern_of(event))
            rows.append((premise, entailed(event, way), contradicted(event, way, dice)))
    writer.writerows(dice.shuffled([*rows, *ODD_TRIPLES]))
    return out.getvalue()


def snli() -> str:
    """Return snli_1.0_train.jsonl: 76 premises of three labelled hypotheses, every 23rd without a majority."""
    dice = Dice(102)
    deck = events(CAPTIONS, dice)
    rows = []
    for number in range(76):
        event = next(deck)
        premise, caption = wording(event, CAPTION), f"{7000 + 37 * number}.jpg#{number % 5}"
        for label, text in _hypotheses(event, number, dice):
            split = len(rows) % 23 == 22
            votes = (
                ["neutral", "neutral", "entailment", "entailment", "contradiction"]
                if split
                else [label]
            )
            rows.append(
                {
                    "annotator_labels": votes,
                    "captionID": caption,
                    "gold_label": "-" if split else label,
                    "pairID": f"{caption}r1{label[0]}",
                    "sentence1": premise,
                    "sentence2": text,
                }
            )
    rows.append(
        {
            **rows[0],
            "gold_label": "neutral",
            "pairID": "9999.jpg#0r1n",
            "captionID": "9999.jpg#0",
            "annotator_labels": ["neutral"],
            "sentence2": "n/a",
        }
    )
    return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)


def multinli() -> str:
    """Return multinli_1.0_train.jsonl: 39 prompts of five genres with three labelled hypotheses each."""
    dice = Dice(103)
    decks = {genre: events(topics, dice) for genre, topics in GENRES.items()}
    rows = []
    for number in range(39):
        genre = list(GENRES)[number % 5]
        event = next(decks[genre])
        for label, text in _hypotheses(event, number, dice):
            rows.append(
                {
                    "annotator_labels": [label],
                    "genre": genre,
                    "gold_label": label,
                    "pairID": f"{30000 + number}{label[0]}",
                    "promptID": str(30000 + number),
                    "sentence1": wording(event, pattern_of(event)),
                    "sentence2": text,
                }
            )
    return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)


def _hypotheses(event: Event, way: int, dice: Dice) -> list[tuple[str, str]]:
    return [
        ("neutral", neutral(event, dice)),
        ("entailment", entailed(event, way)),
        ("contradiction", contradicted(event, way, dice)),
    ]
