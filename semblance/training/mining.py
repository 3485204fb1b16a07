"""The hard negatives of a fold's corpus, from files to files: the corpus again, with negatives."""

import time
from dataclasses import asdict
from pathlib import Path

import numpy as np

from semblance.data.corpus import read_rows, read_sentences, write_corpus
from semblance.data.folds import TEXTS, read_texts
from semblance.data.negatives import MiningSettings, mine
from semblance.errors import InputError
from semblance.models.vectors import unit
from semblance.provenance import checked, outputs_digest, write_record

EMBEDDINGS = "embeddings.npy"  # that of training/embeddings.py, which imports torch
FILES = ("sentences.arrow", "rows.arrow")


def mine_negatives(
    corpus: str, embeddings: str, output: Path, settings: MiningSettings, code: str
) -> None:
    """Write the corpus with a hard negative for each row beside the record ``output``.

    ``corpus`` and ``embeddings`` are records: of a fold of a FAQ bank, and of what the start model
    makes of its sentences. The sentences keep their numbers, so that the corpus's tokens fit.
    """
    started = time.monotonic()
    corpus_record = checked(corpus, *FILES, TEXTS)
    embedding_record = checked(embeddings, EMBEDDINGS)
    folder = Path(corpus).parent
    sentences = read_sentences(folder)
    vectors = unit(np.load(Path(embeddings).parent / EMBEDDINGS, mmap_mode="r"))
    if len(vectors) != len(sentences):
        raise InputError(embeddings, f"is not of the sentences of {corpus}", "embed them again")
    rows, counts = mine(read_rows(folder), sentences, read_texts(folder), vectors, settings)
    write_corpus(output.parent, sentences, rows)
    write_record(
        output,
        "mine_negatives",
        outputs=list(FILES),
        started=started,
        code=code,
        inputs={
            "corpus": outputs_digest(corpus_record),
            "embeddings": embedding_record["outputs"][EMBEDDINGS],
        },
        records={"corpus": corpus_record, "embeddings": embedding_record},
        settings=asdict(settings),
        counts=counts,
    )
