"""Parse SentEval's transfer tasks into one Parquet file of labelled texts."""

from semblance.data.transfer import ITEMS, TransferSettings, write_items
from workflow.scripts.endings import run
from workflow.scripts.preparing import preparation

main = preparation(__doc__, "prepare_transfer", TransferSettings, write_items, [ITEMS])

if __name__ == "__main__":
    run(main)
