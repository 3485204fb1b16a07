"""Parse the STS test sets into one Parquet file of scored pairs."""

import time
from pathlib import Path

from semblance.data.prepare import StsSettings, write_test_pairs
from semblance.data.raw import Raw
from semblance.download.manifest import load_manifest
from semblance.provenance import write_record
from semblance.settings import decode_json
from workflow.scripts.cli import preparation, run


def main(argv: list[str] | None = None) -> None:
    """Read, count, write."""
    started = time.monotonic()
    args = preparation(__doc__).parse_args(argv)
    settings = decode_json(StsSettings, args.settings, "sts")
    raw = Raw(load_manifest(args.manifest), args.data)
    counts = write_test_pairs(raw, settings, Path(args.output).parent)
    write_record(
        args.output,
        "prepare_sts",
        outputs=["pairs.parquet"],
        started=started,
        code=args.code,
        inputs=raw.inputs,
        counts=counts,
        protocol=settings.protocol,
    )


if __name__ == "__main__":
    run(main)
