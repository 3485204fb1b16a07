"""Label half of the held-out questions, take the labels over, and score the other half before and after.

python teach.py FOLDER NAME, after score.py: an oracle that knows the right entries plays the person
at `semblance faq label`. Nothing of Semblance is imported.
"""

import csv
import json
import random
import subprocess
import sys
from pathlib import Path

import numpy as np

FOLDER, NAME = Path(sys.argv[1]), sys.argv[2]
LABELS = 60


def rows(name):
    with (FOLDER / f"{NAME}{name}.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def semblance(*arguments, **options):
    command = ["semblance", "faq", *arguments]
    done = subprocess.run(command, text=True, capture_output=True, **options)
    assert done.returncode in (0, 3), done.stderr  # 3: a question has no answer
    return done.stdout


def precision(model):
    asked = "\n".join(row["query"] for row in test)
    said = semblance("ask", "--model", model, "--json", "--top", "100", input=asked)
    found = []
    for line, row in zip(map(json.loads, said.splitlines()), test, strict=True):
        ranked = (*line["answers"], *line["nearest"])  # the order of all answers is scored
        answers = [entries[one["id"]]["answer"] for one in ranked]
        right = entries[row["id"]]["answer"]
        found.append(1 / (1 + answers.index(right)) if right in answers else 0.0)
    return np.asarray(found)


def label(log, model, output):
    """Answer each question of `label` by the number of the candidate that is right, else by 0."""
    command = ["semblance", "faq", "label", log, "--model", model, "--output", output]
    command += ["--count", str(LABELS)]
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    shown = ""
    while letter := program.stdout.read(1):
        shown += letter
        if shown.endswith("Ctrl-D: end: "):
            texts = [line.strip() for line in shown.splitlines()]
            query = next(text for text in texts if text in right_of)
            right = entries[right_of[query]]["question"]
            numbers = [n for n in "123" if f"{n}. {right}" in texts]
            program.stdin.write(f"{numbers[0] if numbers else 0}\n")
            program.stdin.flush()
            shown = ""
    print(shown.strip())


entries = {row["id"]: row for row in rows("")}
held_out = random.Random(0).sample(rows("-heldout"), len(rows("-heldout")))
log, test = held_out[: len(held_out) // 2], held_out[len(held_out) // 2 :]
right_of = {row["query"]: row["id"] for row in log}
asked, labels, known = (
    FOLDER / f"{NAME}-{name}" for name in ("asked.txt", "labels.csv", "known.csv")
)
asked.write_text("".join(f"{row['query']}\n" for row in log), encoding="utf-8")
before = precision(FOLDER / NAME)
label(asked, FOLDER / NAME, labels)
queries = (FOLDER / f"{NAME}-queries.csv").read_text("utf-8")
known.write_text(queries + labels.read_text("utf-8").split("\n", 1)[1], encoding="utf-8")
updated = FOLDER / f"{NAME}-updated"
faq = FOLDER / f"{NAME}.csv"
print(semblance("update", faq, "--model", FOLDER / NAME, "--output", updated, "--queries", known))
after = precision(updated)
gain = after - before
error = gain.std(ddof=1) / len(gain) ** 0.5
print(
    f"{len(test)} other questions, MAP: {before.mean():.1%} before, {after.mean():.1%} with the labels"
)
print(f"gain: {gain.mean():+.1%} ± {error:.1%}")
