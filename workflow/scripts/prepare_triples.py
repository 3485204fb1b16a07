"""Build a corpus of queries, positives and hard negatives from files that name them so."""

from semblance.data.triples import TripleSettings, write_query_rows
from workflow.scripts.endings import run
from workflow.scripts.preparing import preparation

OUTPUTS = ["sentences.arrow", "rows.arrow"]
main = preparation(__doc__, "prepare_triples", TripleSettings, write_query_rows, OUTPUTS)

if __name__ == "__main__":
    run(main)
