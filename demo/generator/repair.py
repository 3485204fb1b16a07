"""FAQIR's layout: questions about an invented household, query templates and pooled judgements in XML."""

from xml.sax.saxutils import escape

from generator.dice import Dice

# thing | what is wrong | to mend it | mending it | four pieces of advice
PROBLEMS = [
    tuple(line.split("|"))
    for line in """\
door hinge|squeaks at night|silence a squeaking hinge|silencing a hinge that squeaks|Lift the pin out and rub it with candle wax.|A drop of sewing-machine oil on the hinge works for months.|Tighten the loose screws of the hinge, since play makes noise.|Graphite from a soft pencil helps where oil would stain.
kettle|is full of limescale|remove limescale from a kettle|getting limescale out of a kettle|Boil equal parts of vinegar and water, then wait an hour.|Citric acid smells less than vinegar and dissolves the scale as well.|Rinse the kettle twice before you make tea again.|Empty it every evening and the scale will hardly form.
kitchen tap|drips all day|stop a dripping tap|stopping a tap from dripping|Close the stop valve and put a new washer in.|The ceramic disc may be worn, so take it to a shop for a match.|Wrap the thread with tape before you screw the tap together.|A worn seat can be ground smooth with a small tool.
bathroom mirror|fogs up after every shower|keep a mirror from fogging|preventing a mirror from misting over|Rub a little shaving foam on the glass and polish it off.|Run cold water first and leave the door ajar.|A small heating mat behind the glass is the lasting cure.|Dry soap drawn over the mirror and wiped off has the same effect.
floor tile|has come loose|fix a loose tile|fastening a tile that came loose|Scrape the old adhesive off and spread new mortar thinly.|Warm the tile with a hairdryer to lift it unbroken.|Leave the joint open for a day before you grout it.|Tap it level with a rubber mallet.
wooden table|wobbles on three legs|steady a wobbly table|steadying a table that wobbles|Saw nothing off, but glue felt under the short leg.|Check the bolts first, as one of them is usually loose.|Set it on a flat stone and mark the gap with a pencil.|Brackets in the corners make an old frame stiff again.
cellar|smells of mould|air a musty cellar|ridding a cellar of its musty smell|Open the windows on cold dry days only.|Bowls of coarse salt draw moisture out of the air.|Move shelves a hand's breadth away from the outer wall.|Lime paint keeps mould from coming back.
parquet floor|is scratched by chairs|hide scratches in parquet|hiding the scratches on a parquet floor|A walnut kernel rubbed along the grain darkens fine scratches.|Fill deep ones with hard wax of the right colour.|Sand the board lightly and oil it again.|Felt pads under the chairs stop new damage.
bicycle chain|is red with rust|clean a rusty chain|cleaning rust off a chain|Brush it with paraffin and wipe until the rag stays clean.|Soak the chain overnight in oil.|Replace it if single links stay stiff.|Keep it covered when it rains.
coat zip|is stuck halfway|free a stuck zip|freeing a zip that is stuck|Pull the cloth sideways out of the slider first.|Run a candle over the teeth above and below.|Squeeze the slider gently with pliers if teeth gape.|A drop of dish soap is enough for plastic teeth.
bread knife|has gone blunt|sharpen a serrated knife|sharpening a knife with teeth|Use a round file and do each tooth from one side.|The bottom of an unglazed cup serves as a whetstone.|Three strokes a tooth are plenty.|Never put the blade in the dishwasher.
flower pot|has a crack|mend a cracked clay pot|mending a pot of clay with a crack|Bind it with wire and smear waterproof glue inside.|Soak the pot first, because dry clay drinks the glue.|Use it as a cover for a plastic pot from now on.|Two-part resin holds even through frost.""".splitlines()
]

QUERIES = (
    "My {thing} {trouble}. What can I do?",
    "How do I {mend}?",
    "Any advice on {mending}?",
    "the {thing} in our rented flat {trouble} and the landlord is away, is there a cheap way to {mend}",
)
CHORES = (
    "descale a coffee machine;polish a brass lamp;unblock a sink;hang a heavy picture;wash a woollen blanket;"
    "repaint a radiator;bleed a radiator;store potatoes;seal a window;lift a wine stain;oil a garden gate;"
    "shorten curtains;clean an oven door;insulate an attic;sweep a chimney;patch a tent;grow a hedge;"
    "dry wet shoes;stack firewood;rewire a lamp"
).split(";")

