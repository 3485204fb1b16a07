"""From raw files to the items of SentEval's transfer tasks, in SentEval's order, counts checked."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from semblance.data import transfer
from semblance.data.arrow import write_parquet
from semblance.data.raw import Raw
from semblance.data.transfer import LabelledText, Reader
from semblance.errors import InputError
from semblance.names import TRANSFER_TASKS

ITEMS = "items.parquet"
WHOLE = ""  # the part of a task that has no split of its own


@dataclass(frozen=True)
class TransferSettings:
    """The data sets of the transfer tasks; each has the name of its task."""

    datasets: tuple[str, ...]


@dataclass(frozen=True)
class Split:
    """How a task is released in parts: the reader, and the file name of each part."""

    read: Reader
    files: Mapping[str, str]


# The file of label 1, then that of label 0.
BINARY = {
    "mr": ("rt-polarity.pos", "rt-polarity.neg"),
    "cr": ("custrev.pos", "custrev.neg"),
    "subj": ("subj.objective", "subj.subjective"),
    "mpqa": ("mpqa.pos", "mpqa.neg"),
}
SPLIT = {
    "sst2": Split(
        transfer.read_sst,
        {"train": "sentiment-train", "dev": "sentiment-dev", "test": "sentiment-test"},
    ),
    "trec": Split(transfer.read_trec, {"train": "train_5500.label", "test": "TREC_10.label"}),
    "mrpc": Split(
        transfer.read_mrpc,
        {"train": "msr_paraphrase_train.txt", "test": "msr_paraphrase_test.txt"},
    ),
}


def write_items(raw: Raw, settings: TransferSettings, folder: Path) -> dict[str, int]:
    """Write the items of every task into ``items.parquet``; return the items of each task.

    Columns: task, part (train, dev or test; empty for a task without a split), index (from 0 within
    the part), label, sentence1, sentence2 (empty but for pairs).
    """
    rows = [row for name in settings.datasets for row in _task_rows(raw, name)]
    folder.mkdir(parents=True, exist_ok=True)
    write_parquet(pa.Table.from_pylist(rows), folder / ITEMS)
    tasks = [row["task"] for row in rows]
    return {task: tasks.count(task) for task in settings.datasets}


def _task_rows(raw: Raw, task: str) -> Iterator[dict]:
    for part, texts in _texts_by_part(raw, task).items():
        for index, text in enumerate(in_order(texts)):
            yield {
                "task": task,
                "part": part,
                "index": index,
                "label": text.label,
                "sentence1": text.first,
                "sentence2": text.second,
            }


def _texts_by_part(raw: Raw, task: str) -> dict[str, list[LabelledText]]:
    """Return the texts of each part of a task, after counting them."""
    if task in BINARY:
        positive, negative = (raw.file(task, ending) for ending in BINARY[task])
        of_label_1 = transfer.read_texts(positive, 1)
        of_label_0 = transfer.read_texts(negative, 0)
        raw.check(task, label1=len(of_label_1), label0=len(of_label_0))
        return {WHOLE: of_label_1 + of_label_0}
    if task in SPLIT:
        split = SPLIT[task]
        parts = {part: split.read(raw.file(task, name)) for part, name in split.files.items()}
        raw.check(task, **{part: len(texts) for part, texts in parts.items()})
        return parts
    known = ", ".join(TRANSFER_TASKS)
    raise InputError("config.transfer.datasets", f"{task!r} is no transfer task", f"known: {known}")


def in_order(texts: list[LabelledText]) -> list[LabelledText]:
    """Return texts in the order in which SentEval deals them out to folds.

    It sorts them by their numbers of words and then by their labels; equal ones keep their order.
    """
    return sorted(texts, key=_rank)


def _rank(text: LabelledText) -> tuple[int, int, int]:
    return len(text.first.split()), len(text.second.split()), text.label
