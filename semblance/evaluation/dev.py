"""The dev score that chooses a training's checkpoint: of STS-B's dev pairs, or of a fold's questions.

This module reads dev data alone, and imports nothing that only a test needs.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from semblance.errors import InputError
from semblance.evaluation.metrics import average_precision, cosine_pairs, rank_relevant, spearman
from semblance.evaluation.prepared import PAIRS, QUESTIONS, Texts, Vectors, read_bank, read_pairs
from semblance.models.encoder import Encoder
from semblance.models.saved import LENGTH, TOKENIZER, SavedModel
from semblance.models.vectors import collapsed
from semblance.provenance import checked

DevScore = Callable[[Encoder], float]
Metric = Callable[[Vectors], float]


def dev_set(path: str, base: str, max_length: int) -> tuple[DevScore, dict[str, Any]]:
    """Return the dev score as a function of the encoder, and the record of the data behind it.

    ``path`` is that of the record of prepared dev data; ``base`` is the record of the model whose tokenizer
    reads them. Sentence pairs are read up to the base's own longest input, as in the test; a bank's
    texts up to ``max_length`` tokens, as in training. The score is NaN for collapsed embeddings.
    """
    record = checked(path)
    model = SavedModel.read(base, TOKENIZER, LENGTH)
    if PAIRS in record["outputs"]:
        texts, metric = of_pairs(Path(path).parent, model)
        max_length = model.max_length
    elif QUESTIONS in record["outputs"]:
        texts, metric = of_bank(Path(path).parent, model)
    else:
        raise InputError(path, f"lists neither {PAIRS} nor {QUESTIONS}", "prepare it again")

    def score(encoder: Encoder) -> float:
        """Return the metric of the vectors of all texts."""
        vectors = texts.encode(encoder, max_length)
        # Equal vectors have equal cosines, of which rounding alone would make an order.
        if collapsed(vectors.matrix):
            return float("nan")
        return metric(vectors)

    return score, record


def of_pairs(folder: Path, model: SavedModel) -> tuple[Texts, Metric]:
    """Return the sentences of prepared pairs, and Spearman's ρ of their cosines with the gold scores."""
    pairs = read_pairs(folder)
    left = pairs["sentence1"].tolist()
    right = pairs["sentence2"].tolist()

    def metric(vectors: Vectors) -> float:
        """Return Spearman's ρ."""
        return spearman(cosine_pairs(vectors.of(left), vectors.of(right)), pairs["score"])

    return Texts(left + right, model.tokenizer, model.prompts.default), metric


def of_bank(folder: Path, model: SavedModel) -> tuple[Texts, Metric]:
    """Return the answers and questions of a bank, and the mean average precision of the questions."""
    bank = read_bank(folder)
    queries = model.prompts.queries(question.text for question in bank.questions)
    answers = model.prompts.documents(bank.answers)
    relevant = [question.relevant for question in bank.questions]

    def metric(vectors: Vectors) -> float:
        """Return the mean average precision."""
        ranks = rank_relevant(vectors.of(answers), vectors.of(queries), relevant)
        return float(np.mean([average_precision(r) for r in ranks]))

    return Texts([*answers, *queries], model.tokenizer), metric
