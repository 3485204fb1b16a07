"""Give each training row of a fold of a FAQ bank a hard negative: a wrong answer ranked high."""

import argparse
from pathlib import Path

from semblance.data.negatives import MiningSettings
from semblance.settings import decode_json
from semblance.training.mining import mine_negatives
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    """Read, search, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", required=True, help="JSON: how a hard negative is chosen")
    parser.add_argument("--corpus", required=True, help="record of the fold's training corpus")
    parser.add_argument("--embeddings", required=True, help="record of the start model's vectors")
    parser.add_argument("--code", default="", help="digest of the code, for the record")
    parser.add_argument(
        "--output", type=Path, required=True, help="the record to write; the data lie beside it"
    )
    args = parser.parse_args(argv)
    settings = decode_json(MiningSettings, args.settings)
    mine_negatives(args.corpus, args.embeddings, args.output, settings, args.code)


if __name__ == "__main__":
    run(main)
