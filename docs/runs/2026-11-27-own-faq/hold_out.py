"""Make FAQs with held-out questions: python hold_out.py DATA FOLDER. Nothing of Semblance is imported.

NAME.csv is the FAQ, NAME-queries.csv what its users asked, NAME-heldout.csv what no program may see.
"""

import csv
import html
import json
import random
import re
import subprocess
import sys
from pathlib import Path

DATA, FOLDER = map(Path, sys.argv[1:])
csv.field_size_limit(1 << 30)
OF_RUFF = {  # where ruff's rules come from, if from 2022 or later
    *("Ruff-specific rules", "NumPy-specific rules", "FastAPI", "Airflow"),
    *("refurb", "Perflint", "flake8-async", "flake8-logging", "pydoclint"),
}


def plain(text):
    return " ".join(text.split())


def bare(text):
    return re.sub(r"\W+", " ", text.lower()).strip()


def write(name, header, rows):
    with (FOLDER / name).open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([header, *rows])


def write_faq(name, entries, queries, held_out):
    write(f"{name}.csv", ("id", "question", "answer"), entries)
    write(f"{name}-heldout.csv", ("query", "id"), held_out)
    if queries:
        write(f"{name}-queries.csv", ("query", "id"), queries)


def first_answer(pair):
    return plain(html.unescape(re.search("<answer>(.*?)</answer>", pair, re.DOTALL)[1]))


def as_excel_saves_it(name):
    """NAME-excel.csv: the same with semicolons, in Windows-1252, with a remark, an empty and a double row."""
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
        (_, *header), *entries = csv.reader(stream)
    with (FOLDER / f"{name}-queries.csv").open(encoding="utf-8", newline="") as stream:
        _, *queries = csv.reader(stream)
    known = {number: [q for q, i in queries if i == number] for number, *_ in entries}
    rows = [(number, *pair, "|".join(known[number]), "geprüft") for number, *pair in entries]
    rows[9:9] = [(f"{rows[8][0]}-again", *rows[8][1:]), ("",) * 5]
    with (FOLDER / f"{name}-excel.csv").open(
        "w", newline="", encoding="cp1252", errors="replace"
    ) as stream:
        writer = csv.writer(stream, delimiter=";")
        writer.writerows([("id", *header, "Other wordings", "Notes"), *rows])


def rules():
    """Rules of the linter ruff: the name asks, the explanation answers, half of the messages is held out.

    Ruff began in August 2022, a year after the base was trained. Its rules from older programs are left
    out: their messages may be older than their explanations.
    """
    said = subprocess.run(
        ["ruff", "rule", "--all", "--output-format", "json"], capture_output=True, check=True
    )
    entries, wordings = [], []
    for rule in json.loads(said.stdout):
        found = re.search(r"## What it does\n(.*?)(\n## (?!Why)|$)", rule["explanation"], re.DOTALL)
        if rule["linter"] not in OF_RUFF or not found:
            continue
        answer = re.sub(r"```.*?```|^## .*?$", " ", found[1], flags=re.DOTALL | re.MULTILINE)
        entries.append((rule["code"], rule["name"].replace("-", " "), plain(answer)))
        messages = dict.fromkeys(
            plain(re.sub(r"`?\{[^}]*\}`?", " ", text)) for text in rule["message_formats"]
        )
        wordings += [(text, rule["code"]) for text in messages if len(text.split()) > 3]
    wordings = random.Random(7).sample(wordings, len(wordings))
    half = len(wordings) // 2
    write_faq("rules", entries, wordings[half:], wordings[:half])


def stackfaq(name, seed, known, longest=10**6):
    """The first answer of each entry; a quarter of its wordings is held out, so many entries have one.

    ``longest``: in characters, of the answers that are taken.
    """
    text = (DATA / "faq/stackfaq/stackExchange-FAQ.xml").read_text("utf-8", "replace")
    entries, queries, held_out = [], [], []
    rng = random.Random(seed)
    pairs = re.findall("<qapair>(.*?)</qapair>", text, re.DOTALL)
    pairs = [pair for pair in pairs if len(first_answer(pair)) <= longest]
    order = rng.sample(range(len(pairs)), len(pairs))
    for number, pair in enumerate(pairs):
        question, answer, *_ = (
            [plain(html.unescape(x)) for x in re.findall(f"<{tag}>(.*?)</{tag}>", pair, re.DOTALL)]
            for tag in ("question", "answer")
        )
        wordings = re.findall("<rephr>(.*?)</rephr>", pair, re.DOTALL)
        wordings = dict.fromkeys(plain(html.unescape(x)) for x in wordings)
        wordings = [x for x in wordings if x not in ("", "*") and x.lower() != question[0].lower()]
        rng.shuffle(wordings)
        quarter = max(1, len(wordings) // 4)
        entries.append((f"e{number}", question[0], answer[0]))
        held_out += [(x, f"e{number}") for x in wordings[:quarter]]
        if order[number] < known:
            queries.append((wordings[quarter], f"e{number}"))
    write_faq(name, entries, queries, held_out)


def covid():
    """Half of the wordings that deepset's readers called similar to a question are held out."""
    entries, wordings = {}, set()
    with (DATA / "faq/covid/deepset_faq_covidbert.csv").open(encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            question, answer = plain(row["question"]), plain(row["answer"])
            if question and answer and bare(question) not in entries:
                entries[bare(question)] = (f"c{len(entries)}", question, answer)
    with (DATA / "faq/covid/deepset_eval_question_similarity_en.csv").open(
        encoding="utf-8"
    ) as stream:
        for row in csv.DictReader(stream):
            for one, other in (("question_1", "question_2"), ("question_2", "question_1")):
                known, new = bare(row[one]), bare(row[other])
                if float(row["similar"]) == 1 and known in entries and new not in entries:
                    wordings.add((plain(row[other]), entries[known][0]))
    wordings = random.Random(5).sample(sorted(wordings), len(wordings))
    half = len(wordings) // 2
    write_faq("covid", entries.values(), wordings[half:], wordings[:half])


def german():
    """A quarter of the German questions is held out: the start of the answer stands in their place."""
    with (DATA / "faq/covid/deepset_faq_200327.tsv").open(encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream, delimiter="\t") if row["lang"] == "de"]
    pairs = {plain(row["question"]): plain(row["answer"]) for row in reversed(rows)}
    pairs = [
        (question, answer) for question, answer in reversed(pairs.items()) if question and answer
    ]
    held_out = set(random.Random(0).sample(range(len(pairs)), len(pairs) // 4))
    entries = []
    for number, (question, answer) in enumerate(pairs):
        start = re.split(r"(?<=[.!?])\s", answer)[0][:90]
        entries.append((f"g{number}", start if number in held_out else question, answer))
    write_faq("german", entries, [], [(pairs[n][0], f"g{n}") for n in sorted(held_out)])


FOLDER.mkdir(exist_ok=True)
rules()
stackfaq("small", 3, 30, longest=220)
as_excel_saves_it("small")
covid()
german()
