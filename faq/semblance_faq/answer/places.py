"""Where an answerer lies below the output folder of its run."""

ANSWERER = "answerers/{name}"  # a tuned model that answers from one bank
SUMMARY = "summary.md"  # below ANSWERER: what was chosen, and how good it is
