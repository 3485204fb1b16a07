"""Parse the dev pairs that choose each training's checkpoint into one Parquet file."""

from semblance.data.prepare_dev import DevSettings, write_dev_pairs
from workflow.scripts.endings import run
from workflow.scripts.preparing import Preparation, prepare

STAGE = Preparation("prepare_dev", DevSettings, write_dev_pairs, ("pairs.parquet",))


def main(argv: list[str] | None = None) -> None:
    """Read, count, write."""
    prepare(STAGE, __doc__, argv)


if __name__ == "__main__":
    run(main)
