"""The flags that several scripts share."""

import argparse
from pathlib import Path
from typing import get_args

from semblance.settings import Matmul, Precision


def add_compute(parser: argparse.ArgumentParser) -> None:
    """Add the flags of what a stage computes with whose models only read, and of its record."""
    parser.add_argument("--threads", type=int, required=True, help="threads to compute with")
    parser.add_argument("--gpus", type=int, required=True, help="1: use a GPU if there is one")
    parser.add_argument(
        "--precision",
        choices=get_args(Precision),
        required=True,
        help="precision of the encoder",
    )
    parser.add_argument(
        "--matmul",
        choices=get_args(Matmul),
        required=True,
        help="precision of fp32 matrix products",
    )
    parser.add_argument("--jobs-per-gpu", type=int, default=1, help="jobs that may share one GPU")
    parser.add_argument("--code", default="", help="digest of the code, for the record")
    parser.add_argument(
        "--output", type=Path, required=True, help="the record to write; the data lie beside it"
    )


def of_tables(description: str) -> argparse.ArgumentParser:
    """Return the flags that the scripts share which make a page of all tables."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--tables",
        required=True,
        nargs="+",
        metavar="RECORD",
        help="records of the tables, written by render_table",
    )
    parser.add_argument("--code", default="", help="digest of the code, for the record")
    parser.add_argument("--record", required=True, help="the record to write")
    return parser
