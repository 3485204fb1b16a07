"""How good a model is on development data alone: losses are tried on them, the test sets stay closed.

They are STS-B's dev pairs and the training pairs of STS-B and SICK, without each pair that stands in
one of the test sets: SemEval's releases share many, and STS-B is made of them.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from semblance.data.protocol import apply_protocol
from semblance.data.raw import Raw
from semblance.data.sts import ScoredPair, read_part
from semblance.errors import InputError
from semblance.evaluation.metrics import cosine_pairs, spearman
from semblance.evaluation.prepared import Texts, read_pairs
from semblance.models import folder as model_folder
from semblance.models.saved import SavedModel
from semblance.settings import Precision
from semblance.statistics.resampling import grouped_resamples, spearman_draws

DRAWS = 200  # resamples of the pairs: their error is known to 5 %
PARTS = {
    "STS-B dev": ("stsb", "dev"),
    "STS-B train": ("stsb", "train"),
    "SICK train": ("sick", "train"),
}
Pairs = Mapping[str, Sequence[ScoredPair]]


def read_development(raw: Raw, tests: Path) -> tuple[dict[str, list[ScoredPair]], dict[str, int]]:
    """Return the pairs of each part, as SentEval has them, and how many each has with the shared ones.

    ``tests``: the folder of the prepared test pairs.
    """
    columns = read_pairs(tests)
    closed = set(map(_key, columns["sentence1"], columns["sentence2"]))
    parts, sizes = {}, {}
    for name, part in PARTS.items():
        pairs = read_part(raw, *part)
        # STS-B is made of SemEval's pairs: what a test has, no loss may be tried on.
        own = [pair for pair in pairs if _key(pair.sentence1, pair.sentence2) not in closed]
        parts[name], sizes[name] = apply_protocol(own, "senteval"), len(pairs)
    return parts, sizes


def _key(*sentences: str) -> frozenset[str]:
    """Return what two releases of a pair share: letters and digits, in either order of the sentences."""
    return frozenset(re.sub(r"[\W_]+", "", sentence.lower()) for sentence in sentences)


def score(record: str, parts: Pairs, device: str, precision: Precision) -> tuple[float, np.ndarray]:
    """Return the mean over the parts of Spearman's ρ in points, and the cosines (P,) of all pairs.

    Both are of the model with a record. The pairs stand in the order of the parts.
    """
    model = SavedModel.read(record)
    encoder = model_folder.load(model.folder).eval().to(device)
    encoder.precision = precision
    pairs = [pair for part in parts.values() for pair in part]
    both = [text for pair in pairs for text in (pair.sentence1, pair.sentence2)]
    texts = Texts(both, model.tokenizer, model.prompts.default)
    vectors = texts.encode(encoder, model.max_length)
    sides = [[getattr(pair, side) for pair in pairs] for side in ("sentence1", "sentence2")]
    cosines = cosine_pairs(*map(vectors.of, sides))
    gold, groups = _gold(parts)
    values = [spearman(cosines[at], gold[at]) for at in groups]
    if not np.isfinite(values).all():
        raise InputError(model.record_path, "its vectors have no correlation with the gold scores")
    return 100 * float(np.mean(values)), cosines


def resampled_gain(parts: Pairs, ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Return the difference (DRAWS,) of two models' scores in points, on resampled pairs.

    The cosines are (P,). The draws are the same in each call, so that seeds may be compared.
    """
    gold, groups = _gold(parts)
    drawn = grouped_resamples(groups, DRAWS, np.random.default_rng(DRAWS))
    scores = spearman_draws(gold, np.stack([ours, theirs]), drawn, groups)
    return 100 * (scores[:, 0] - scores[:, 1])


def _gold(parts: Pairs) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the gold scores (P,) of all pairs, and of each part the places of its own."""
    gold = np.array([pair.score for part in parts.values() for pair in part])
    ends = np.cumsum([len(part) for part in parts.values()])
    return gold, np.split(np.arange(len(gold)), ends[:-1])
