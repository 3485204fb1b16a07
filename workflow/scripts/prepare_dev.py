"""Parse the dev pairs that choose each training's checkpoint into one Parquet file."""

import time
from pathlib import Path

from semblance.data.prepare import DevSettings, write_dev_pairs
from semblance.data.raw import Raw
from semblance.download.manifest import load_manifest
from semblance.provenance import write_record
from semblance.settings import decode_json
from workflow.scripts.cli import preparation, run


def main(argv: list[str] | None = None) -> None:
    """Read, count, write."""
    started = time.monotonic()
    args = preparation(__doc__).parse_args(argv)
    settings = decode_json(DevSettings, args.settings, "sts")
    raw = Raw(load_manifest(args.manifest), args.data)
    counts = write_dev_pairs(raw, settings, Path(args.output).parent)
    write_record(
        args.output,
        "prepare_dev",
        outputs=["pairs.parquet"],
        started=started,
        code=args.code,
        inputs=raw.inputs,
        counts=counts,
        protocol=settings.protocol,
    )


if __name__ == "__main__":
    run(main)
