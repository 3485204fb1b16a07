"""Make a base of a user's file of word vectors: a text's vector is the mean of those of its words."""

from semblance.models.word_vectors import OUTPUTS, WordVectorSettings, write_word_vectors
from workflow.scripts.endings import run
from workflow.scripts.preparing import preparation

main = preparation(__doc__, "prepare_word_vectors", WordVectorSettings, write_word_vectors, OUTPUTS)

if __name__ == "__main__":
    run(main)
