"""How long one question takes in a session: vectors, BM25 and both, for 10,000 and 100,000 entries.

python -m benchmarks.answering --model my-faq
python -m benchmarks.answering --model my-faq --entries 100000 --questions 50

The encoder and its tokenizer are those of the trained FAQ that is named. The entries are made up:
each has an answer, a question and one other wording, and all three are compared with (match
``better``). Their words have frequencies as in a language, since BM25 reads every text with a word
of the question; their vectors are random, which no product of matrices notices. Exit status 1 if
the slowest ranking is, by its median, slower than the limit of docs/own-faq.md.
"""

import resource
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.workload import command_line
from semblance.counts import counted
from semblance_faq.answer.answerer import Answerer
from semblance_faq.answer.bank import FaqEntry, build_bank
from semblance_faq.answer.embedding import use_one_thread
from semblance_faq.answer.folder import (
    AnsweringSettings,
    Ranking,
    StoredAnswerer,
    answerer_folder,
    read_record,
)

RANKINGS: tuple[Ranking, ...] = ("vectors", "words", "hybrid")
LIMITS = {10_000: 30.0, 100_000: 100.0}  # entries -> ms of one question
WORDS = 50_000  # of the made-up language
LENGTHS = {"answer": 40, "question": 10, "wording": 8}  # words of a text
WARM_UP = 3  # questions before the clock runs
PERCENTILES = (50, 99, 100)


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--model", required=True, help="folder of a trained FAQ")
    parser.add_argument("--entries", type=int, nargs="+", default=list(LIMITS), help="how many")
    parser.add_argument("--questions", type=int, default=100, help="timed of each ranking")
    args = parser.parse_args()
    folder = answerer_folder(args.model)
    slow = False
    for entries, ranking, found in timed(folder, args.entries, args.questions):
        print(f"{entries:>8,} entries  {ranking:<8} {line(found)}", flush=True)
        slow |= float(np.median(found)) > LIMITS.get(entries, np.inf)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"memory at the peak: {peak:,.0f} MB, the making of the entries included")
    if slow:
        sys.exit(1)


def timed(
    folder: Path, sizes: Iterable[int], questions: int
) -> Iterator[tuple[int, Ranking, np.ndarray]]:
    """Yield each number of entries and each ranking with the time of each question in ms, (n,)."""
    use_one_thread()
    for entries in sizes:
        bank = made_up(folder, entries)
        for ranking in RANKINGS:
            yield entries, ranking, milliseconds(bank, ranking, questions)


def made_up(folder: Path, entries: int) -> StoredAnswerer:
    """Return a FAQ of made-up entries with the model of a trained one."""
    rng = np.random.default_rng(0)
    texts = [sentences(rng, entries, length) for length in LENGTHS.values()]
    made = tuple(
        FaqEntry(str(number), question, answer, (wording,))
        for number, (answer, question, wording) in enumerate(zip(*texts, strict=True))
    )
    bank = build_bank(made, "better")
    stored = AnsweringSettings.from_record(read_record(folder))
    settings = AnsweringSettings("hybrid", "better", stored.max_length, None)
    width = np.load(folder / "vectors.npy", mmap_mode="r").shape[1]
    vectors = rng.standard_normal((len(bank.sources), width), np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return StoredAnswerer(folder, settings, made, bank, vectors)


def sentences(rng: np.random.Generator, count: int, length: int) -> list[str]:
    """Return texts of so many words; the word of rank r is as frequent as 1 / r (Zipf)."""
    weights = 1 / np.arange(1, WORDS + 1)
    drawn = rng.choice(WORDS, (count, length), p=weights / weights.sum())
    return [" ".join(f"w{word}" for word in row) for row in drawn.tolist()]


def milliseconds(stored: StoredAnswerer, ranking: Ranking, questions: int) -> np.ndarray:
    """Return the time of each question, (n,), one after another as in a session."""
    settings = AnsweringSettings(ranking, "better", stored.settings.max_length, None)
    answerer = Answerer(replace(stored, settings=settings))
    asked = sentences(np.random.default_rng(1), WARM_UP + questions, LENGTHS["question"])
    found = []
    for text in asked:
        started = time.perf_counter()
        answerer.ask(text)
        found.append(1000 * (time.perf_counter() - started))
    return np.asarray(found[WARM_UP:])


def line(found: np.ndarray) -> str:
    """Return the figures of one ranking as text."""
    values = np.percentile(found, PERCENTILES)
    shown = ", ".join(f"p{p} {v:.1f} ms" for p, v in zip(PERCENTILES, values, strict=True))
    return f"{shown} ({counted(len(found), 'question')})"


if __name__ == "__main__":
    main()
