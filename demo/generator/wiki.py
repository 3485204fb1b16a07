"""Encyclopaedic sentences about an invented country, one a line."""

from generator.dice import Dice

STEMS = "Al Bren Cor Dun El Fen Gar Hol Ist Jor Kel Lor Mar Nor Ost Per Quil Ros Sel Tor Ul Vel Wen Yar".split()
ENDS = "dalen wick mora stad borg heim vik fort lund ona".split()
FIRST = "Ada Borin Cela Darvo Edda Fenno Gesa Hilmar Ivona Jory Katla Lembit Mirel Nuno Orla Pavo Runa Sten".split()
LAST = "Abbeling Brandt-Ruy Corvane Dessim Elsgaard Farrow Grint Hovendal Istrup Jessamin Kollard Lothe".split()
NAMED = {  # what a template's slot of this name may hold
    "goods": "linen;salt;clocks;pears;slate;honey;glass beads;wool;paper;copper wire;smoked eel;violins",
    "beast": "marsh beetle;dune lizard;alpine snail;river otter;grey heron;cave bat;field cricket;lake trout",
    "food": "seeds and berries;small insects;water plants;fallen fruit;moss and lichen;the eggs of snails",
    "building": "town hall;railway station;water tower;lighthouse;public library;corn exchange;opera house",
    "field": "botany;bridge building;astronomy;folk music;chess;oil painting;medicine;cartography;weaving",
    "rock": "sandstone;granite;red brick;limestone;basalt;timber",
}

TEMPLATES = (
    "{place} is a village in the district of {other}, about {n} kilometres north of the river {river}, and is known "
    "for its {goods}.",
    "The {building} of {place} was built of {rock} between {year} and {later}, after a fire had destroyed the older "
    "one.",
    "{person} was a pioneer of {field} who was born in {place} in {year} and later taught at the college of {other}.",
    "The {beast} of {place} is rarely longer than {n} centimetres and feeds mainly on {food} during the winter months.",
    "In {year} the town council of {place} voted to drain the marshes, which had made trade with {other} difficult.",
    "The river {river} rises in the hills above {place}, flows west for {n} kilometres and enters the sea near {other}.",
    "{person} wrote {n} books, of which only the treatise on {field}, printed in {place}, is still read today.",
    "A narrow-gauge railway joined {place} and {other} until {year}, carrying mostly {goods} and a few passengers a day.",
    "Football is the most popular sport in {place}, whose club won the national cup in {year} and again in {later}.",
    "The museum of {place} shows a collection of {goods}, along with tools that {person} left to the town in {year}.",
    "According to the census of {later}, {place} had {big} inhabitants, fewer than half the number counted in {year}.",
    "The treaty of {place}, signed in {year}, ended the dispute over {goods} between {other} and its neighbours.",
    "Most {beast}s live for less than {few} years, although one kept in the zoo of {place} lived until {later}.",
    "The old {building}, designed by {person}, is the only structure of {rock} in the centre of {place}.",
    "Because of its sheltered position, the valley of {place} has for centuries sold its {goods} as far away as {other}.",
    "{person} and {second} founded the school of {field} in {place}, which closed for lack of money in {later}.",
    "Lake {place} covers about {n} square kilometres and freezes in most winters, so that people walk across it to "
    "{other}.",
    "The dialect spoken around {place} has {few} words for rain, a fact first noted by {person} in {year}.",
    "Each autumn the people of {place} hold a fair for {goods}, with music, an auction and a prize for the best stall.",
    "During the flood of {year} the {building} of {other} gave shelter to {big} people from {place}.",
    "Mount {place} is made of {rock}, reaches {big} metres above the sea and was first climbed by {person}.",
    "The newspaper of {place} was printed on {few} pages twice a week until {person} bought it in {later}.",
    "Scientists from {other} study the {beast} because it can go without water for up to {n} days.",
    "{person} lost the election of {year} by {few} votes and returned to {field}, the passion of an earlier life.",
    "The bridge at {place} has {few} arches of {rock} and carries the road that leads from the coast to {other}.",
)


def sentences(count: int = 450) -> str:
    """Return ``count`` distinct sentences, one a line, about 20 words each; one line is the bare word null."""
    dice = Dice(201)
    lines: dict[str, None] = {}
    while len(lines) < count - 1:
        lines[TEMPLATES[len(lines) % len(TEMPLATES)].format(**_filling(dice))] = None
    return "".join(line + "\n" for line in dice.shuffled([*lines, "null"]))


def _filling(dice: Dice) -> dict[str, object]:
    place, other, river = ((dice.pick(STEMS) + dice.pick(ENDS)) for _ in range(3))
    person, second = (f"{dice.pick(FIRST)} {dice.pick(LAST)}" for _ in range(2))
    year = 1790 + dice.below(130)
    return {
        "place": place,
        "other": other,
        "river": river,
        "person": person,
        "second": second,
        "n": 11 + dice.below(80),
        "few": 3 + dice.below(17),
        "big": 210 + 10 * dice.below(250),
        "year": year,
        "later": year + 4 + dice.below(70),
        **{slot: dice.pick(names.split(";")) for slot, names in NAMED.items()},
    }
