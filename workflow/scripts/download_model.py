"""Fetch one base model and make its uniform folder: weights as safetensors, tokenizer, pooling."""

import argparse

from semblance.fetch.wanted import OWN_HUB, Hub
from semblance.models.base import BaseSettings, build_base
from semblance.settings import decode_json
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    """Build the base that the settings name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--settings", required=True, help="JSON: where the base comes from, layers, pooling"
    )
    parser.add_argument("--hub", required=True, help="address of the model hub")
    parser.add_argument(
        "--token-hub", default=OWN_HUB, help="address of the hub that gets the user's token"
    )
    parser.add_argument(
        "--mirror",
        help="a folder or http(s) address that may have the model; see `semblance fetch`",
    )
    parser.add_argument("--code", default="", help="digest of the code, for the record")
    parser.add_argument(
        "--output", required=True, help="the record to write; model/ lies beside it"
    )
    args = parser.parse_args(argv)
    settings = decode_json(BaseSettings, args.settings, "base")
    build_base(settings, args.output, args.code, Hub(args.hub, args.token_hub), args.mirror)


if __name__ == "__main__":
    run(main)
