"""SentEval's transfer tasks: the readers of their files, and the order of the prepared items."""

import json
import os
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from semblance.data.prepare_transfer import in_order
from semblance.data.transfer import (
    LabelledText,
    read_mrpc,
    read_sst,
    read_texts,
    read_trec,
)
from semblance.errors import InputError
from semblance.names import TRANSFER_TASKS
from tests.unit.data.files import fails_at
from workflow.scripts import prepare_transfer

DATA = os.environ.get("SEMBLANCE_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="SEMBLANCE_DATA is not set: real data NOT checked")
HEADER = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n"


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_each_line_of_a_text_file_is_an_item_and_a_blank_one_is_an_empty_text(tmp_path):
    path = write(tmp_path / "a.pos", "one  two \nnull\n\nlast\n\n")
    texts = ["one two", "null", "", "last", ""]
    assert read_texts(path, 1) == [LabelledText(1, text) for text in texts]


def test_sst_has_a_text_and_its_label(tmp_path):
    path = write(tmp_path / "sentiment-dev", "a fine film . \t1\nunfunny \t0\n")
    assert read_sst(path) == [LabelledText(1, "a fine film ."), LabelledText(0, "unfunny")]


def test_trec_is_latin_1_and_its_coarse_class_is_the_label(tmp_path):
    lines = "NUM:dist How far is it ?\nABBR:exp What is S\xe3o : Paulo ?\n"
    path = write(tmp_path / "TREC_10.label", lines.encode("latin-1"))
    assert read_trec(path) == [
        LabelledText(5, "How far is it ?"),
        LabelledText(0, "What is S\xe3o : Paulo ?"),
    ]


def test_mrpc_keeps_quotes_and_both_sentences(tmp_path):
    path = write(tmp_path / "m.txt", f'\ufeff{HEADER}1\t7\t8\tHe said " no\tNo , he said\r\n')
    assert read_mrpc(path) == [LabelledText(1, 'He said " no', "No , he said")]


BAD = [
    (read_sst, "fine\t2\n", 1, "label '2' is neither 0 nor 1"),
    (read_sst, "fine\t1\nfine\n", 2, "1 columns, expected 2"),
    (read_sst, " \t1\n", 1, "the text is empty"),
    (read_trec, "NUM:dist How far ?\nPET:cat Who ?\n", 2, "unknown class 'PET'; known are ABBR"),
    (read_trec, "NUM:dist\n", 1, "the question is empty"),
    (read_trec, "NUM:How far is it ?\n", 1, "unknown kind 'How' of NUM; known are code, count"),
    (read_trec, "NUM: How far is it ?\n", 1, "unknown kind '' of NUM"),
    (read_trec, "NUM How far is it ?\n", 1, "unknown kind '' of NUM"),
    (read_trec, "LOC:dist Where is it ?\n", 1, "unknown kind 'dist' of LOC; known are city"),
    (read_trec, "ABBR:exp What is S\xe3o Paulo ?\n", 1, "UTF-8, expected Latin-1"),
    (read_mrpc, "1\t7\t8\ta\tb\n", 1, "the header is not Quality"),
    (read_mrpc, HEADER + "1\t7\t8\ta\n", 2, "4 columns, expected 5"),
    (read_mrpc, HEADER + "1\tseven\t8\ta\tb\n", 2, "#1 ID 'seven' is not a whole number"),
    (read_mrpc, HEADER + "1\t7\t\ta\tb\n", 2, "#2 ID '' is not a whole number"),
    (read_mrpc, HEADER + "yes\t7\t8\ta\tb\n", 2, "label 'yes' is neither 0 nor 1"),
    (read_mrpc, HEADER + "1\t7\t8\ta\t \n", 2, "#2 String is empty"),
    (read_mrpc, HEADER, 1, "no text"),
    (read_sst, "", 1, "no text"),
]


@pytest.mark.parametrize("read, content, line, words", BAD)
def test_a_damaged_line_is_refused_at_its_number(read, content, line, words, tmp_path):
    path = write(tmp_path / "damaged", content)
    with fails_at(path, line, re.escape(words)):
        read(path)


def test_a_tab_in_a_file_of_texts_is_refused(tmp_path):
    with fails_at(write(tmp_path / "a.pos", "one\ntwo\t1\n"), 2, "a tab"):
        read_texts(tmp_path / "a.pos", 1)


def test_an_empty_file_of_texts_is_refused(tmp_path):
    with fails_at(write(tmp_path / "a.pos", ""), 1, "no text"):
        read_texts(tmp_path / "a.pos", 1)


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
