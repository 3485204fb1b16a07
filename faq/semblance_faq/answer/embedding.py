"""Texts to vectors of length one, by a loaded model. It needs torch, and few of its package do."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from semblance.data.tokens import Tokens, load_tokenizer, refuse_tokenizer, tokenise
from semblance.errors import InputError
from semblance.models import folder as model_folder
from semblance.models.prompts import read_prompts
from semblance.models.saved import TOKENIZER
from semblance.models.vectors import unit
from semblance_faq.answer.bank import Bank


class Embedder:
    """A model and its tokenizer, loaded once; several threads may use it at the same time."""

    def __init__(self, folder: Path, max_length: int, device: str = "cpu"):
        """``max_length`` is the longest text in tokens; raises InputError for a damaged folder."""
        self.folder = folder
        self.max_length = max_length
        self.encoder = model_folder.load(folder).eval().to(device)
        self.prompts = read_prompts(folder)
        self.tokenizer_file = folder / Path(TOKENIZER).name
        self.tokenizer = load_tokenizer(self.tokenizer_file)
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()

    def embed_bank(self, bank: Bank) -> np.ndarray:
        """Return the unit vectors of the texts that questions are compared with, (T, d) float32."""
        texts = self.prompts.of_faq(bank.texts, bank.questions)
        return self._embed(tokenise(self.tokenizer_file, texts))

    def embed(self, questions: Sequence[str]) -> np.ndarray:
        """Return the unit vectors of questions, (Q, d) float32."""
        with refuse_tokenizer(self.tokenizer_file):
            tokens = [self.tokenizer.encode(text).ids for text in self.prompts.queries(questions)]
        ids = np.asarray([number for of_text in tokens for number in of_text], np.int32)
        return self._embed(Tokens(ids, np.cumsum([0, *map(len, tokens)])))

    def _embed(self, tokens: Tokens) -> np.ndarray:
        if tokens.lengths().min() < 1:
            problem = "makes no token of a text"
            raise InputError(self.tokenizer_file, problem, "fetch both from one revision")
        tokens.require_known(self.encoder.shape.vocab_size, self.tokenizer_file)
        vectors = unit(self.encoder.encode(tokens, self.max_length)).astype(np.float32)
        if not np.isfinite(vectors).all():
            raise InputError(
                self.folder, "gives vectors that have no direction", "train the model again"
            )
        return vectors
