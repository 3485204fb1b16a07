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


def score(record: str, parts: Pairs, device: str, precision: Precision) -> float:
    """Return the mean over the parts of Spearman's ρ in points, of the model with a record."""
    model = SavedModel.read(record)
    encoder = model_folder.load(model.folder).eval().to(device)
    encoder.precision = precision
    pairs = [pair for part in parts.values() for pair in part]
    both = [text for pair in pairs for text in (pair.sentence1, pair.sentence2)]
    texts = Texts(both, model.tokenizer, model.prompts.default)
    vectors = texts.encode(encoder, model.max_length)
    values = []
    for part in parts.values():
        sides = [[getattr(pair, side) for pair in part] for side in ("sentence1", "sentence2")]
        gold = np.array([pair.score for pair in part])
        values.append(spearman(cosine_pairs(*map(vectors.of, sides)), gold))
    if not np.isfinite(values).all():
        raise InputError(model.record_path, "its vectors have no correlation with the gold scores")
    return 100 * float(np.mean(values))
