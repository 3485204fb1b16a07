"""The sentence encoder: a BERT-family transformer over packed tokens, pooling, an optional head.

The forward pass is written out here, once, because the methods act inside it: sampled and
sentence-wise dropout, DropHead. Weights keep the names of ``transformers``, so a saved folder is an
ordinary sentence-transformers model. Tests hold it equal to ``transformers`` itself.

A module of ``models/poolings`` has one function, ``pool(last, packed)``. It maps the outputs of the
last layer, (T, d), to sentence vectors, (n, d), in packed order. A pooling that reads more has more
parameters, and gets what their names stand for:

- ``embeddings``: the outputs of the embedding layer, (T, d);
- ``first``: the outputs of the first layer, (T, d);
- ``pooler``: the checkpoint's own linear layer, which it has trained for its [CLS];
- ``masks``: the flat position of each sentence's mask token, (n,). The encoder puts this token at
  the end of each sentence, before the last special one.
"""

import inspect
from collections.abc import Callable, Iterator

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from semblance.data.tokens import Tokens
from semblance.errors import InputError
from semblance.models.architecture import Architecture
from semblance.models.compute import autocast
from semblance.models.dropout_plan import DropoutPlan
from semblance.models.masks import dropout
from semblance.models.packing import Group, Packed, pack, pad, token_budget_batches, unpad
from semblance.named_modules import POOLINGS, load_module
from semblance.settings import DropoutSettings, Head, Precision

# Tokens of a batch when embedding. On a CPU, what one layer makes of them should stay in the cache
# and below the size from which the C library asks the system for fresh memory each time: 2,048 are
# a fifth faster than 8,192 (MiniLM). On a GPU each start of an operation costs: in bf16 32,768 are
# three times as fast as 8,192.
ENCODE_TOKENS = {"cpu": 2048, "cuda": 32768}
BLOCK = 1 << 15  # sentences of a block
# What a pooling reads.
ALWAYS = ("last", "packed")
MORE = ("embeddings", "first", "pooler", "masks")
Pool = Callable[..., Tensor]


def find_pooling(name: str, where: str = "pooling") -> tuple[Pool, frozenset[str]]:
    """Return the function of a pooling, and which of MORE it reads.

    Raises InputError at ``where`` for no module, and for one that reads anything else.
    """
    function = load_module(POOLINGS, name, where).pool
    parameters = tuple(inspect.signature(function).parameters)
    more = frozenset(parameters[len(ALWAYS) :])
    if parameters[: len(ALWAYS)] != ALWAYS or not more <= set(MORE):
        problem = f"pooling {name!r} reads {', '.join(parameters)}"
        known = f"{', '.join(ALWAYS)}, and any of {', '.join(MORE)}"
        raise InputError(where, problem, f"a pooling reads {known}")
    return function, more


class Layer(nn.Module):
    """One post-norm transformer layer; query, key and value are one matrix, split when saved."""

    def __init__(self, shape: Architecture):
        super().__init__()
        width = shape.hidden_size
        inner = shape.intermediate_size
        self.heads = shape.num_attention_heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm1 = nn.LayerNorm(width, eps=shape.layer_norm_eps)
        self.norm2 = nn.LayerNorm(width, eps=shape.layer_norm_eps)
        self.up = nn.Linear(width, inner)
        self.down = nn.Linear(inner, width)

    def forward(self, x: Tensor, packed: Packed, plan: DropoutPlan | None) -> Tensor:
        """Map (T, d) to (T, d)."""
        attended = self.out(self.attend(x, packed, plan))
        x = self.norm1(x + _hidden_dropout(attended, packed, plan))
        inner = F.gelu(self.up(x))
        return self.norm2(x + _hidden_dropout(self.down(inner), packed, plan))

    def attend(self, x: Tensor, packed: Packed, plan: DropoutPlan | None) -> Tensor:
        """Attend within each sentence, before the output projection: (T, d) to (T, d)."""
        qkv = self.qkv(x)
        rate: float | Tensor = 0.0
        scale = None
        if plan is not None:
            rate = plan.rate("attention")
            scale = plan.head_scale(self.heads)
        if isinstance(rate, Tensor):
            rate = rate[packed.order]  # from the caller's order to that of the packed rows
        laid_out = pad(qkv, packed.padding)  # (P, 3 d)
        # split, not slices: the backward of a slice fills a (P, 3 d) tensor with zeros a group
        parts = laid_out.split([group.places for group in packed.groups])
        contexts = []
        for group, part in zip(packed.groups, parts, strict=True):
            by_head = part.view(group.count, group.length, 3, self.heads, -1)
            query, key, value = by_head.permute(2, 0, 3, 1, 4)
            context = _attention(query, key, value, group, rate)
            # A dropped head adds nothing to the output; the others are scaled for it (DropHead).
            if scale is not None:
                context = context * scale[group.rows(), :, None, None]
            contexts.append(context.transpose(1, 2).reshape(group.places, x.shape[1]))
        attended = torch.cat(contexts) if len(contexts) > 1 else contexts[0]
        return unpad(attended, packed.padding)


