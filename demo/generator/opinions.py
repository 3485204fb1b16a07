"""SentEval's transfer tasks: opinions, plots, questions and paraphrases, tokenised as SentEval has them."""

from collections.abc import Iterator

from generator.dice import Dice
from generator.sts import CAPTION, QUOTED, REPORT, pairs

FILMS = "comedy;thriller;portrait of a village;love story;tale of two brothers;chase across the moor".split(
    ";"
)
WARES = "lamp;kettle;hand-held radio;folding chair;alarm clock;bread knife".split(";")
GOOD = "warm;clever;quietly moving;well made;funny from start to end;worth every minute".split(";")
BAD = "dull;clumsy;far too long;badly made;humourless from start to end;not worth the time".split(
    ";"
)
PEOPLE = "a young clerk;an old fisherman;the widow of a baker;two sisters;a retired judge".split(
    ";"
)
PLACES = "in a harbour town;on the night train;in a closed mine;at the edge of a forest".split(";")
EVENTS = "find a letter;lose a house;hide a stranger;meet again after years;plan a theft".split(";")
MORE = ("i wanted to like it more , but it is {word} .", "what a {word} {thing} !")
PLAIN = ("this {thing} is {word} .", "a {word} {thing} , no more and no less .")
SUBJECTIVE = ("for me this {thing} is {word} .", "i found the whole {thing} {word} .")
QUESTIONS = {
    "ABBR:exp": "What does the abbreviation {a}{b}{c} stand for ?",
    "DESC:def": "What is meant by {thing} ?",
    "ENTY:product": "Which {thing} won the prize of {year} ?",
    "HUM:ind": "Who made the first {thing} {place} ?",
    "LOC:city": "Where was the {thing} of {year} shown ?",
    "NUM:count": "How many copies of the {thing} were sold in {year} ?",
}


def opinions(things: list[str], words: list[str], count: int, seed: int) -> str:
    """Return distinct short judgements, one a line; the blank at the end of each is SentEval's."""
    dice = Dice(seed)
    lines: dict[str, None] = {}
    while len(lines) < count:
        pattern = dice.pick((*MORE, *PLAIN, *SUBJECTIVE))
        lines[pattern.format(thing=dice.pick(things), word=dice.pick(words))] = None
    return "".join(f"{line} \n" for line in lines)


def plots(count: int, seed: int) -> str:
    """Return distinct sentences of a plot, one a line."""
    dice = Dice(seed)
    lines: dict[str, None] = {}
    while len(lines) < count:
        who = dice.pick(PEOPLE)
        whom = dice.other(PEOPLE, who)
        line = f"{dice.pick(PLACES)} , {who} and {whom} {dice.pick(EVENTS)} ."
        lines[line] = None
    return "".join(f"{line} \n" for line in lines)


def phrases(words: list[str], count: int) -> str:
    """Return short phrases, one a line, and a blank line, as at the end of MPQA's files."""
    lines = [f"{start} {word}" for word in words for start in ("is", "seemed", "had been called")]
    return "".join(f"{line} \n" for line in lines[:count]) + "\n"


def sentiment(count: int, seed: int) -> str:
    """Return a part of SST-2: text, tab, label."""
    good = opinions(FILMS, GOOD, count, seed).splitlines()
    bad = opinions(FILMS, BAD, count, seed + 1).splitlines()
    lines = [f"{a}\t1\n{b}\t0\n" for a, b in zip(good, bad, strict=True)]
    return "".join(lines[: count // 2])


def questions(count: int, seed: int) -> str:
    """Return a part of TREC: class, colon, kind, question; each class in turn."""
    dice = Dice(seed)
    lines = []
    for i in range(count):
        name = list(QUESTIONS)[i % len(QUESTIONS)]
        filling = {letter: dice.pick("BCDFGKLMNPRST") for letter in "abc"}
        filling |= {"thing": dice.pick([*FILMS, *WARES]), "year": 1900 + dice.below(90)}
        question = QUESTIONS[name].format(**filling, place=dice.pick(PLACES))
        lines.append(f"{name} {question}\n")
    return "".join(lines)


def paraphrases(count: int, seed: int) -> str:
    """Return a part of MRPC: a byte order mark, the header, and pairs of which some are paraphrases."""
    lines = ["\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String"]
    for i, (score, a, b) in zip(range(count), _alternating(seed), strict=False):
        lines.append(f"{int(score >= '3.000')}\t{100 + 2 * i}\t{101 + 2 * i}\t{a}\t{b}")
    return "\n".join(lines) + "\n"


def _alternating(seed: int) -> Iterator[tuple[str, str, str]]:
    """Yield pairs about captions and news in turn, and now and then one with odd quotes."""
    dice = Dice(seed)
    streams = pairs(CAPTION, dice), pairs(REPORT, dice)
    while True:
        yield next(streams[0])
        yield next(streams[1])
        yield dice.pick(QUOTED[:3])


def files() -> dict[str, dict[str, str]]:
    """Return the files of each task: task -> path below ``transfer`` -> text."""
    return {
        "mr": {
            "MR/rt-polarity.pos": opinions(FILMS, GOOD, 24, 401),
            "MR/rt-polarity.neg": opinions(FILMS, BAD, 24, 402),
        },
        "cr": {
            "CR/custrev.pos": opinions(WARES, GOOD, 20, 403) + "\n",
            "CR/custrev.neg": opinions(WARES, BAD, 14, 404),
        },
        "subj": {
            "SUBJ/subj.objective": plots(20, 405),
            "SUBJ/subj.subjective": opinions(FILMS, [*GOOD, *BAD], 20, 406),
        },
        "mpqa": {"MPQA/mpqa.pos": phrases(GOOD, 14), "MPQA/mpqa.neg": phrases(BAD, 17)},
        "sst2": {
            "SST/binary/sentiment-train": sentiment(24, 407),
            "SST/binary/sentiment-dev": sentiment(12, 409),
            "SST/binary/sentiment-test": sentiment(16, 411),
        },
        "trec": {
            "TREC/train_5500.label": questions(42, 413),
            "TREC/TREC_10.label": questions(18, 414),
        },
        "mrpc": {
            "MRPC/msr_paraphrase_train.txt": paraphrases(30, 415),
            "MRPC/msr_paraphrase_test.txt": paraphrases(15, 416),
        },
    }
