"""The sentence encoder: a BERT-family transformer over packed tokens, pooling, and an optional head.

The forward pass is written out here, once, because the methods act inside it: sampled and
sentence-wise dropout, DropHead. Weights keep the names of ``transformers``, so a saved folder is an
ordinary sentence-transformers model. Tests hold it equal to ``transformers`` itself.
"""

import contextlib
import os
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from semblance.data.corpus import Tokens
from semblance.models.dropout import DropoutSettings, Noise, dropout, head_scale
from semblance.models.packing import Group, Packed, pack, pad, token_budget_batches, unpad
from semblance.settings import Matmul, Pooling, Precision, unknown_word

# Tokens a batch when embedding. On a CPU what one layer makes of them should stay in the cache, and below the size
# from which the C library asks the system for fresh memory each time: a fifth faster than 8,192 (MiniLM).
ENCODE_TOKENS = {"cpu": 2048, "cuda": 8192}


@dataclass(frozen=True)
class Architecture:
    """The shape of a BERT-family transformer, as its config.json gives it."""

    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    intermediate_size: int
    vocab_size: int
    max_position_embeddings: int
    type_vocab_size: int
    layer_norm_eps: float
    hidden_dropout_prob: float
    attention_probs_dropout_prob: float
    pad_token_id: int
    position_offset: int  # RoBERTa numbers positions from pad_token_id + 1


@dataclass(frozen=True)
class Compute:
    """What a stage that only reads computes with; all of it is part of the result.

    ``precision`` is of the encoder (fp32 or bf16), ``matmul`` of its fp32 matrix products, as in a training.
    """

    threads: int = 1
    gpus: int = 0
    precision: Precision = "fp32"
    matmul: Matmul = "highest"


def device_for(gpus: int) -> str:
    """Return ``cuda`` where a GPU is asked for and there is one, else ``cpu``."""
    return "cuda" if gpus and torch.cuda.is_available() else "cpu"


def set_up(threads: int, gpus: int, matmul: Matmul = "highest") -> str:
    """Set threads, the matmul precision and, on a GPU, determinism, for this whole process; return the device."""
    os.environ.setdefault(
        "CUBLAS_WORKSPACE_CONFIG", ":4096:8"
    )  # without it CUDA's products are not repeatable
    torch.set_num_threads(threads)
    torch.set_float32_matmul_precision(matmul)
    device = device_for(gpus)
    if device == "cuda":
        torch.use_deterministic_algorithms(True)
        torch.utils.deterministic.fill_uninitialized_memory = (
            False  # a launch for each new tensor; none is read unwritten
        )
    return device


def device_name(device: str) -> str:
    """Return a GPU's name, or ``cpu`` with the number of threads, and whether fp32 products are less."""
    less = "" if full_precision(device) else " (matrix products in less than fp32)"
    return (
        torch.cuda.get_device_name() + less
        if device == "cuda"
        else f"cpu{less}, {torch.get_num_threads()} threads"
    )


def full_precision(device: str) -> bool:
    """Return whether fp32 matrix products keep its 24 bits.

    With a matmul precision below ``highest`` they do on some processors, where only a faster library is chosen, and
    do not on others, which compute in bf16 or TF32 inside.
    """
    if torch.get_float32_matmul_precision() == "highest":
        return True
    n, k = 512, 64
    a = torch.linspace(-1.0, 1.0, n * k, device=device).view(n, k)
    b = a.flip(0).reshape(k, n)
    strayed = ((a @ b).double() - a.double() @ b.double()).abs()
    return bool(
        (strayed <= k * 2.0**-24 * (a.abs().double() @ b.abs().double())).all()
    )  # any order of summing keeps this


def autocast(precision: Precision, device: str) -> contextlib.AbstractContextManager:
    """Return the context of a declared precision: ``fp32`` or ``bf16`` (weights stay float32)."""
    match precision:
        case "bf16":
            return torch.autocast(device, dtype=torch.bfloat16)
        case "fp32":
            return contextlib.nullcontext()
        case _:
            raise unknown_word("precision", precision, Precision)