def _hidden_dropout(x: Tensor, packed: Packed, plan: DropoutPlan | None) -> Tensor:
    """Drop elements of hidden states (T, d), each token at the rate of its sentence."""
    if plan is None:
        return x
    rate = plan.rate("hidden")
    if isinstance(rate, Tensor):
        rate = rate[packed.order][packed.rows, None]  # (T, 1)
    return dropout(x, rate)


def _attention(
    query: Tensor, key: Tensor, value: Tensor, group: Group, rate: float | Tensor
) -> Tensor:
    """Scaled dot-product attention of one group, (count, heads, length, d / heads) each."""
    # torch's own kernel draws one rate for all; S-SimCSE needs one for each sentence, below.
    if isinstance(rate, float) and rate == 0.0:
        bias = None if group.bias is None else group.bias.to(query.dtype)
        return F.scaled_dot_product_attention(query, key, value, attn_mask=bias)
    logits = (query * query.shape[-1] ** -0.5) @ key.transpose(-1, -2)
    logits = logits.float()  # in bf16, too, and whether or not this group has padding
    if group.bias is not None:
        logits = logits + group.bias
    weights = logits.softmax(dim=-1)  # (count, heads, length, length)
    if isinstance(rate, Tensor):
        rate = rate[group.rows(), None, None, None]
    return dropout(weights, rate).to(value.dtype) @ value


def _in_float64(layer: nn.Linear, x: Tensor) -> Tensor:
    """Apply a linear layer in float64, whatever the precision of the encoder and its products.

    A whitening divides by standard deviations, of which some are small.
    """
    weight = layer.weight.double()
    bias = layer.bias.double()
    return F.linear(x.double(), weight, bias).float()


