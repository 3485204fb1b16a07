"""COUGH's layout: the FAQ of an invented water office, user queries and graded judgements."""

import csv
import io

from generator.dice import Dice

# to do it | another way to say that | what it is | where | price | time | duty | advice
SERVICES = [
    tuple(line.split("|"))
    for line in """\
have a water meter read|get someone to check the figures on my meter|the yearly meter reading|by post card, by telephone or on the meter page|nothing, unless you miss two appointments, in which case a visit costs 19 crowns|about ten minutes for each dwelling|the tenant who holds the contract|Please keep the cellar door free of boxes.
connect a new house to the sewer|hook up a building to the drains|a sewer connection|with form S4 and two copies of the site plan|1,450 crowns for pipes of normal width|six to nine weeks, because the road has to be opened|the owner of the plot|Trees nearer than three metres must be marked on the plan.
report a burst pipe|tell somebody that a main has broken|a burst pipe in the street|on the emergency line, day and night|nothing for the caller|less than an hour until a crew arrives|the office itself up to the garden gate|Never try to close the valve in the road yourself.
drill a garden well|dig a well behind my house|a private well|with form W1, together with a sketch of the garden|a fee of 88 crowns for the permit|four weeks if no neighbour objects|the owner, who must also have it tested|Wells within the castle district are not allowed.
borrow a standpipe for a hydrant|rent equipment to draw water from a hydrant|a hydrant standpipe|at the depot in Mill Lane, with an identity card|6 crowns a day and a deposit of 300 crowns|five minutes while the stock lasts|whoever signs the loan slip|The standpipe must be rinsed before it is returned.
get a grant for a rainwater tank|receive money towards a cistern for rain|the rainwater grant|through the grant page before the end of March|nothing, and it pays back up to 400 crowns|two months after the tank was inspected|the applicant, who keeps the receipts|Barrels that hold less than a thousand litres do not qualify.
receive bills by e-mail|switch from paper to electronic invoices|the electronic bill|in the customer account under the heading Letters|nothing, and it saves a postage charge of 2 crowns|until the next billing month begins|the customer, who must keep the address up to date|Look into the spam folder if no bill arrives.
sign off when moving out|end my contract because I am leaving the flat|a move out of the district|with a short letter that states the last meter figure|nothing if the letter arrives in time|five working days until the final bill is sent|the person who leaves, not the landlord|Take a photograph of the meter on the last day.
find out how hard the water is|learn the hardness of what comes out of my tap|the hardness of tap water|on the map page, by entering a street|nothing|no time at all, since values are published each night|the laboratory of the office|Set the dishwasher to level two in the eastern quarters.
replace a lead pipe|swap old lead plumbing for new pipes|a lead service pipe|through a licensed plumber who files form L2|half of the bill, since the office carries the rest|one working day without water|the owner inside the house and the office outside|Let the water run for a minute until the work is done.
protect a meter from frost|keep my meter from freezing|frost protection|with straw mats that the depot hands out|nothing, but a frozen meter costs 120 crowns|half an hour of work before winter|the household in which the meter stands|Do not heat a frozen pipe with an open flame.
fill a swimming pool|put water into a private pool|the filling of a pool|by telephone two days ahead|the normal price for each cubic metre plus 15 crowns|one night, so that pressure in the street holds|the owner of the pool|Pools must not be filled while a drought notice is in force.
have drinking water tested|get a sample from my tap analysed|a water test|by fetching a sterile bottle at the front desk|31 crowns for the basic test|three working days in the laboratory|whoever orders it|Samples are accepted from Monday to Wednesday only.
pay by direct debit|let the office take the money from my bank account|direct debit|with a mandate that carries a handwritten signature|nothing, but a returned debit costs 4 crowns|eight days before the first payment|the holder of the bank account|The amount is announced in a letter each January.
ask why the supply was cut|learn the reason for a stop in supply|an interruption of supply|on the notice page or from the night desk|nothing|four hours on average until repairs end|the duty engineer|Close all taps so that nothing floods when pressure returns.
install a backflow valve|fit a device that stops sewage from coming back|a backflow valve|after a free talk with the drainage adviser|between 600 and 900 crowns with labour|about two days|the owner of the house|Have the flap cleaned twice a year.
reduce the fee for roof drainage|pay less for rain that runs off my roof|the roof drainage fee|with form R7 and photographs of the roof|nothing to apply, and planted roofs pay half|one billing year|the owner listed in the land register|Gravel alone does not count as planting.
visit the old waterworks|take a tour of the historic pumping station|a tour of the waterworks|at the front desk or by e-mail to the guide|3 crowns, and children enter free|ninety minutes with the climb up the tower|the museum society of the office|Wear firm shoes, since the stairs are wet.""".splitlines()
]

