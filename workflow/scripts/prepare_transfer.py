"""Parse SentEval's transfer tasks into one Parquet file of labelled texts."""

from semblance.data.transfer import ITEMS, TransferSettings, write_items
from workflow.scripts.endings import run
from workflow.scripts.preparing import Preparation, prepare

STAGE = Preparation("prepare_transfer", TransferSettings, write_items, (ITEMS,))


def main(argv: list[str] | None = None) -> None:
    """Read, count, write."""
    prepare(STAGE, __doc__, argv)


if __name__ == "__main__":
    run(main)
