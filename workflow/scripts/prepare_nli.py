"""Build a corpus of (premise, entailed, contradicted) triples from the raw NLI files."""

from semblance.data.prepare_nli import NliSettings, write_triples
from workflow.scripts.endings import run
from workflow.scripts.preparing import preparation

OUTPUTS = ["sentences.arrow", "rows.arrow"]
main = preparation(__doc__, "prepare_nli", NliSettings, write_triples, OUTPUTS)

if __name__ == "__main__":
    run(main)
