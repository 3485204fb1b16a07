"""Keep a part of the training corpus of a FAQ bank, for a learning curve."""

import time
from dataclasses import asdict
from pathlib import Path

from semblance.data.thinning import ENTRIES, PartSettings, write_part
from semblance.provenance import checked, named_beside, write_record
from workflow.scripts.endings import run
from workflow.scripts.program import program

CORPUS = ("sentences.arrow", "rows.arrow")


@program(__doc__)
def main(settings: PartSettings, corpus: str, bank: str, output: Path, code: str = "") -> None:
    started = time.monotonic()
    whole = checked(corpus, *CORPUS)
    entries = checked(bank, ENTRIES)
    folders = (Path(corpus).parent, Path(bank).parent)
    counts = write_part(*folders, settings, output.parent)
    read = {str(folders[0] / name): whole["outputs"][name] for name in CORPUS}
    read[str(folders[1] / ENTRIES)] = entries["outputs"][ENTRIES]
    records = {corpus: whole, bank: entries}
    write_record(
        output,
        "thin_corpus",
        outputs=CORPUS,
        started=started,
        code=code,
        counts=counts,
        settings=asdict(settings),
        inputs=named_beside(output, read),
        records=named_beside(output, records),
    )


if __name__ == "__main__":
    run(main)
