"""Similarity corpora: SemEval STS 2012 to 2016, the STS Benchmark and SICK."""

import re
from collections.abc import Iterator

from generator.dice import Dice
from generator.lexicon import ADVICE, CAPTIONS, NEWS, Topic
from generator.relations import SCORES, events, partner, wording

Family = tuple[
    tuple[Topic, ...], str, str
]  # topics, a sentence pattern, another pattern for the second sentence
Pair = tuple[str, str, str]  # gold score as text with three decimals, sentence 1, sentence 2

CAPTION: Family = (CAPTIONS, "{who} {is} {act} {where}.", "{who} {is} {act} {where}.")
SCENE: Family = (CAPTIONS, "{where}, {who} {is} {act}.", "{who} {is} {act} {where}.")
GLOSS: Family = (CAPTIONS, "the act of {act} {where}, by {who}", "{who} {act} {where}, as an act")
HEADLINE: Family = (NEWS, "{who} to {act} {where}", "{who} to {act} {where}")
REPORT: Family = (
    NEWS,
    "{who} will {act} {where}, it is said.",
    "It is said that {who} will {act} {where}.",
)
SPEECH: Family = (
    NEWS,
    "Mr President, I hope {who} will {act} {where}.",
    "I hope, Mr President, {who} will {act} {where}.",
)
TWEET: Family = (
    NEWS,
    "{who} set to {act} {where} http://news.example/a1",
    "Now: {who} may {act} {where}",
)
QUESTION: Family = (
    ADVICE,
    "How can {who} {act} {where}?",
    "What is the best way for {who} to {act} {where}?",
)
OPINION: Family = (
    ADVICE,
    "I think {who} should {act} {where}.",
    "In my opinion {who} should {act} {where}.",
)
ANSWER: Family = (ADVICE, "Yes, {who} can {act} {where}.", "{who} can {act} {where}, yes.")

SUBSETS: dict[int, dict[str, Family]] = {
    2012: {
        "MSRpar": REPORT,
        "MSRvid": CAPTION,
        "SMTeuroparl": SPEECH,
        "surprise.OnWN": GLOSS,
        "surprise.SMTnews": REPORT,
    },
    2013: {"FNWN": GLOSS, "OnWN": GLOSS, "headlines": HEADLINE},
    2014: {
        "OnWN": GLOSS,
        "deft-forum": OPINION,
        "deft-news": REPORT,
        "headlines": HEADLINE,
        "images": SCENE,
        "tweet-news": TWEET,
    },
    2015: {
        "answers-forums": OPINION,
        "answers-students": ANSWER,
        "belief": OPINION,
        "headlines": HEADLINE,
        "images": CAPTION,
    },
    2016: {
        "answer-answer": OPINION,
        "headlines": HEADLINE,
        "plagiarism": ANSWER,
        "postediting": REPORT,
        "question-question": QUESTION,
    },
}
BLANKS = {2015: 6, 2016: 5}  # every so-manieth pair of these years was never scored
ODD_PAIRS = {
    (2014, "tweet-news"): ("2.600", "null", "n/a"),
    (2013, "OnWN"): ("0.000", "NA", "the act of singing"),
    (2016, "headlines"): ("1.000", "n/a", "Office to answer n/a in every case"),
}


def pairs(family: Family, dice: Dice, scores: tuple[str, ...] = SCORES) -> Iterator[Pair]:
    """Yield scored pairs without end, the scores in turn."""
    topics, first, second = family
    deck = events(topics, dice)
    while True:
        for score in scores:
            event = next(deck)
            stranger = next(other for other in deck if other.topic is not event.topic)
            near, reworded = partner(event, stranger, score, dice)
            texts = wording(event, first), wording(near, second, reworded)
            yield score, *(map(_clipped, texts) if family is HEADLINE else texts)


