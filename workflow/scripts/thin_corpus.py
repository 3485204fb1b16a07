"""Keep a part of the training corpus of a FAQ bank, for a learning curve."""

import argparse
import time
from dataclasses import asdict
from pathlib import Path

from semblance.data.thinning import ENTRIES, PartSettings, write_part
from semblance.provenance import checked, named_beside, write_record
from semblance.settings import decode_json
from workflow.scripts.endings import run

CORPUS = ("sentences.arrow", "rows.arrow")


def main(argv: list[str] | None = None) -> None:
    """Read, choose, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", required=True, help="JSON: how much is kept, and of what")
    parser.add_argument("--corpus", required=True, help="record of the corpus")
    parser.add_argument("--bank", required=True, help="record of the bank")
    parser.add_argument("--code", default="", help="digest of the code, for the record")
    parser.add_argument("--output", type=Path, required=True, help="the record to write")
    args = parser.parse_args(argv)
    started = time.monotonic()
    settings = decode_json(PartSettings, args.settings)
    corpus = checked(args.corpus, *CORPUS)
    bank = checked(args.bank, ENTRIES)
    folders = (Path(args.corpus).parent, Path(args.bank).parent)
    counts = write_part(*folders, settings, args.output.parent)
    read = {str(folders[0] / name): corpus["outputs"][name] for name in CORPUS}
    read[str(folders[1] / ENTRIES)] = bank["outputs"][ENTRIES]
    records = {args.corpus: corpus, args.bank: bank}
    write_record(
        args.output,
        "thin_corpus",
        outputs=CORPUS,
        started=started,
        code=args.code,
        counts=counts,
        settings=asdict(settings),
        inputs=named_beside(args.output, read),
        records=named_beside(args.output, records),
    )


if __name__ == "__main__":
    run(main)
