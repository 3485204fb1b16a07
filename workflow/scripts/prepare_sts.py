"""Parse the STS test sets and STS-B's dev set into one Parquet file of scored pairs."""

import time
from pathlib import Path

from semblance.data.prepare import Raw, StsSettings, scored_pairs
from semblance.download.manifest import load_manifest
from semblance.provenance import write_record
from semblance.settings import decode_json
from workflow.scripts.cli import preparation, run


def main(argv: list[str] | None = None) -> None:
    """Read, count, write."""
    args, started = preparation(__doc__).parse_args(argv), time.monotonic()
    settings = decode_json(StsSettings, args.settings, "sts")
    raw = Raw(load_manifest(args.manifest), args.data)
    folder = Path(args.output).parent
    folder.mkdir(parents=True, exist_ok=True)
    counts = scored_pairs(raw, settings, folder / "pairs.parquet")
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