class Layer(nn.Module):
    """One post-norm transformer layer; query, key and value are one matrix, split when saved."""

    def __init__(self, shape: Architecture):
        super().__init__()
        d, eps = shape.hidden_size, shape.layer_norm_eps
        self.heads = shape.num_attention_heads
        self.qkv, self.out = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.norm1, self.norm2 = nn.LayerNorm(d, eps=eps), nn.LayerNorm(d, eps=eps)
        self.up, self.down = (
            nn.Linear(d, shape.intermediate_size),
            nn.Linear(shape.intermediate_size, d),
        )

    def forward(self, x: Tensor, packed: Packed, noise: Noise | None) -> Tensor:
        """Map (T, d) to (T, d)."""
        x = self.norm1(x + _hidden_dropout(self.out(self.attend(x, packed, noise)), packed, noise))
        return self.norm2(x + _hidden_dropout(self.down(F.gelu(self.up(x))), packed, noise))

    def attend(self, x: Tensor, packed: Packed, noise: Noise | None) -> Tensor:
        """Multi-head attention within each sentence, (T, d) to (T, d), before the output projection."""
        qkv, d = self.qkv(x), x.shape[1]
        rate = _by_row(noise.attention_rate(), packed) if noise else 0.0
        scale = self._head_scale(packed, noise)
        parts = []
        # split, not slices: the backward of a slice fills a whole (T, 3 d) tensor with zeros for each group
        for g, part in zip(
            packed.groups, qkv.split([g.tokens for g in packed.groups]), strict=True
        ):
            q, k, v = (
                pad(part, g)
                .view(g.count, g.length, 3, self.heads, d // self.heads)
                .permute(2, 0, 3, 1, 4)
            )
            context = _attention(q, k, v, g, rate)  # (count, heads, length, d / heads)
            if scale is not None:
                context = context * scale[g.row : g.row + g.count, :, None, None]
            parts.append(unpad(context.transpose(1, 2).reshape(g.count * g.length, d), g))
        return torch.cat(parts)

    def _head_scale(self, packed: Packed, noise: Noise | None) -> Tensor | None:
        if noise is None or noise.settings.drophead == 0.0:
            return None
        return head_scale(len(packed.order), self.heads, noise.settings.drophead, packed.ids.device)


def _by_row(rate: float | Tensor, packed: Packed) -> float | Tensor:
    return rate[packed.order] if isinstance(rate, Tensor) else rate


def _hidden_dropout(x: Tensor, packed: Packed, noise: Noise | None) -> Tensor:
    if noise is None:
        return x
    rate = noise.hidden_rate()
    return dropout(x, rate if isinstance(rate, float) else rate[packed.order][packed.rows, None])


def _attention(q: Tensor, k: Tensor, v: Tensor, group: Group, rate: float | Tensor) -> Tensor:
    if isinstance(rate, float) and rate == 0.0:
        bias = None if group.padding is None else group.padding.bias.to(q.dtype)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
    logits = (q * q.shape[-1] ** -0.5) @ k.transpose(-1, -2)  # (count, heads, length, length)
    logits = logits.float()  # in bf16, too, and whether or not this group has padding
    if group.padding is not None:
        logits = logits + group.padding.bias
    weights = logits.softmax(dim=-1)
    if isinstance(rate, Tensor):
        rate = rate[group.row : group.row + group.count, None, None, None]
    return dropout(weights, rate).to(v.dtype) @ v


class Encoder(nn.Module):
    """Sentences to vectors: packed tokens in, (n, d) out, in the caller's order.

    ``precision`` is that of ``encode``, fp32 or bf16; a training declares its own.
    """

    precision: Precision = "fp32"

    def __init__(
        self, shape: Architecture, pooling: Pooling, head: bool = False, normalise: bool = False
    ):
        super().__init__()
        self.shape, self.pooling, self.normalise = shape, pooling, normalise
        d = shape.hidden_size
        self.words = nn.Embedding(shape.vocab_size, d)
        self.positions = nn.Embedding(shape.max_position_embeddings, d)
        self.types = nn.Embedding(shape.type_vocab_size, d)
        self.norm = nn.LayerNorm(d, eps=shape.layer_norm_eps)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.num_hidden_layers))
        self.head = nn.Linear(d, d) if head else None

    def noise(self, settings: DropoutSettings, views: Tensor) -> Noise:
        """Return the dropout of one training forward; ``views`` (n,), on the CPU, numbers each sentence's view."""
        return Noise(
            settings,
            self.shape.hidden_dropout_prob,
            self.shape.attention_probs_dropout_prob,
            views,
            self.words.weight.device,
        )

    def forward(self, packed: Packed, noise: Noise | None = None) -> Tensor:
        """Return sentence vectors, (n, d); without ``noise`` nothing is random."""
        positions = packed.positions + self.shape.position_offset
        x = self.words(packed.ids) + self.positions(positions) + self.types.weight[0]
        x = _hidden_dropout(self.norm(x), packed, noise)  # (T, d)
        for layer in self.layers:
            x = layer(x, packed, noise)
        pooled = self._pool(x.float(), packed)  # (n, d) in packed order
        if self.head is not None:
            pooled = torch.tanh(self.head(pooled)).float()
        if self.normalise:
            pooled = F.normalize(pooled, dim=1)
        return torch.empty_like(pooled).index_copy(0, packed.order, pooled)

    def _pool(self, x: Tensor, packed: Packed) -> Tensor:
        match self.pooling:
            case "cls":
                return x[packed.starts]
            case "mean":
                sums = torch.zeros(len(packed.order), x.shape[1], device=x.device)
                return sums.index_add(0, packed.rows, x) / packed.lengths[:, None]
            case _:
                raise unknown_word("pooling", self.pooling, Pooling)

    def max_length(self, wished: int) -> int:
        """Return the longest sentence, in tokens, that both the caller and the model allow."""
        return min(wished, self.shape.max_position_embeddings - self.shape.position_offset)

    @torch.no_grad()
    def encode(self, tokens: Tokens, max_length: int) -> np.ndarray:
        """Embed every sentence of ``tokens`` in evaluation mode; returns (N, d) float32."""
        device = self.words.weight.device
        limit = self.max_length(max_length)
        vectors = np.empty((len(tokens.offsets) - 1, self.shape.hidden_size), dtype=np.float32)
        with autocast(self.precision, device.type):  # around all batches: the weights are cast once
            for batch in token_budget_batches(
                np.minimum(tokens.lengths(), limit), ENCODE_TOKENS[device.type]
            ):
                packed = pack(tokens, batch, limit, device)
                vectors[batch] = self(packed).float().cpu().numpy()
        return vectors
