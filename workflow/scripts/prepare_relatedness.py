"""Parse STS-B and SICK with their train pairs into one Parquet file of scored pairs."""

from semblance.data.prepare_relatedness import PAIRS, RelatednessSettings, write_parts
from workflow.scripts.endings import run
from workflow.scripts.preparing import Preparation, prepare

STAGE = Preparation("prepare_relatedness", RelatednessSettings, write_parts, (PAIRS,))


def main(argv: list[str] | None = None) -> None:
    """Read, count, write."""
    prepare(STAGE, __doc__, argv)


if __name__ == "__main__":
    run(main)
