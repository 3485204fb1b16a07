"""Tokenise a corpus's distinct sentences once for a tokenizer, special tokens included, untruncated.

The prompts of the base stand before them, if it has any.
"""

import argparse
import time
from pathlib import Path

from semblance.data.tokens import tokenise, write_tokens
from semblance.models.corpus_texts import corpus_texts
from semblance.models.saved import TOKENIZER, SavedModel
from semblance.provenance import checked, write_record
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
    prompts = base.prompts
    tokens = tokenise(base.tokenizer, corpus_texts(args.corpus, prompts))
    write_tokens(args.output.parent / "tokens.arrow", tokens)
    inputs = {
        "sentences": corpus["outputs"]["sentences.arrow"],
        "tokenizer": base.tokenizer_digest,
    }
    facts = {}
    if prompts:
        inputs["rows"] = corpus["outputs"]["rows.arrow"]
        facts["prompts"] = prompts.as_json()
    write_record(
        args.output,
        "tokenise",
        outputs=["tokens.arrow"],
        started=started,
        code=args.code,
        tokenizer=base.tokenizer_digest,
        inputs=inputs,
        records={"sentences": corpus, "rows": corpus, "tokenizer": base.record},
        sentences=len(tokens.offsets) - 1,
        tokens=len(tokens.ids),
        **facts,
    )


if __name__ == "__main__":
    run(main)
