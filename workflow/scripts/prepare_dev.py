"""Parse the dev pairs that choose each training's checkpoint into one Parquet file."""

from semblance.data.prepare_sts import DevSettings, write_dev_pairs
from workflow.scripts.endings import run
from workflow.scripts.preparing import preparation

main = preparation(__doc__, "prepare_dev", DevSettings, write_dev_pairs, ["pairs.parquet"])

if __name__ == "__main__":
    run(main)
