"""Build a corpus of single sentences from a file of one sentence a line."""

from semblance.data.wiki import WikiSettings, write_sentences
from workflow.scripts.endings import run
from workflow.scripts.preparing import preparation

OUTPUTS = ["sentences.arrow", "rows.arrow"]
main = preparation(__doc__, "prepare_wiki", WikiSettings, write_sentences, OUTPUTS)

if __name__ == "__main__":
    run(main)
