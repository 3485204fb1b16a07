"""Masked words as a loss (Devlin et al. 2019, section 3.1): beside another loss, or by itself."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from semblance.data.corpus import Rows
from semblance.data.tokens import Tokens
from semblance.data.vocabulary import Vocabulary, read_vocabulary
from semblance.errors import InputError
from semblance.models.compute import autocast
from semblance.models.encoder import Encoder
from semblance.models.packing import pack
from semblance.models.saved import FOLDER, SavedModel
from semblance.models.weights import fill, load_weights
from semblance.models.word_head import FILE, WordHead
from semblance.training.changes import each_text, end_to_end
from semblance.training.recipe import Drawing, TrainSettings

StepLoss = Callable[[int], Tensor]  # the number of a step to its loss
NOT_MASKED = -1  # the label of a token that the loss does not ask for
REPLACED = 0.8  # the share of the chosen tokens in whose place the mask stands
KEPT = 0.1  # the share of those that stay; the others become any word


class Masking:
    """Chooses and masks tokens, drawn from the seed, the step, the row and the view alone.

    So a training that was killed draws the same again.
    """

    def __init__(self, share: float, vocabulary: Vocabulary, seed: int):
        """Raise InputError for a tokenizer without a token that stands for masked ones."""
        if vocabulary.mask is None:
            raise InputError("masked_words", "the tokenizer has no token [MASK] or <mask>")
        self.share = share
        self.vocabulary = vocabulary
        self.seed = seed
        self.is_ordinary = np.zeros(len(vocabulary.continues), dtype=bool)
        self.is_ordinary[vocabulary.ordinary] = True

    def apply(
        self, tokens: Tokens, numbers: np.ndarray, step: int, rows: np.ndarray
    ) -> tuple[Tokens, Tokens]:
        """Mask the texts of a batch, view after view; return them, and the labels of their tokens.

        A label is the token that stood there, or NOT_MASKED where none was chosen.
        """
        masked = []
        for view, row, ids in each_text(tokens, numbers, rows):
            # A view that changes texts draws from [seed, step, row], which is the same as
            # [seed, step, row, 0].
            draw = np.random.Generator(np.random.PCG64([self.seed, step, row, 1 + view]))
            masked.append(self.mask(ids, draw))
        texts, labels = zip(*masked, strict=True)
        return end_to_end(texts), end_to_end(labels)

    def mask(self, ids: np.ndarray, draw: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Return one text's tokens, some masked, and the labels, (n,) each.

        Each token that is not special is chosen with the probability ``share``; the first and the
        last one always are special. ASSUME: a random word is never a special token; the released
        code of SimCSE draws from all tokens.
        """
        chosen = (draw.random(len(ids)) < self.share) & self.is_ordinary[ids]
        chosen[[0, -1]] = False
        fate = draw.random(len(ids))
        masked = ids.copy()
        masked[chosen & (fate < REPLACED)] = self.vocabulary.mask
        # BERT's shares: 80 % the mask, 10 % stay, 10 % any word, so that no place is sure (S18).
        becomes_random = chosen & (fate >= REPLACED + KEPT)
        masked[becomes_random] = draw.choice(self.vocabulary.ordinary, size=becomes_random.sum())
        return masked, np.where(chosen, ids, NOT_MASKED).astype(ids.dtype)


class MaskedWordLoss:
    """A ``step_loss`` of the loop: it masks the texts of the rows that ``BatchLoss`` draws."""

    def __init__(
        self,
        encoder: Encoder,
        head: WordHead,
        tokens: Tokens,
        rows: Rows,
        settings: TrainSettings,
        vocabulary: Vocabulary,
    ):
        self.encoder = encoder
        self.head = head
        self.tokens = tokens
        self.settings = settings
        self.columns = masked_columns(rows, settings)
        self.masking = Masking(settings.masked_words.share, vocabulary, settings.seed)
        self._draw = Drawing(rows, settings)

    def __call__(self, step: int) -> Tensor:
        """Return the mean of -log p(token) over the masked places of batch ``step``."""
        rows = self._draw(step)
        numbers = np.stack([column[rows] for column in self.columns])  # (V, B)
        texts, originals = self.masking.apply(self.tokens, numbers, step, rows)
        settings = self.settings
        encoder = self.encoder
        device = encoder.words.weight.device
        limit = encoder.max_length(settings.max_length)
        every = np.arange(numbers.size)
        # On the CPU: a GPU would have to be waited for to learn how many places there are.
        labels = pack(originals, every, limit).ids  # (T,)
        places = (labels != NOT_MASKED).nonzero().squeeze(1)  # (M,)
        packed = pack(texts, every, limit, device)
        views = torch.arange(len(numbers)).repeat_interleave(numbers.shape[1]).to(device)
        plan = encoder.dropout_plan(settings.dropout, views, len(numbers))
        with autocast(settings.precision, device.type):
            states = encoder.token_states(packed, plan)[places.to(device)]  # (M, d)
            scores = self.head(states, encoder.words.weight)  # (M, V)
        return masked_cross_entropy(scores.float(), labels[places].to(device))


def masked_cross_entropy(scores: Tensor, labels: Tensor) -> Tensor:
    """Mean over M places of -log softmax(scores (M, V))[label]; zero where there is no place."""
    return F.cross_entropy(scores, labels, reduction="sum") / max(1, len(labels))


def masked_columns(rows: Rows, settings: TrainSettings) -> Sequence[np.ndarray]:
    """Return the texts of each row that are masked, (N,) each.

    As in SimCSE's released code these are all that the row has, the second copy of an unlabelled
    sentence too. Without a sentence loss each sentence is read once.
    """
    if settings.loss is None:
        return [rows.query]
    return rows.views()


def with_masked_words(other: StepLoss | None, masked: StepLoss, weight: float) -> StepLoss:
    """Return another loss, if any, plus ``weight`` times this one (SimCSE, Tables D.2 and E.1)."""
    if other is None:
        return masked
    return lambda step: other(step) + weight * masked(step)


def word_head(base: SavedModel, encoder: Encoder) -> WordHead:
    """Return the head that a base model carries, else a fresh one drawn from torch's generator."""
    head = WordHead(encoder.shape)
    path = base.folder / FILE
    if f"{FOLDER}/{FILE}" in base.record["outputs"]:
        fill(head, load_weights(path), path, "does not fit its model", "fetch the base again")
    return head.to(encoder.words.weight.device)


def masked_word_loss(
    base: SavedModel, encoder: Encoder, tokens: Tokens, rows: Rows, settings: TrainSettings
) -> MaskedWordLoss:
    """Return the loss of masked words of a training that starts from ``base``."""
    vocabulary = read_vocabulary(base.tokenizer)
    head = word_head(base, encoder)
    return MaskedWordLoss(encoder, head, tokens, rows, settings, vocabulary)