AT_A_SHOP = "If that fails, ask at a shop & compare prices; under <20> crowns it pays."
SAFELY = (
    "To {chore} safely, read the label, wear gloves and try it on a hidden spot first. "
    "People who {chore} every year say that patience matters more than strength."
)


def _pairs() -> list[tuple[int, str, str]]:
    """Return (problem or -1, question, answer): four pairs a problem, and others, two of odd text."""
    pairs = []
    for i, (thing, trouble, mend, mending, *tips) in enumerate(PROBLEMS):
        texts = {
            f"How to {mend}?": f"{tips[0]} {tips[1]} {tips[3]}",
            f"My {thing} {trouble}, who has a trick?": f"{tips[2]} {tips[0]}",
            f"What do you need for {mending}?": f"It depends on the {thing}. {tips[1]}\n{tips[2]}",
            f"Is it worth calling somebody when a {thing} {trouble}?": f"Hardly ever. {tips[3]} {AT_A_SHOP}",
        }
        pairs += [(i, question, answer) for question, answer in texts.items()]
    for chore in CHORES:
        pairs.append((-1, f"What is the safest way to {chore}?", SAFELY.format(chore=chore)))
    return [*pairs, (-1, "What does NA on a paint tin mean?", "NA"), (-1, "null", "n/a")]


def _tag(name: str, *inside: str) -> str:
    return f"<{name}>{''.join(inside)}</{name}>"


def _text(name: str, value: object) -> str:
    return _tag(name, escape(str(value)))


def _pair_id(position: int) -> int:
    return 800 + 13 * position


def _query(number: int, group: int, text: str) -> str:
    thing, trouble, mend, *_ = PROBLEMS[group]
    words = _tag("exWords", *(_text("string", word) for word in thing.split()))
    facts = (
        _text("Author", "demo"),
        _text("Original", f"How to {mend}?"),
        words,
        _text("QueryGroupID", group),
        _text("QueryID", number),
        _text("QueryString", text),
        "<Expansions /><relDocs />",
        _text("Fold", group % 5),
    )
    return _tag("Query", *facts) + "\n"


def _candidates(group: int, dice: Dice) -> str:
    own = [i for i, (problem, _, _) in enumerate(_pairs()) if problem == group]
    others = [i for i, (problem, _, _) in enumerate(_pairs()) if problem != group]
    others = dice.shuffled(others)[:4]
    values = [(1, 1), (1, 2), (2, 1), (2, 3), *((4, dice.pick((3, 4))) for _ in others)]
    time = _text("AnnotationTime", f"2020-01-{group + 1:02d}")
    found = []
    for i, pair in zip([*own, *others], values, strict=True):
        votes = [
            _tag("Annotation", _text("Val", value), _text("Annotator", who), time)
            for who, value in zip("AB", pair, strict=True)
        ]
        seen = votes[: 1 + (group + i) % 2]
        found.append(
            _tag("IRCandidate", _text("Id", _pair_id(i)), _tag("Annotations", *seen)) + "\n"
        )
    return _tag("IRCandidateList", _text("grpId", group), _tag("candidates", *found)) + "\n"


def faqir() -> str:
    """Return FAQIRv1.0.xml: 70 pairs, 12 templates of four queries, eight pooled pairs for each template."""
    dice = Dice(411)
    asked = [
        (group, query.format(thing=thing, trouble=trouble, mend=mend, mending=mending))
        for group, (thing, trouble, mend, mending, *_) in enumerate(PROBLEMS)
        for query in QUERIES
    ]
    categories = _tag("Categories", _text("string", "Household")) + "<VoteCount />"
    pairs = []
    for i, (_, question, answer) in enumerate(_pairs()):
        facts = (_text("Id", _pair_id(i)), _text("Question", question), _text("Answer", answer))
        pairs.append(_tag("qaPair", *facts, categories) + "\n")
    whole = _tag(
        "IRSet",
        _text("SetName", "hand-made"),
        _tag("queries", *(_query(n, group, text) for n, (group, text) in enumerate(asked))),
        _tag("KB", _tag("Pairs", *pairs)),
        _tag("relCandidates", *(_candidates(group, dice) for group in range(len(PROBLEMS)))),
    )
    return f'<?xml version="1.0" encoding="utf-8"?>\n{whole}\n'