QUESTIONS = (
    "How do I {do}?",
    "How much does it cost to {do}?",
    "How long does it take to {do}?",
    "Who is responsible for {it}?",
)
ASKED = (
    "Where should I turn to {other}?",
    "what will I pay to {other}",
    "Time needed to {other}?",
    "Is it me or somebody else who must take care of {it}?",
)
FIELDS = (
    *("index", "url", "question", "original answer", "answer", "answer wLink"),
    *("source", "language", "type"),
)
JUDGED = (
    *("Query_index", "Query", "FAQ_index", "Raw_score", "Average"),
    "Label (mean score > 3 as positive)",
)
# Of each service every question is in the bank, but for one here and there.
BANKED = [(s, a) for s in range(len(SERVICES)) for a in range(4) if (s + a) % 18 != 17]
NO_LINE = (
    "It marks a line that does not apply to you, "
    'for example the "pool" line of a household without a pool.'
)


def _answer(service: tuple[str, ...], aspect: int) -> str:
    do, _, it, where, price, time, duty, advice = service
    return (
        f"You can {do} {where}. {advice}\nThe front desk is open on weekdays from eight to four, "
        "and somebody there will help with the paperwork.",
        f"For {it} the charge is as follows: {price}. Prices are those of the council's list and contain all taxes.",
        f"To {do} takes {time}. We ask for your patience in the weeks after New Year.",
        f'In the case of {it} the person in charge is {duty}. The by-law calls this the "duty of care".\n\n{advice}',
    )[aspect]


LONG = (
    " If you are not sure whether this applies to you, describe your case in a letter of a few lines, add a sketch "
    "or a photograph, and leave it at the front desk or in the green box beside the door. A member of staff reads "
    "every letter within two days, writes back with the forms that you need, and marks the lines that have to be "
    "filled in. Forms in large print, and in four languages, can be had at no charge."
)


def _table(rows: list[tuple[object, ...]], newline: str = "\n") -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator=newline).writerows(rows)
    return out.getvalue()


def _items() -> list[tuple[int, int, str, str]]:
    """Return (service, aspect, question, answer); the last two belong to no service."""
    items = []
    for s, a in BANKED:
        question = QUESTIONS[a].format(do=SERVICES[s][0], it=SERVICES[s][2])
        more = LONG if a == 0 and s % 6 == 1 else ""
        items.append((s, a, question, _answer(SERVICES[s], a) + more))
    items.append((-1, 0, 'What does "n/a" mean on my bill?', NO_LINE))
    return [*items, (-1, 1, "NA", "n/a")]


def bank() -> str:
    """Return FAQ_Bank_eval.csv: indexes with gaps, line breaks and quotes inside cells."""
    rows: list[tuple[object, ...]] = [FIELDS]
    for i, (service, _, question, answer) in enumerate(_items()):
        first = answer.split("\n")[0]
        html = f"<p>{first}\n   </p>" if i % 3 == 0 else ""
        link = f"{first} https://water.example/{service}" if i % 5 == 0 else ""
        lead = " " if i % 4 == 0 else ""  # the released bank has stray leading blanks too
        texts = (lead + question, html, lead + answer, link)
        url = "https://water.example/faq"
        rows.append((bank_index(i), url, *texts, "Water Office", "en", "Question"))
    return _table(rows)


def bank_index(position: int) -> int:
    """Return the index printed in the bank for its item number ``position``."""
    return 2 * position + 5 * (position // 7) + 2


def _queries() -> list[tuple[int, int, int, str]]:
    """Return (index, service, aspect, text) for 40 queries, each about a service; one is the bare word null."""
    dice = Dice(401)
    wanted = dice.shuffled(BANKED)[:39]
    texts = [ASKED[a].format(other=SERVICES[s][1], it=SERVICES[s][2]) for s, a in wanted]
    return [
        (i + i // 6, s, a, text)
        for i, ((s, a), text) in enumerate(zip([*wanted, (6, 0)], [*texts, "null"], strict=True))
    ]


def queries() -> str:
    """Return User_Query_Bank.csv: 40 queries with gaps in the indexes and CRLF line ends."""
    return _table([("index", "query"), *((i, text) for i, _, _, text in _queries())], "\r\n")


def judgements() -> str:
    """Return Annotated_Relevance_Set.csv: five judged items a query, three grades each, positive above a mean of 3."""
    dice = Dice(402)
    rows: list[tuple[object, ...]] = [JUDGED]
    items = _items()
    for index, service, aspect, text in _queries():
        same = [i for i, item in enumerate(items) if item[0] == service]
        others = dice.shuffled([i for i, item in enumerate(items) if item[0] != service])
        for i in same + others[: 5 - len(same)]:
            grades = _grades(items[i][:2], service, aspect, dice)
            mean = f"{sum(grades) / 3:.9f}".rstrip("0").rstrip(".")
            label = "positive" if sum(grades) > 9 else "negative"
            rows.append((index, text, bank_index(i), str(grades), mean, label))
    return _table(rows)


def _grades(item: tuple[int, int], service: int, aspect: int, dice: Dice) -> list[int]:
    if item == (service, aspect):
        return [4, dice.pick((3, 4)), 4]
    if item[0] == service:
        return [dice.pick((2, 3)), 3, dice.pick((2, 3, 4))]
    return [1, 1, dice.pick((1, 2))]
