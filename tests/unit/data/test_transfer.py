"""SentEval's transfer tasks: the readers of their files, and the order of the prepared items."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from semblance.data.transfer import (
    MRPC_HEADER,
    LabelledText,
    in_order,
    read_mrpc,
    read_sst,
    read_texts,
    read_trec,
)
from semblance.errors import InputError
from semblance.names import TRANSFER_TASKS
from tests.unit.data.files import DATA, needs_data, put
from workflow.scripts import prepare_transfer


def test_each_line_of_a_text_file_is_an_item_and_a_blank_one_is_an_empty_text(tmp_path):
    path = put(tmp_path / "a.pos", "one  two \nnull\n\nlast\n\n")
    texts = ["one two", "null", "", "last", ""]
    assert read_texts(path, 1) == [LabelledText(1, text) for text in texts]


def test_sst_has_a_text_and_its_label(tmp_path):
    path = put(tmp_path / "sentiment-dev", "a fine film . \t1\nunfunny \t0\n")
    assert read_sst(path) == [LabelledText(1, "a fine film ."), LabelledText(0, "unfunny")]


def test_trec_is_latin_1_and_its_coarse_class_is_the_label(tmp_path):
    lines = "NUM:dist How far is it ?\nABBR:exp What is S\xe3o : Paulo ?\n"
    path = put(tmp_path / "TREC_10.label", lines.encode("latin-1"))
    assert read_trec(path) == [
        LabelledText(5, "How far is it ?"),
        LabelledText(0, "What is S\xe3o : Paulo ?"),
    ]


def test_mrpc_keeps_quotes_and_both_sentences(tmp_path):
    path = put(
        tmp_path / "m.txt",
        "\ufeff" + "\t".join(MRPC_HEADER) + '\n1\t7\t8\tHe said " no\tNo , he said\r\n',
    )
    assert read_mrpc(path) == [LabelledText(1, 'He said " no', "No , he said")]


def test_items_stand_in_the_order_of_their_words_then_labels_then_as_read():
    long = LabelledText(1, "a b c")
    first = LabelledText(1, "a b")
    second = LabelledText(0, "c d")
    third = LabelledText(0, "a b")
    assert in_order([long, first, second, third]) == [second, third, first, long]


def test_pairs_stand_in_the_order_of_both_lengths():
    pairs = [
        LabelledText(0, "a b", "c d"),
        LabelledText(1, "a b", "c"),
        LabelledText(1, "a", "c d"),
    ]
    assert in_order(pairs) == [pairs[2], pairs[1], pairs[0]]


def prepare(folder: Path, names, manifest="workflow/manifest.yaml", data=DATA) -> dict[str, int]:
    """Run the script; return the number of items of each task and part."""
    prepare_transfer.main(
        ["--settings", json.dumps({"datasets": names}), "--manifest", str(manifest)]
        + ["--data", str(data), "--output", str(folder / "record.json")]
    )
    table = pq.read_table(folder / "items.parquet").to_pandas()
    return table.groupby(["task", "part"], sort=False).size().to_dict()


@needs_data
def test_the_real_files_have_the_known_counts(tmp_path):
    assert prepare(tmp_path, list(TRANSFER_TASKS)) == {
        ("mr", ""): 10662,
        ("cr", ""): 3775,
        ("subj", ""): 10000,
        ("mpqa", ""): 10606,
        ("sst2", "train"): 67349,
        ("sst2", "dev"): 872,
        ("sst2", "test"): 1821,
        ("trec", "train"): 5452,
        ("trec", "test"): 500,
        ("mrpc", "train"): 4076,
        ("mrpc", "test"): 1725,
    }


def test_a_data_set_of_no_task_is_refused(tmp_path):
    with pytest.raises(InputError, match="'stsb' is no transfer task; known: mr, cr"):
        prepare(tmp_path, ["stsb"], data=tmp_path)
