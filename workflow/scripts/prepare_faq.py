"""Parse a FAQ bank, split it into folds, and write training corpora and dev questions."""

import sys
import time
from pathlib import Path

from semblance.data.fold_texts import TEXTS
from semblance.data.prepare_faq import OWN, BankSettings, FaqFolders, read_bank, write_folds
from semblance.data.raw import Raw
from semblance.download.manifest import load_manifest
from semblance.layout import RECORD, fold_corpus, whole_corpus
from semblance.provenance import write_record
from semblance.settings import decode_json
from workflow.scripts.cli import preparation
from workflow.scripts.endings import run

QUESTIONS = ["answers.parquet", "questions.parquet"]
BANK = [*QUESTIONS, "candidates.parquet", "entries.parquet"]
ROWS = ["sentences.arrow", "rows.arrow", TEXTS]


def main(argv: list[str] | None = None) -> None:
    """Read, split, write; each corpus and the dev questions of each fold have their own records."""
    started = time.monotonic()
    parser = preparation(__doc__)
    parser.add_argument("--corpora", type=Path, required=True, help="folder of training corpora")
    parser.add_argument("--dev", type=Path, required=True, help="folder of the folds' dev data")
    args = parser.parse_args(argv)
    settings = decode_json(BankSettings, args.settings, "bank")
    raw = Raw(load_manifest(args.manifest), args.data)
    folders = FaqFolders(Path(args.output).parent, args.corpora, args.dev)
    bank = read_bank(raw, settings)
    for line in bank.reading.lines():
        print(line, file=sys.stderr)
    counts = write_folds(bank, settings, folders)
    if settings.kind == OWN:
        counts |= bank.reading.counts()
    for fold in range(settings.folds):
        name = fold_corpus(settings.name, fold)
        for record, outputs in ((args.corpora / name, ROWS), (args.dev / name, QUESTIONS)):
            write_part(record / RECORD, outputs, started, args.code, raw)
    whole = args.corpora / whole_corpus(settings.name)
    write_part(whole / RECORD, ROWS, started, args.code, raw)
    write_record(
        args.output,
        "prepare_faq",
        outputs=BANK,
        started=started,
        code=args.code,
        counts=counts,
        folds=settings.folds,
        seed=settings.seed,
        **raw.facts(),
    )


def write_part(record: Path, outputs: list[str], started: float, code: str, raw: Raw) -> None:
    """Write the record of a corpus, or of the dev questions of a fold."""
    facts = raw.facts()
    write_record(record, "prepare_faq", outputs=outputs, started=started, code=code, **facts)


if __name__ == "__main__":
    run(main)
