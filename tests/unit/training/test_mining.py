"""The stage that mines hard negatives, from files to files: what a training reads then."""

import numpy as np
import pytest

from semblance.data.corpus import NONE, read_rows, read_sentences, write_corpus
from semblance.data.folds import ANSWER, QUESTION, FoldText, write_texts
from semblance.errors import InputError
from semblance.provenance import checked, input_digests, outputs_digest, read_sealed, write_record
from semblance.training.embeddings import NAME
from semblance.training.mining import EMBEDDINGS
from tests.scripts.flags import flags
from tests.unit.data.test_negatives import corpus
from workflow.scripts import mine_negatives

ENTRIES = [(f"q{i}", f"a{i}", f"g{i}") for i in range(6)]
SETTINGS = {"margin": 0.95, "ranks": 2}


@pytest.fixture
def sources(tmp_path):
    """Write a corpus of a fold and the vectors of its sentences; return their records."""
    sentences, rows, texts = corpus(ENTRIES)
    folder = tmp_path / "corpora/mine-0"
    write_corpus(folder, sentences, rows)
    write_texts(folder, texts)
    files = ["sentences.arrow", "rows.arrow", "texts.parquet"]
    write_record(folder / "record.json", "prepare_faq", outputs=files, started=0.0)
    vectors = np.random.default_rng(1).normal(size=(len(sentences), 4)).astype(np.float16)
    return folder / "record.json", embedded(tmp_path / "embeddings", vectors)


def embedded(folder, vectors):
    folder.mkdir(exist_ok=True)
    np.save(folder / "embeddings.npy", vectors)
    write_record(folder / "record.json", "embed", outputs=["embeddings.npy"], started=0.0)
    return folder / "record.json"


def call(sources, folder):
    """Mine into a folder; return the path of the record."""
    corpus, embeddings = sources
    output = folder / "record.json"
    given = {"settings": SETTINGS, "corpus": corpus, "embeddings": embeddings}
    mine_negatives.main(flags(**given, output=output))
    return output


def test_the_same_sentences_and_rows_with_a_negative_each_are_written(sources, tmp_path):
    before, after = sources[0].parent, call(sources, tmp_path / "out").parent
    # the tokens of the corpus fit, because each sentence keeps its number
    assert list(read_sentences(after)) == list(read_sentences(before))
    rows, mined = read_rows(before), read_rows(after)
    assert (rows.query == mined.query).all() and (rows.positive == mined.positive).all()
    assert (rows.negative == NONE).all() and (mined.negative != NONE).all()
    assert len(mined.views()) == 3


def test_the_record_names_what_was_read_how_it_was_chosen_and_what_was_found(sources, tmp_path):
    output = call(sources, tmp_path / "out")
    record = checked(output, "sentences.arrow", "rows.arrow")
    assert record["stage"] == "mine_negatives" and record["settings"] == SETTINGS
    assert input_digests(record)["corpus"] == outputs_digest(read_sealed(sources[0]))
    vectors = read_sealed(sources[1])["outputs"]["embeddings.npy"]
    assert input_digests(record)["embeddings"] == vectors
    assert record["counts"]["rows"] == len(ENTRIES) and record["counts"]["left out"] == 0
    again = read_sealed(call(sources, tmp_path / "again"))
    assert again["outputs"] == record["outputs"]


def test_embeddings_of_other_sentences_are_refused(sources, tmp_path):
    other = embedded(tmp_path / "other", np.ones((3, 4), np.float16))
    with pytest.raises(InputError, match="is not of the sentences of"):
        call((sources[0], other), tmp_path / "out")


def test_the_stage_reads_what_embed_writes():
    assert EMBEDDINGS == NAME


def test_a_damaged_list_of_texts_is_refused(sources, tmp_path):
    write_texts(sources[0].parent, [FoldText("q", QUESTION, 0, "g"), FoldText("a", ANSWER, 0, "g")])
    with pytest.raises(InputError, match="texts.parquet"):
        call(sources, tmp_path / "out")
