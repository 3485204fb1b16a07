"""Build a corpus of single sentences from a file of one sentence a line."""

from semblance.data.corpus_rows import CorpusSettings
from semblance.data.prepare_wiki import write_sentences
from workflow.scripts.endings import run
from workflow.scripts.preparing import preparation

OUTPUTS = ["sentences.arrow", "rows.arrow"]
main = preparation(__doc__, "prepare_wiki", CorpusSettings, write_sentences, OUTPUTS)

if __name__ == "__main__":
    run(main)
