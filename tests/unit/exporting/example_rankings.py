"""A finished evaluation of two folds of a small bank, as the stages leave it."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from semblance import layout
from semblance.data.arrow import write_parquet
from semblance.evaluation.faq import ranked
from semblance.evaluation.prepared import BankQuestion
from semblance.names import FAQ_DEV
from semblance.provenance import outputs_digest, read_sealed, write_record

HOSTILE = ("a b", "tab\there", "line\nfeed", '"quoted"', "%20", "nbsp\u00a0", "\u2028", "it's")
ANSWERS = 130  # more than a ranking keeps
QUESTIONS = 12  # of each fold and protocol
BANK = "own-1"


def entry_id(number: int) -> str:
    """Return the id of an entry; some of them are hostile."""
    return f"{HOSTILE[number % len(HOSTILE)]}{number}"


def questions() -> list[BankQuestion]:
    """Return those of two folds and two protocols: one right answer, or several."""
    draw = np.random.default_rng(0)
    found = []
    for protocol in ("pairs", "annotated"):
        for number in range(2 * QUESTIONS):
            count = 1 if protocol == "pairs" else 1 + number % 4
            right = draw.choice(ANSWERS, count, replace=False)
            text = f'what is {number}?\u2028 "yes"'
            relevant = tuple(sorted(right.tolist()))
            name = entry_id(number)
            found.append(BankQuestion(protocol, name, text, name, number % 2, relevant))
    return found


def scores_of(question: BankQuestion, number: int) -> np.ndarray:
    """Return made scores (A,) float32: with ties, near ties, zeros, and negative ones."""
    draw = np.random.default_rng(number)
    scores = draw.normal(size=ANSWERS).astype(np.float32)
    scores[list(question.relevant)] += number % 3
    kind = number % 4
    if kind == 1:
        scores = np.round(scores)  # many ties
    elif kind == 2:
        scores = np.maximum(scores - 2, 0)  # as BM25: most are 0
    elif kind == 3:
        scores = (np.float32(1) - np.arange(ANSWERS, dtype=np.float32)[::-1] * 3e-8).astype("f4")
    return scores


def write_bank(root: Path, later_entry: str = "a later entry") -> str:
    """Write the bank below an output folder; return its digest. Two entries have one answer."""
    bank = Path(layout.place(root, layout.BANK, bank=BANK))
    bank.mkdir(parents=True, exist_ok=True)
    rows = [vars(question) | {"relevant": list(question.relevant)} for question in questions()]
    texts = [f"answer number {number}" for number in range(ANSWERS)]
    entries = [{"id": entry_id(number), "answer": text} for number, text in enumerate(texts)]
    entries.append({"id": later_entry, "answer": texts[0]})
    write_parquet(pa.table({"text": texts}), bank / "answers.parquet")
    write_parquet(pa.Table.from_pylist(rows), bank / "questions.parquet")
    write_parquet(pa.Table.from_pylist(entries), bank / "entries.parquet")
    outputs = ["answers.parquet", "questions.parquet", "entries.parquet"]
    write_record(bank / layout.RECORD, "prepare_faq", outputs=outputs, started=0.0)
    return outputs_digest(read_sealed(bank / layout.RECORD))


def write_results(root: Path, method: str = "tuned") -> list[Path]:
    """Write bank and evaluations below an output folder; return the folders of the evaluations."""
    digest = write_bank(root)
    return [_write_fold(root, fold, method, questions(), digest) for fold in (0, 1)]


def _write_fold(root, fold: int, method: str, asked: list[BankQuestion], bank: str) -> Path:
    """Write one evaluation: test questions of the fold, and dev questions of the other one."""
    run = {"corpus": f"{BANK}-{fold}", "base": "tiny", "method": method, "seed": "3"}
    folder = Path(layout.place(root, layout.FAQ_SCORES, **run))
    folder.mkdir(parents=True)
    test = [question for question in asked if question.part == fold]
    dev = [question for question in asked if question.part != fold]
    columns = ranked([[scores_of(each, number) for number, each in enumerate(test)]], test)
    of_dev = ranked([[scores_of(each, 1) for each in dev]], dev)
    of_dev["protocol"] = [FAQ_DEV] * len(dev)
    whole = {name: column + of_dev[name] for name, column in columns.items()}
    write_parquet(pa.table(whole), folder / "predictions.parquet")
    write_record(
        folder / layout.RECORD,
        "evaluate_faq",
        outputs=["predictions.parquet"],
        started=0.0,
        inputs={"data": bank},
        run=run | {"run": "a name"},
        settings={"ranking": {"by": "vectors"}},
    )
    return folder
