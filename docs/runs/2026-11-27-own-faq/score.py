"""Score the held-out questions of a trained FAQ. Nothing of Semblance is imported.

python score.py FOLDER NAME START: FOLDER has the files of hold_out.py and the output NAME of
`semblance faq train NAME.csv`, START is the folder of the start model. The ways are made here again,
by sentence-transformers and a BM25 of this file's own; the kept one is also asked by `semblance faq
ask`, as a user does.
"""

import csv
import json
import math
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
from sentence_transformers import SentenceTransformer

FOLDER, NAME, START = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])


def rows(name):
    path = FOLDER / f"{NAME}{name}.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def terms(text):
    words = [f" {word} " for word in re.findall(r"\w+", text.casefold())]
    return [word[i : i + 4] for word in words for i in range(max(1, len(word) - 3))]


def bm25(questions, texts, k=1.5, b=0.75):
    counts = [Counter(terms(text)) for text in texts]
    length = np.asarray([sum(count.values()) for count in counts])
    holding = Counter(term for count in counts for term in count)
    found = np.zeros((len(questions), len(texts)))
    for row, question in zip(found, questions, strict=True):
        for term in terms(question):
            n = holding[term]
            idf = math.log(1 + (len(texts) - n + 0.5) / (n + 0.5))
            tf = np.asarray([count[term] for count in counts])
            row += idf * tf / (tf + k * (1 - b + b * length / length.mean()))
    return found


entries, queries, held_out = rows(""), rows("-queries"), rows("-heldout")
number = {}  # of each distinct answer
answer_of = {row["id"]: number.setdefault(row["answer"], len(number)) for row in entries}
texts = [(row["answer"], answer_of[row["id"]]) for row in entries]
if queries:  # with users' wordings a question is compared with known questions, too
    texts += [(row["question"], answer_of[row["id"]]) for row in entries]
    texts += [(row["query"], answer_of[row["id"]]) for row in queries]
owners = np.asarray([owner for _, owner in texts])
texts = [text for text, _ in texts]
asked = [row["query"] for row in held_out]
right = np.asarray([answer_of[row["id"]] for row in held_out])


def best_of_answer(scores):
    found = np.full((len(asked), len(number)), -np.inf)
    for text, owner in enumerate(owners):
        found[:, owner] = np.maximum(found[:, owner], scores[:, text])
    return found


words = best_of_answer(bm25(asked, texts))
ways = {"bm25": words}
tuned = FOLDER / NAME / "models/faq-all/minilm/tuned/seed-1/model"
for name, folder in (("start", START), ("tuned", tuned)):
    model = SentenceTransformer(str(folder), device="cpu")
    model.max_seq_length = 256
    vectors = [model.encode(part, normalize_embeddings=True) for part in (asked, texts)]
    ways[name] = best_of_answer(vectors[0] @ vectors[1].T)
    ways[f"{name} with BM25"] = ways[name] + 0.1 * words / words.max(axis=1, keepdims=True)

command = ["semblance", "faq", "ask", "--model", FOLDER / NAME, "--json", "--top", "100"]
said = subprocess.run(command, input="\n".join(asked), text=True, capture_output=True).stdout
answers = [json.loads(line) for line in said.splitlines()]
kept = []
for line, answer in zip(answers, right, strict=True):
    # What is given, and what lies below the floor: the order of all answers is scored.
    ids = [answer_of[one["id"]] for one in (*line["answers"], *line["nearest"])]
    kept.append(1 / (1 + ids.index(answer)) if answer in ids else 0.0)
precision = {
    name: 1 / (1 + (scores > scores[np.arange(len(right)), right][:, None]).sum(axis=1))
    for name, scores in ways.items()
}
precision["kept, by ask"] = np.asarray(kept)
best = max(precision, key=lambda name: precision[name].mean())
print(f"{NAME}: {len(entries)} entries, {len(queries)} wordings, {len(asked)} held out")
for name, found in sorted(precision.items(), key=lambda item: -item[1].mean()):
    behind = precision[best] - found
    clusters = defaultdict(list)
    for value, answer in zip(behind, right, strict=True):
        clusters[answer].append(value - behind.mean())
    error = math.sqrt(sum(sum(values) ** 2 for values in clusters.values())) / len(behind)
    first = (found == 1).mean()
    print(
        f"{name:16} MAP {found.mean():6.1%}  first right {first:6.1%}  behind {behind.mean():6.1%} ± {error:.1%}"
    )
likely = [line["likely"] for line in answers]
is_right = np.asarray(kept) == 1
print(f"likely: {np.mean(likely):.1%}; of these right at once: {is_right[likely].mean():.1%}")
