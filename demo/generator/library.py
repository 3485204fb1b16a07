"""A user's own FAQ, of an invented public library, as JSON lines and as CSV."""

import csv
import io
import json

# group | question | answer | queries, separated by ;
ITEMS = [
    tuple(line.split("|"))
    for line in """\
cards|How do I get a library card?|Come to the desk with an identity card; the card is printed while you wait.|become a member;card for the library
cards|What does a library card cost?|Adults pay ten crowns a year, children nothing.|membership fee;price of a yearly card
cards|I lost my card. What now?|Tell the desk at once and we block it; a new one costs two crowns.|lost card;my card was stolen
loans|How many books may I borrow?|Twelve at a time, of which four may be films.|maximum number of books;borrowing limit
loans|How long may I keep a book?|Four weeks, and two more if nobody is waiting for it.|loan period;when is my book due
loans|How can I renew a loan?|In your account, by telephone, or at the desk before the last day.|extend a loan;keep a book longer
loans|What happens if a book is late?|Each week costs one crown. After six weeks we send a bill for the book.|late fee;overdue book
loans|Can I reserve a book that is out?|Yes, press Reserve in the catalogue and we write to you when it is back.|hold on a book;book is lent to someone else
rooms|May I book a study room?|Groups of three or more can book a room for two hours a day.|room for our study group;reserve a quiet room
rooms|Is there a place to eat?|The winter garden is the only room in which food is allowed.|eating in the library;where can I have lunch
rooms|When is the library open?|From ten to seven, on Saturdays until two, never on Sundays.|opening hours;open on Sunday?
rooms|Are dogs allowed?|Guide dogs are welcome in every room; other dogs wait outside.|bring my dog;pets inside
media|Do you lend e-books?|Yes, over the reading app, three at a time.|digital books;read on my telephone
media|Can I print from my laptop?|Send the file to the printer named Owl and pay at the machine.|printing;printer for visitors
media|Do you have newspapers from abroad?|Thirty of them lie on the first floor, and older ones are on film.|foreign newspapers;read the paper of another country
media|What does "NA" mean in the catalogue?|It stands for "not arrived": the book is ordered.|NA in the catalogue;status NA
odd|null|The word null is printed on a receipt if no date could be set.|null on my receipt;null
odd|Which shelf is n/a?|n/a|NA;n/a""".splitlines()
]


def as_json_lines() -> str:
    """Return library.jsonl: question, answer, id, group and queries; the optional keys are missing here and there."""
    lines = []
    for i, (group, question, answer, queries) in enumerate(ITEMS):
        record: dict[str, object] = {"question": question, "answer": answer, "id": f"lib-{i:02d}"}
        if i % 6 != 5:
            record |= {"group": group, "queries": queries.split(";")}
        lines.append(json.dumps(record) + "\n")
    return "".join(lines)


def as_csv() -> str:
    """Return library.csv: the same items with the two required columns, and id and group."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("question", "answer", "id", "group"))
    writer.writerows(
        (question, answer, f"lib-{i:02d}", group)
        for i, (group, question, answer, _) in enumerate(ITEMS)
    )
    return out.getvalue()
