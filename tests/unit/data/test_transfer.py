"""SentEval's transfer tasks: the prepared items, and their order."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from semblance.data.transfer import LabelledText, in_order
from semblance.errors import InputError
from semblance.names import TRANSFER_TASKS
from tests.scripts.flags import flags
from workflow.scripts import prepare_transfer


def test_items_stand_in_the_order_of_their_words_then_labels_then_as_read():
    texts = [(1, "a b c"), (1, "a b"), (0, "c d"), (0, "a b")]
    pairs = [(0, "a b", "c d"), (1, "a b", "c"), (1, "a", "c d")]
    for items, order in ((texts, [2, 3, 1, 0]), (pairs, [2, 1, 0])):
        found = [LabelledText(*item) for item in items]
        assert in_order(found) == [found[i] for i in order]


def prepare(folder: Path, names: list[str], data: Path) -> dict[str, int]:
    """Run the script; return the number of items of each task and part."""
    given = {"settings": {"datasets": names}, "manifest": "workflow/manifest.yaml", "data": data}
    prepare_transfer.main(flags(**given, output=folder / "record.json"))
    table = pq.read_table(folder / "items.parquet").to_pandas()
    return table.groupby(["task", "part"], sort=False).size().to_dict()


def test_the_real_files_have_the_known_counts(tmp_path, real_data):
    found = prepare(tmp_path, list(TRANSFER_TASKS), real_data)
    whole = {"mr": 10662, "cr": 3775, "subj": 10000, "mpqa": 10606}
    parts = {"sst2": (67349, 872, 1821), "trec": (5452, None, 500), "mrpc": (4076, None, 1725)}
    expected = {(task, ""): count for task, count in whole.items()}
    for task, counts in parts.items():
        expected |= zip([(task, part) for part in ("train", "dev", "test")], counts, strict=True)
    assert found == {key: count for key, count in expected.items() if count is not None}


def test_a_data_set_of_no_task_is_refused(tmp_path):
    with pytest.raises(InputError, match="'stsb' is no transfer task; known: mr, cr"):
        prepare(tmp_path, ["stsb"], tmp_path)
