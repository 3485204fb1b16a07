"""Fetch one raw dataset of the manifest into the data folder, checked against its digests.

The record lists each file with its sha256 and size. A second run fetches only what is missing.
"""

import argparse
from pathlib import Path

from semblance.fetch.datasets import fetch_dataset
from semblance.fetch.manifest import find_dataset, load_manifest
from semblance.provenance import write_sealed
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    """Fetch one dataset and write its record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manifest", type=Path, required=True, help="the manifest (YAML)")
    parser.add_argument("--dataset", required=True, help="a name in the manifest")
    parser.add_argument("--destination", type=Path, required=True, help="the data folder")
    parser.add_argument(
        "--record", type=Path, required=True, help="the JSON file to write: path, sha256, size"
    )
    parser.add_argument(
        "--mirror", help="a folder or http(s) address with the same paths; no other place is tried"
    )
    args = parser.parse_args(argv)
    dataset = find_dataset(load_manifest(args.manifest), args.dataset, args.manifest)
    record = fetch_dataset(dataset, args.destination, args.mirror)
    write_sealed(args.record, {"dataset": args.dataset, **record})


if __name__ == "__main__":
    run(main)
