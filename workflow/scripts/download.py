"""Fetch one raw dataset of the manifest into the data folder, checked against its digests.

The record lists each file with its sha256 and size. A second run fetches only what is missing.
"""

from pathlib import Path

from semblance.fetch.manifest import find_dataset, load_manifest
from semblance.fetch.raw import fetch_dataset
from semblance.provenance import write_sealed
from workflow.scripts.endings import run
from workflow.scripts.program import program


@program(__doc__)
def main(
    manifest: Path, dataset: str, destination: Path, record: Path, mirror: str | None = None
) -> None:
    entry = find_dataset(load_manifest(manifest), dataset, manifest)
    write_sealed(record, {"dataset": dataset, **fetch_dataset(entry, destination, mirror)})


if __name__ == "__main__":
    run(main)
