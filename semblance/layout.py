"""Where everything of a run lies.

Places are templates relative to the output folder of a run, or to the folder of its downloads. Each
artefact of a stage lies beside its record. Standard library only.

A stage gets its paths from its rule, so this module cannot move a result (semblance.code_digest).
"""

import re
import string
from pathlib import PurePosixPath

RECORD = "record.json"

# Below the folder of downloads.
RAW_DATA = "data"
RAW_RECORD = "records/{name}.json"  # below RAW_DATA, of one data set
BASE = "models/{base}"
SOURCE = "source"  # below BASE: the files as they come from a hub
SOURCE_RECORD = "source/download.json"  # below BASE: their digests
MIRRORED_MODEL = "models/{name}@{revision}"  # below a mirror: the same files, of a hub's repository

# Below the output folder.
CORPUS = "corpora/{corpus}"
FOLD_CORPUS = "{bank}-{fold}"  # the name of the corpus that is one fold of a bank
WHOLE = "all"  # stands for the fold in the name of the corpus that is a whole bank
TOKENS = "tokens/{base}/{corpus}"
STS_TEST = "sts"
STS_DEV_DATA = "dev/sts"
TRANSFER_DATA = "transfer"
BANK_ENTRIES = "entries.parquet"  # below BANK
BANK = "faq/{bank}"
FOLD_DEV_DATA = "dev/{corpus}"
PRETRAINED = "bases/{corpus}/{base}"  # a base that is trained here
MODEL = "models/{corpus}/{base}/{method}/seed-{seed}"
WEIGHTS = "model/model.safetensors"  # beside the record of a model or of a base
# The stages whose weights go after their use where the config keeps the final ones.
DELETE_WEIGHTS = ("train_initial", "train_entropy", "train", "fit_whitening")
# Below a training: its outputs when it is finished, a second time; named by all that decides them.
FINISHED = "checkpoints/{identity}/finished"
CURVE = "curves/{corpus}/{base}/{method}/seed-{seed}"
TRAINED = (MODEL, PRETRAINED, CURVE)  # folders of trainings, which have checkpoints
EMBEDDINGS = "embeddings/{corpus}/{base}/{method}/seed-{seed}"
SCORES = "scores"
STS_SCORES = "scores/sts/{corpus}/{base}/{method}/seed-{seed}"
FAQ_SCORES = "scores/faq/{corpus}/{base}/{method}/seed-{seed}"
TRANSFER_SCORES = "scores/transfer/{corpus}/{base}/{method}/seed-{seed}"
SCORES_OF = {  # by kind of tests
    "sts": STS_SCORES,
    "faq": FAQ_SCORES,
    "transfer": TRANSFER_SCORES,
}
SCORE_FILE = "scores.csv"  # below the folder of an evaluation
PREDICTIONS = "predictions.parquet"
TABLES = "tables"
ALL_SCORES = "tables/scores.csv"
TABLE_RECORD = "tables/records/{table}.json"
TABLE_JSON = "tables/json/{table}.json"
FIGURE = "figures/{figure}.csv"
FIGURE_RECORD = "figures/records/{figure}.json"
DRAWING = "figures/{figure}.{form}"
DRAWING_RECORD = "figures/drawings/{figure}.json"
LOG = "logs/{stage}"
COMMAND = "logs/command.json"  # how the last run on this folder was started
CONFIG = "logs/config.json"  # its config, validated and in full
OUTLINE = "logs/outline.json"  # what the report is told of its plan
REPORT = "report.html"

# Folders and files among those above that hold no result: no record lists them.
WITHOUT_RECORD = frozenset(
    {
        "logs",
        "events",
        "checkpoints",
        "README.md",
        "losses",  # of `semblance try`: each loss as it was tried
        "tries.jsonl",
    }
)


def place(root: object, template: str, **fields: object) -> str:
    """Return the path of a template below ``root``, its fields filled in."""
    return f"{root}/{template.format(**fields)}"


def record(root: object, template: str, **fields: object) -> str:
    """Return the path of the record in the folder of a template below ``root``."""
    return f"{place(root, template, **fields)}/{RECORD}"


def fold_corpus(bank: str, fold: int) -> str:
    """Return the name of the training corpus that is one fold of a FAQ bank."""
    return FOLD_CORPUS.format(bank=bank, fold=fold)


def whole_corpus(bank: str) -> str:
    """Return the name of the training corpus that is a whole FAQ bank: nothing is held out."""
    return FOLD_CORPUS.format(bank=bank, fold=WHOLE)


def fields(template: str) -> tuple[str, ...]:
    """Return the names of a template's fields, in order."""
    return tuple(name for _, name, _, _ in string.Formatter().parse(template) if name)


def pattern(template: str) -> str:
    """Return the glob pattern of all places of a template."""
    return template.format(**dict.fromkeys(fields(template), "*"))


def parse(template: str, path: str | PurePosixPath) -> dict[str, str] | None:
    """Return the fields of a template in a path that fits it; None for a path that does not."""
    parts = [
        re.escape(text) + (f"(?P<{name}>[^/]+)" if name else "")
        for text, name, _, _ in string.Formatter().parse(template)
    ]
    match = re.fullmatch("".join(parts), str(path))
    return match and match.groupdict()
