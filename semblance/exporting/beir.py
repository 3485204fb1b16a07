"""The questions and answers of a FAQ test in BEIR's form, as its loaders and MTEB's read it.

The questions of the entries are no part of the corpus: under some protocols they are what is asked.
"""

import json
from collections.abc import Iterable
from pathlib import Path

from semblance.exporting.faq_rankings import RankedTest
from semblance.files import write_text

CORPUS = "corpus.jsonl"
QUERIES = "queries.jsonl"
QRELS = "qrels/test.tsv"


def write_beir(test: RankedTest, folder: Path) -> None:
    """Write corpus, queries and qrels of one test into a folder."""
    (folder / QRELS).parent.mkdir(parents=True, exist_ok=True)
    _write_objects(
        folder / CORPUS,
        ({"_id": each.id, "title": "", "text": each.text} for each in test.documents),
    )
    _write_objects(folder / QUERIES, ({"_id": each.id, "text": each.text} for each in test.queries))
    judged = ["query-id\tcorpus-id\tscore\n"]
    for query in test.queries:
        for number in query.relevant:
            judged.append(f"{query.id}\t{test.documents[number].id}\t1\n")
    write_text(folder / QRELS, "".join(judged))


def _write_objects(path: Path, objects: Iterable[dict[str, str]]) -> None:
    """Write one JSON object a line; what is no ASCII is escaped, U+2028 among it."""
    write_text(path, "".join(json.dumps(each) + "\n" for each in objects))
