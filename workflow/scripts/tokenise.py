"""Tokenise a corpus's distinct sentences once for a tokenizer, special tokens included, untruncated."""

import argparse
import time
from pathlib import Path

from semblance.data.corpus import read_sentences
from semblance.data.tokens import tokenise, write_tokens
from semblance.models.saved import TOKENIZER, SavedModel
from semblance.provenance import checked, record_digest, write_record
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    """Read, tokenise, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True, help="record of the corpus")
    parser.add_argument(
        "--base", type=Path, required=True, help="record of the base whose tokenizer it is"
    )
    parser.add_argument("--code", default="", help="digest of the code, for the record")
    parser.add_argument(
        "--output",
        type=Path,
        required=True,
        help="the record to write; tokens.arrow lies beside it",
    )
    args = parser.parse_args(argv)
    started = time.monotonic()
    corpus = checked(args.corpus, "sentences.arrow")
    base = SavedModel.read(args.base, TOKENIZER)
    tokens = tokenise(base.tokenizer, read_sentences(args.corpus.parent))
    write_tokens(args.output.parent / "tokens.arrow", tokens)
    inputs = {
        "sentences": corpus["outputs"]["sentences.arrow"],
        "tokenizer": base.tokenizer_digest,
    }
    write_record(
        args.output,
        "tokenise",
        outputs=["tokens.arrow"],
        started=started,
        code=args.code,
        tokenizer=base.tokenizer_digest,
        inputs=inputs,
        records={"sentences": record_digest(corpus), "tokenizer": record_digest(base.record)},
        sentences=len(tokens.offsets) - 1,
        tokens=len(tokens.ids),
    )


if __name__ == "__main__":
    run(main)
