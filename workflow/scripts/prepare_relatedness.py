"""Parse STS-B and SICK with their train pairs into one Parquet file of scored pairs."""

from semblance.data.prepare_relatedness import PAIRS, RelatednessSettings, write_parts
from workflow.scripts.endings import run
from workflow.scripts.preparing import preparation

main = preparation(__doc__, "prepare_relatedness", RelatednessSettings, write_parts, [PAIRS])

if __name__ == "__main__":
    run(main)
