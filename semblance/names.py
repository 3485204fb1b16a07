"""Names that several stages share: methods of their own, tasks, metrics, columns of scores.

Standard library only.
"""

# Names of methods that are no entry of the config's ``methods``.
START = "start"  # the base model as it is, without any training
SEEDS_OF_START = (0,)  # the seeds of a model without a training: it has one value
INITIAL = "initial"  # the base after Eq. 1 on one fold of a FAQ bank; entropy models start from it
NO_CORPUS = "none"  # stands for the corpus of a model that was trained on none

# What is scored.
STS_TASKS = ("sts12", "sts13", "sts14", "sts15", "sts16", "stsb", "sickr")
STS_DEV = "stsb-dev"
WITH_DEV_PAIRS = ("stsb", "sick")  # the data sets that are released in train, dev and test
# Those that SentEval evaluates by subset. STS-B's genres are parts of one test: SimCSE's Table B.3
# prints under `mean` and `wmean` what its Table 5 prints under `all`.
WITH_SUBSETS = STS_TASKS[: STS_TASKS.index("stsb")]
REGULATOR = "regulator"  # an input of a training, with its number: frozen embeddings
STEPS_OF = "steps of"  # likewise, with its number: a training that says how many steps to take
TRAINING = "training"  # the task whose metric says how long a model was trained
STEPS = "steps"
UNMOVED = "unmoved teachers"  # how many regulators are of models that have not left their start
FAQ_CUTOFFS = (1, 3, 5)
FAQ_DEV = "dev"  # protocol and aggregation of scores on the dev questions of a fold
CEILING = "ceiling"  # aggregation of the scores of a perfect model on the same questions
FAQ_METRICS = (*(f"acc@{k}" for k in FAQ_CUTOFFS), "map")
TRANSFER_TASKS = (
    "mr",
    "cr",
    "subj",
    "mpqa",
    "sst2",
    "trec",
    "mrpc",
)  # in SimCSE's order (Table E.1)
IN_NATURAL_UNIT = frozenset(
    {"alignment", "uniformity", STEPS, UNMOVED}
)  # tables show every other metric times 100

# The columns of every file of scores: what identifies a score, its value, and where it comes from.
SCORE_KEY = (
    "corpus",
    "base",
    "method",
    "seed",
    "fold",
    "task",
    "subset",
    "metric",
    "aggregation",
    "protocol",
)
SCORE_ORIGIN = ("precision", "code", "environment", "weights", "data")
SCORE_COLUMNS = ("run", *SCORE_KEY[:3], "phi", *SCORE_KEY[3:], "value", "n", *SCORE_ORIGIN)
