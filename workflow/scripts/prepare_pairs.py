"""Build a corpus of positive pairs from the raw files of a source, such as Quora question pairs."""

from semblance.data.prepare_pairs import PairSettings, write_positive_pairs
from workflow.scripts.endings import run
from workflow.scripts.preparing import preparation

OUTPUTS = ["sentences.arrow", "rows.arrow"]
main = preparation(__doc__, "prepare_pairs", PairSettings, write_positive_pairs, OUTPUTS)

if __name__ == "__main__":
    run(main)
