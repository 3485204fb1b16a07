"""The text protocols of sentence pairs: as released, or as SentEval's own script prepares them.

The script runs the Moses tokeniser for English without escaping
(https://github.com/facebookresearch/SentEval, data/downstream/get_transfer_data.bash).
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
from sacremoses import MosesTokenizer

from semblance.data.arrow import write_parquet
from semblance.data.sts import ScoredPair
from semblance.data.text import normalise
from semblance.errors import InputError
from semblance.settings import StsProtocol

MOSES = MosesTokenizer("en")
# The Perl tokeniser splits off the full stop of the last word since November 2018, also after an
# abbreviation; sacremoses does not. An ellipsis stays whole.
LAST_FULL_STOP = re.compile(r"(?<=[^.\s])\.\Z")
CASED = frozenset({"sickr"})  # SentEval's script lower-cases every task except this one


def apply_protocol(pairs: Sequence[ScoredPair], protocol: StsProtocol) -> list[ScoredPair]:
    """Return pairs with the texts of a protocol; ``pairs`` have the texts as released.

    InputError for a sentence of which no text is left.
    """
    if protocol == "raw":
        return list(pairs)
    changed = []
    for pair in pairs:
        lower = pair.task not in CASED
        first = senteval_text(pair.sentence1, lower=lower)
        second = senteval_text(pair.sentence2, lower=lower)
        if not first or not second:
            where = " ".join([pair.task, *pair.subset.split(), f"line {pair.index}"])
            problem = "a sentence consists of control characters only"
            raise InputError(where, problem, "correct the file or remove the pair")
        changed.append(replace(pair, sentence1=first, sentence2=second))
    return changed


def senteval_text(text: str, *, lower: bool) -> str:
    """Return a sentence as SentEval has it: tokenised, white space normalised, in lower case."""
    tokenised = normalise(MOSES.tokenize(text, escape=False, return_str=True))
    split = LAST_FULL_STOP.sub(" .", tokenised)
    return split.lower() if lower else split


def write_pairs(pairs: Sequence[ScoredPair], folder: Path) -> dict[str, int]:
    """Write pairs into ``pairs.parquet``; return the number of pairs of each task."""
    columns = ("task", "subset", "index", "sentence1", "sentence2", "score")
    table = {name: [getattr(pair, name) for pair in pairs] for name in columns}
    write_parquet(pa.table(table), folder / "pairs.parquet")
    return dict(Counter(table["task"]))