def _clipped(text: str) -> str:
    """Drop the articles, as headlines do."""
    text = re.sub(r"\b([Tt]he|[Aa]n?) ", "", text)
    return text[0].upper() + text[1:]


def year(number: int) -> dict[str, list[Pair]]:
    """Return one year's subsets of 20 to 22 pairs; the score of an unscored pair is ''."""
    out = {}
    for i, (name, family) in enumerate(SUBSETS[number].items()):
        dice = Dice(number * 10 + i)
        stream = pairs(family, dice)
        rows = dice.shuffled([next(stream) for _ in range(20 + i % 3)])
        if odd := ODD_PAIRS.get((number, name)):
            rows[9] = odd
        skip = BLANKS.get(number)
        out[name] = [
            ("" if skip and j % skip == 1 else score, *texts)
            for j, (score, *texts) in enumerate(rows)
        ]
    return out


def _gold(number: int, score: str) -> str:
    if not score or number < 2015:
        return score
    return f"{float(score):.2f}" if number == 2015 else f"{float(score):g}"


def release(number: int) -> dict[str, str]:
    """Return one year's files by name, as released.

    Those of 2016 have other names, and two more columns for the sources.
    """
    prefix = "STS"
    columns = 2
    if number == 2016:
        prefix = "STS2016"
        columns = 4
    files = {}
    for name, rows in year(number).items():
        source = f"Invented {name} (hand-made)"
        inputs = ["\t".join([a, b, source, source][:columns]) + "\n" for _, a, b in rows]
        golds = [_gold(number, score) + "\n" for score, _, _ in rows]
        files[f"{prefix}.input.{name}.txt"] = "".join(inputs)
        files[f"{prefix}.gs.{name}.txt"] = "".join(golds)
    return files


BENCHMARK = (
    ("main-captions", "MSRvid", "2012test", CAPTION),
    ("main-captions", "images", "2014", SCENE),
    ("main-news", "headlines", "2015", HEADLINE),
    ("main-news", "MSRpar", "2012train", REPORT),
    ("main-forums", "answers-forums", "2015", OPINION),
)
QUOTED = (
    ("4.600", 'The sign says "no swimming" in red.', 'A red sign says "no swimming".'),
    ("3.000", '"Two tickets, please, said the boy.', 'The boy said "two tickets".'),
    ("1.600", 'She called it "a fair price', 'He called the price "silly".'),
    ("2.000", "null", "NA"),
    ("5.000", "n/a", "N/A"),
)


def benchmark(split: str, count: int, seed: int) -> str:
    """Return sts-{split}.csv: unquoted TSV of seven columns, on every ninth line nine."""
    dice = Dice(seed)
    streams = [pairs(family, dice) for *_, family in BENCHMARK]
    lines = []
    for i in range(count):
        genre, file, origin, _ = BENCHMARK[i % 5]
        score, a, b = next(streams[i % 5]) if i % 12 != 7 else QUOTED[i // 12 % 5]
        more = "\thand-made, first\thand-made, second" if i % 9 == 8 else ""
        lines.append(
            f"{genre}\t{file}\t{origin}\t{seed % 10 * 1000 + i:04d}\t{score}\t{a}\t{b}{more}\n"
        )
    return "".join(lines)


def sick(count: int, seed: int, newline: str) -> str:
    """Return a SICK file: header, no full stops, relatedness on 1 to 5, and an entailment judgment."""
    stream = pairs(CAPTION, Dice(seed))
    lines = ["pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment"]
    for i in range(count):
        score, a, b = next(stream)
        grade = f"{1 + 0.8 * float(score):.1f}".replace(".0", "")
        judgment = (
            "ENTAILMENT" if score >= "3.800" else "CONTRADICTION" if score == "2.000" else "NEUTRAL"
        )
        lines.append(
            f"{seed % 10 * 1000 + 3 * i + 1}\t{a.rstrip('.')}\t{b.rstrip('.')}\t{grade}\t{judgment}"
        )
    return newline.join(lines) + newline
