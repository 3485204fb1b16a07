"""SentEval's seven transfer tasks: from raw files to labelled sentences, or pairs, in its order.

The files are those that SentEval makes of the releases (data/downstream/get_transfer_data.bash in
https://github.com/facebookresearch/SentEval): tokenised, one text or pair a line. White space is
normalised, because SentEval splits each text into its words.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from semblance.data.arrow import write_parquet
from semblance.data.csv_text import read_tabs
from semblance.data.raw import Raw
from semblance.data.text import at_least_one, filled, normalise
from semblance.errors import InputError, at
from semblance.lines import read_lines, read_records
from semblance.names import TRANSFER_TASKS

ITEMS = "items.parquet"
WHOLE = ""  # the part of a task that has no split of its own
TREC_CLASSES = ("ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM")  # the label is the place of one
MRPC_HEADER = ("Quality", "#1 ID", "#2 ID", "#1 String", "#2 String")


@dataclass(frozen=True)
class LabelledText:
    """A sentence with its label; ``second`` is the other sentence of a pair, else empty."""

    label: int
    first: str
    second: str = ""


@dataclass(frozen=True)
class TransferSettings:
    """The data sets of the transfer tasks; each has the name of its task."""

    datasets: tuple[str, ...]


def read_texts(path: Path | str, label: int) -> list[LabelledText]:
    """Read one text a line, all of one label.

    ASSUME a blank line is an empty text: SentEval counts the seven of CR and MPQA as items, too.
    """
    lines = at_least_one(read_lines(path), "text", path)
    return [LabelledText(label, normalise(text)) for _, text in lines]


def read_sst(path: Path | str) -> list[LabelledText]:
    """Read a part of SST-2: a sentence or phrase, a tab, and 1 (positive) or 0."""
    texts = []
    for line, (sentence, label) in at_least_one(read_tabs(path, 2), "text", path):
        sentence = filled(sentence, "the text", path, line)
        texts.append(LabelledText(_binary(label, at(path, line)), sentence))
    return texts


def read_trec(path: Path | str) -> list[LabelledText]:
    """Read a part of TREC, in Latin-1: ``CLASS:kind question``, one of six classes a question."""
    questions = []
    for line, text in at_least_one(read_records(path, "latin-1"), "text", path):
        label, _, question = text.partition(" ")
        name = label.partition(":")[0]
        if name not in TREC_CLASSES:
            known = f"known are {', '.join(TREC_CLASSES)}"
            raise InputError(at(path, line), f"unknown class {name!r:.80}", known)
        question = filled(question, "the question", path, line)
        questions.append(LabelledText(TREC_CLASSES.index(name), question))
    return questions


def read_mrpc(path: Path | str) -> list[LabelledText]:
    """Read a part of MRPC: a header, then tab-separated label, two numbers and two sentences."""
    pairs = []
    rows = read_tabs(path, len(MRPC_HEADER), header=MRPC_HEADER)
    for line, (label, *_, first, second) in at_least_one(rows, "text", path):
        first = filled(first, MRPC_HEADER[3], path, line)
        second = filled(second, MRPC_HEADER[4], path, line)
        pairs.append(LabelledText(_binary(label, at(path, line)), first, second))
    return pairs


def _binary(label: str, where: str) -> int:
    if label not in ("0", "1"):
        raise InputError(where, f"label {label!r:.80} is neither 0 nor 1")
    return int(label)


# The file of label 1, then that of label 0.
BINARY = {
    "mr": ("rt-polarity.pos", "rt-polarity.neg"),
    "cr": ("custrev.pos", "custrev.neg"),
    "subj": ("subj.objective", "subj.subjective"),
    "mpqa": ("mpqa.pos", "mpqa.neg"),
}
# Tasks that are released in parts: the reader, and the file name of each part.
SPLIT: dict[str, tuple[Callable[[Path], list[LabelledText]], dict[str, str]]] = {
    "sst2": (
        read_sst,
        {"train": "sentiment-train", "dev": "sentiment-dev", "test": "sentiment-test"},
    ),
    "trec": (read_trec, {"train": "train_5500.label", "test": "TREC_10.label"}),
    "mrpc": (
        read_mrpc,
        {"train": "msr_paraphrase_train.txt", "test": "msr_paraphrase_test.txt"},
    ),
}


def write_items(raw: Raw, settings: TransferSettings, folder: Path) -> dict[str, int]:
    """Write the items of every task into ``items.parquet``; return the items of each task.

    Columns: task, part (train, dev or test; empty for a task without a split), index (from 0 within
    the part), label, sentence1, sentence2 (empty but for pairs).
    """
    rows = []
    for task in settings.datasets:
        for part, texts in _texts_by_part(raw, task).items():
            for index, text in enumerate(in_order(texts)):
                row = {"task": task, "part": part, "index": index, "label": text.label}
                rows.append(row | {"sentence1": text.first, "sentence2": text.second})
    write_parquet(pa.Table.from_pylist(rows), folder / ITEMS)
    return dict(Counter(row["task"] for row in rows))


def _texts_by_part(raw: Raw, task: str) -> dict[str, list[LabelledText]]:
    """Return the texts of each part of a task, after counting them."""
    if task in BINARY:
        positive, negative = (raw.file(task, ending) for ending in BINARY[task])
        of_label_1 = read_texts(positive, 1)
        of_label_0 = read_texts(negative, 0)
        raw.check(task, label1=len(of_label_1), label0=len(of_label_0))
        return {WHOLE: of_label_1 + of_label_0}
    if task not in SPLIT:
        known = f"known: {', '.join(TRANSFER_TASKS)}"
        raise InputError("config.transfer.datasets", f"{task!r} is no transfer task", known)
    read, files = SPLIT[task]
    parts = {part: read(raw.file(task, name)) for part, name in files.items()}
    raw.check(task, **{part: len(texts) for part, texts in parts.items()})
    return parts


def in_order(texts: list[LabelledText]) -> list[LabelledText]:
    """Return texts in the order in which SentEval deals them out to folds.

    It sorts them by their numbers of words and then by their labels; equal ones keep their order.
    """
    return sorted(texts, key=lambda t: (len(t.first.split()), len(t.second.split()), t.label))
