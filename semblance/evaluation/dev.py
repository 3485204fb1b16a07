"""The dev score that chooses a training's checkpoint: of STS-B's dev pairs, or of a fold's questions.

This module reads dev data alone, and imports nothing that only a test needs.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from semblance.errors import InputError
from semblance.evaluation.metrics import average_precision, cosine_pairs, rank_relevant, spearman
from semblance.evaluation.prepared import PAIRS, QUESTIONS, read_bank, read_pairs
from semblance.evaluation.texts import Texts
from semblance.models.encoder import Encoder
from semblance.models.prompts import NO_PROMPTS, Prompts
from semblance.models.saved import LENGTH, TOKENIZER, SavedModel
from semblance.models.vectors import collapsed
from semblance.provenance import checked

DevScore = Callable[[Encoder], float]


def dev_set(path: str, base: str, max_length: int) -> tuple[DevScore, dict[str, Any]]:
    """Return the dev score as a function of the encoder, and the record of the data behind it.

    ``path`` is that of the record of prepared dev data; ``base`` is the record of the model whose tokenizer
    reads them. Sentence pairs are read up to the base's own longest input, as in the test; a bank's
    texts up to ``max_length`` tokens, as in training. The score is NaN for collapsed embeddings.
    """
    record = checked(path)
    outputs = record["outputs"]
    model = SavedModel.read(base, TOKENIZER, LENGTH)
    folder = Path(path).parent
    if PAIRS in outputs:
        score = similarity_score(folder, model.tokenizer, model.max_length, model.prompts.default)
    elif QUESTIONS in outputs:
        score = retrieval_score(folder, model.tokenizer, max_length, model.prompts)
    else:
        raise InputError(path, f"lists neither {PAIRS} nor {QUESTIONS}", "prepare it again")
    return score, record


def similarity_score(folder: Path, tokenizer: Path, max_length: int, prompt: str = "") -> DevScore:
    """Return Spearman's ρ of an encoder on prepared pairs, as a function of the encoder."""
    pairs = read_pairs(folder)
    left = pairs["sentence1"].tolist()
    right = pairs["sentence2"].tolist()
    texts = Texts(left + right, tokenizer, prompt)

    def score(encoder: Encoder) -> float:
        """Return Spearman's ρ of the cosines with the gold scores."""
        vectors = texts.encode(encoder, max_length)
        if collapsed(vectors.matrix):
            return float("nan")
        return spearman(cosine_pairs(vectors.of(left), vectors.of(right)), pairs["score"])

    return score


def retrieval_score(
    folder: Path, tokenizer: Path, max_length: int, prompts: Prompts = NO_PROMPTS
) -> DevScore:
    """Return the MAP of an encoder on the questions of a bank, as a function of the encoder."""
    bank = read_bank(folder)
    queries = prompts.queries(question.text for question in bank.questions)
    answers = prompts.documents(bank.answers)
    relevant = [question.relevant for question in bank.questions]
    texts = Texts([*answers, *queries], tokenizer)

    def score(encoder: Encoder) -> float:
        """Return the mean average precision of the questions."""
        vectors = texts.encode(encoder, max_length)
        if collapsed(vectors.matrix):
            return float("nan")
        ranks = rank_relevant(vectors.of(answers), vectors.of(queries), relevant)
        return float(np.mean([average_precision(r) for r in ranks]))

    return score
