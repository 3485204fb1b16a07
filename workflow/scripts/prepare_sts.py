"""Parse the STS test sets into one Parquet file of scored pairs."""

from semblance.data.prepare_sts import StsSettings, write_test_pairs
from workflow.scripts.endings import run
from workflow.scripts.preparing import Preparation, prepare

STAGE = Preparation("prepare_sts", StsSettings, write_test_pairs, ("pairs.parquet",))


def main(argv: list[str] | None = None) -> None:
    """Read, count, write."""
    prepare(STAGE, __doc__, argv)


if __name__ == "__main__":
    run(main)
