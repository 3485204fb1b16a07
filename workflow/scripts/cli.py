"""What every script shares: one clear line for bad input, and the exit status."""

import argparse
import sys
from pathlib import Path
from typing import Callable

from semblance.errors import InputError


def run(main: Callable[[], None]) -> None:
    """Run a script's main; InputError and OSError become one line and exit status 2."""
    try:
        main()
    except (InputError, OSError) as error:
        sys.exit(_fail(error))


def _fail(error: Exception) -> int:
    print(f"error: {error}", file=sys.stderr)
    return 2


def preparation(description: str) -> argparse.ArgumentParser:
    """Return the flags that the prepare scripts share."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--settings", required=True, help="JSON: this corpus's slice of the config")
    parser.add_argument("--manifest", required=True, help="the manifest (YAML)")
    parser.add_argument("--data", required=True, help="folder of the raw data")
    parser.add_argument("--code", default="", help="digest of the code, for the record")
    parser.add_argument("--output", required=True, help="the record to write; the data lie beside it")
    return parser


def training(description: str) -> argparse.ArgumentParser:
    """Return the flags that the three training scripts share."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--settings", required=True, help="JSON: the training's settings")
    parser.add_argument("--base", required=True, help="record of the model to start from")
    parser.add_argument("--corpus", required=True, help="record of the training corpus")
    parser.add_argument("--tokens", required=True, help="record of the corpus's tokens")
    parser.add_argument("--code", default="", help="digest of the code, for the record")
    parser.add_argument("--checkpoint-minutes", type=float, default=10.0, help="minutes between step checkpoints")
    parser.add_argument("--checkpoint-steps", type=int, default=0, help="steps between step checkpoints; 0: by minutes")
    parser.add_argument("--output", type=Path, required=True, help="the record to write; model/ and dev.csv lie beside it")
    return parser
