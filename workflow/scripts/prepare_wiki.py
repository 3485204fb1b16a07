"""Build a corpus of single sentences from a file of one sentence a line."""

import time
from pathlib import Path

from semblance.data.prepare import CorpusSettings, write_sentences
from semblance.data.raw import Raw
from semblance.download.manifest import load_manifest
from semblance.provenance import write_record
from semblance.settings import decode_json
from workflow.scripts.cli import preparation, run


def main(argv: list[str] | None = None) -> None:
    """Read, count, write."""
    started = time.monotonic()
    args = preparation(__doc__).parse_args(argv)
    settings = decode_json(CorpusSettings, args.settings, "corpus")
    raw = Raw(load_manifest(args.manifest), args.data)
    counts = write_sentences(raw, settings, Path(args.output).parent)
    write_record(
        args.output,
        "prepare_wiki",
        outputs=["sentences.arrow", "rows.arrow"],
        started=started,
        code=args.code,
        inputs=raw.inputs,
        counts=counts,
    )


if __name__ == "__main__":
    run(main)
