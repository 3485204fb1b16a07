"""Parse a FAQ bank, split it into folds, and write training corpora and dev questions."""

import sys
import time
from pathlib import Path

from semblance.data.prepare_faq import OWN, BankSettings, FaqFolders, read_bank, write_folds
from semblance.data.raw import Raw
from semblance.layout import BANK_ENTRIES, RECORD, fold_corpus, whole_corpus
from semblance.provenance import write_record
from workflow.scripts.endings import run
from workflow.scripts.preparing import RawFiles
from workflow.scripts.program import program

QUESTIONS = ["answers.parquet", "questions.parquet"]
BANK = [*QUESTIONS, "candidates.parquet", BANK_ENTRIES]
ROWS = ["sentences.arrow", "rows.arrow"]


@program(__doc__)
def main(
    settings: BankSettings,
    files: RawFiles,
    corpora: Path,
    dev: Path,
    output: Path,
    code: str = "",
) -> None:
    started = time.monotonic()
    raw = files.read()
    folders = FaqFolders(output.parent, corpora, dev)
    bank = read_bank(raw, settings)
    for line in bank.reading.lines:
        print(line, file=sys.stderr)
    counts = write_folds(bank, settings, folders)
    if settings.kind == OWN:
        counts |= bank.reading.counts
    for fold in range(settings.folds):
        name = fold_corpus(settings.name, fold)
        for record, outputs in ((corpora / name, ROWS), (dev / name, QUESTIONS)):
            write_part(record / RECORD, outputs, started, code, raw)
    whole = corpora / whole_corpus(settings.name)
    write_part(whole / RECORD, ROWS, started, code, raw)
    write_record(
        output,
        "prepare_faq",
        outputs=BANK,
        started=started,
        code=code,
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
