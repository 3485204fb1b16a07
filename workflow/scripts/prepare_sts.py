"""Parse the STS test sets into one Parquet file of scored pairs."""

from semblance.data.prepare_sts import StsSettings, write_test_pairs
from workflow.scripts.endings import run
from workflow.scripts.preparing import preparation

main = preparation(__doc__, "prepare_sts", StsSettings, write_test_pairs, ["pairs.parquet"])

if __name__ == "__main__":
    run(main)
