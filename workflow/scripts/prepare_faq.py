"""Parse a FAQ bank, split it into folds, and write its questions and each fold's training corpus."""

import time
from pathlib import Path

from semblance.data.prepare import BankSettings, Raw, faq_folds, read_bank
from semblance.download.manifest import load_manifest
from semblance.provenance import write_record
from semblance.settings import decode_json
from workflow.scripts.cli import preparation, run


def main(argv: list[str] | None = None) -> None:
    """Read, split, write; the record of each fold's corpus lies in the corpus's own folder."""
    parser = preparation(__doc__)
    parser.add_argument(
        "--corpora", type=Path, required=True, help="folder of the training corpora"
    )
    args, started = parser.parse_args(argv), time.monotonic()
    settings = decode_json(BankSettings, args.settings, "bank")
    raw = Raw(load_manifest(args.manifest), args.data)
    counts = faq_folds(read_bank(raw, settings), settings, Path(args.output).parent, args.corpora)
    facts = {"started": started, "code": args.code, "inputs": raw.inputs}
    for fold in range(settings.folds):
        write_record(
            args.corpora / f"{settings.name}-{fold}" / "record.json",
            "prepare_faq",
            outputs=["sentences.arrow", "rows.arrow"],
            **facts,
        )
    write_record(
        args.output,
        "prepare_faq",
        outputs=["answers.parquet", "questions.parquet"],
        counts=counts,
        folds=settings.folds,
        seed=settings.seed,
        **facts,
    )


if __name__ == "__main__":
    run(main)
