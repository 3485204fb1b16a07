"""The sentences of a collection that are most similar to fixed queries (SimCSE, Table 8)."""

from collections.abc import Iterator

import numpy as np

from semblance.errors import InputError
from semblance.evaluation.metrics import refuse_zero_vectors
from semblance.figures import Embed, Row
from semblance.models.vectors import unit
from semblance.settings import Count

COLUMNS = {"query": str, "rank": int, "cosine": float, "sentence": str}
BLOCK = 1 << 15  # sentences whose unit vectors are held at a time


def rows(
    embed: Embed, sentences: list[str], *, queries: tuple[str, ...], top: Count = 3
) -> Iterator[Row]:
    """Yield the ``top`` sentences of each query, by their cosine.

    The query itself is passed over where it stands in the collection. Of equal cosines the sentence
    that stands first comes first. Raises InputError for a collection that is too small.
    """
    if len(sentences) <= top:
        problem = f"has {len(sentences)} sentences; with the query itself, {top + 1} are needed"
        raise InputError("collection", problem, "take a larger corpus, or a smaller `top`")
    cosines = _cosines(embed(queries), embed(sentences))  # (queries, N)
    for query, of_query in zip(queries, cosines, strict=True):
        order = np.argsort(-of_query, kind="stable")
        nearest = [i for i in order[: top + 1].tolist() if sentences[i] != query]
        for rank, i in enumerate(nearest[:top], start=1):
            yield {
                "query": query,
                "rank": rank,
                "cosine": float(of_query[i]),
                "sentence": sentences[i],
            }


def _cosines(queries: np.ndarray, sentences: np.ndarray) -> np.ndarray:
    """Return the cosine of each query with each sentence, (queries, N) float64."""
    directions = unit(queries)
    blocks = []
    for start in range(0, len(sentences), BLOCK):
        blocks.append(directions @ unit(sentences[start : start + BLOCK]).T)
    cosines = np.concatenate(blocks, axis=1)
    refuse_zero_vectors(cosines)
    return cosines