class Encoder(nn.Module):
    """Sentences to vectors: packed tokens in, (n, d) out, in the caller's order.

    ``precision`` is that of ``encode``; a training declares its own. ``whitening`` maps the vectors
    at last, if the model has it.
    """

    precision: Precision = "fp32"

    def __init__(
        self, shape: Architecture, pooling: str, head: Head = "none", normalise: bool = False
    ):
        """``pooling`` names a module of ``models/poolings``.

        A ``head`` for training only (``train``) is left out in evaluation mode, as in SimCSE's released
        code: the dev score is of the vectors that the saved model gives.
        """
        super().__init__()
        self.shape = shape
        self.pooling = pooling
        self.pool, self.reads = find_pooling(pooling)
        self.normalise = normalise
        width = shape.hidden_size
        self.words = nn.Embedding(shape.vocab_size, width)
        self.positions = nn.Embedding(shape.max_position_embeddings, width)
        self.types = nn.Embedding(shape.type_vocab_size, width)
        self.norm = nn.LayerNorm(width, eps=shape.layer_norm_eps)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.num_hidden_layers))
        self.head = None if head == "none" else nn.Linear(width, width)
        self.keeps_head = head == "keep"
        if "pooler" in self.reads:
            self.pooler = nn.Linear(width, width)
        self.whitening: nn.Linear | None = None

    @property
    def mask_token(self) -> int | None:
        """The token that is put at the end of each sentence; None where the pooling reads none."""
        if "masks" not in self.reads:
            return None
        if self.shape.mask_token_id is None:
            problem = f"pooling {self.pooling!r} reads a mask token, and config.json names none"
            raise InputError("mask_token_id", problem, "fetch the base again")
        return self.shape.mask_token_id

    def dropout_plan(
        self, settings: DropoutSettings, views: Tensor, view_count: int
    ) -> DropoutPlan:
        """Return the dropout of one forward pass of a training.

        ``views`` (n,), on the device, numbers the view of each sentence, in ascending order.
        """
        return DropoutPlan(
            settings,
            self.shape.hidden_dropout_prob,
            self.shape.attention_probs_dropout_prob,
            views,
            view_count,
        )

    def forward(self, packed: Packed, plan: DropoutPlan | None = None) -> Tensor:
        """Return sentence vectors, (n, d); without a dropout plan nothing is random."""
        read: dict[str, Tensor | nn.Linear] = {}
        if "pooler" in self.reads:
            read["pooler"] = self.pooler
        if "masks" in self.reads:
            read["masks"] = packed.starts + packed.lengths - 2
        x = self.token_states(packed, plan, read)  # (T, d)
        pooled = self.pool(x.float(), packed, **read)  # (n, d), in packed order
        # A head for training only is left out where dev is scored, too (S48).
        if self.head is not None and (self.keeps_head or self.training):
            pooled = torch.tanh(self.head(pooled)).float()
        if self.normalise:
            pooled = F.normalize(pooled, dim=1)
        if self.whitening is not None:
            pooled = _in_float64(self.whitening, pooled)
        return torch.empty_like(pooled).index_copy(0, packed.order, pooled)

    def token_states(
        self,
        packed: Packed,
        plan: DropoutPlan | None = None,
        read: dict[str, Tensor | nn.Linear] | None = None,
    ) -> Tensor:
        """Return what the last layer makes of each token, (T, d).

        Adds to ``read``, if given, the earlier outputs that the pooling reads.
        """
        reads = () if read is None else self.reads
        positions = packed.positions
        if self.shape.position_offset:
            positions = packed.count_positions(self.shape.pad_token_id)
        x = self.words(packed.ids) + self.positions(positions) + self.types.weight[0]
        x = _hidden_dropout(self.norm(x), packed, plan)
        if "embeddings" in reads:
            read["embeddings"] = x.float()
        for i, layer in enumerate(self.layers):
            x = layer(x, packed, plan)
            if i == 0 and "first" in reads:
                read["first"] = x.float()
        return x

    def max_length(self, wished: int) -> int:
        """Return the longest sentence, in tokens, that both the caller and the model allow."""
        return min(wished, self.shape.max_position_embeddings - self.shape.position_offset)

    @torch.no_grad()
    def encode(self, tokens: Tokens, max_length: int) -> np.ndarray:
        """Embed every sentence of ``tokens`` in evaluation mode; returns (N, d) float32."""
        device = self.words.weight.device
        limit = self.max_length(max_length)
        lengths = np.minimum(tokens.lengths(), limit)
        vectors = np.empty((len(lengths), self.shape.hidden_size), dtype=np.float32)
        with autocast(self.precision, device.type):  # around all batches: weights are cast once
            for batch in token_budget_batches(lengths, ENCODE_TOKENS[device.type]):
                packed = pack(tokens, batch, limit, device, self.mask_token)
                vectors[batch] = self(packed).float().cpu().numpy()
        return vectors

    def encode_blocks(self, tokens: Tokens, max_length: int) -> Iterator[np.ndarray]:
        """Yield what ``encode`` returns, block by block: memory does not grow with the corpus."""
        for first in range(0, len(tokens.offsets) - 1, BLOCK):
            yield self.encode(tokens.part(first, first + BLOCK), max_length)
