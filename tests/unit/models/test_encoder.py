"""The encoder is transformers' own forward pass: vectors, gradients, pooling, DropHead, dropout."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from transformers import AutoModel, AutoTokenizer

from semblance.data.tokens import tokenise
from semblance.models import encoder as module
from semblance.models import folder as model_folder
from semblance.models.base import BaseSettings, build_base
from semblance.models.dropout_plan import DropoutPlan, DropoutSettings
from semblance.models.dropouts import drophead
from semblance.models.packing import pack
from semblance.models.weights import to_ours
from semblance.settings import decode
from tests.unit.models.tiny_models import POSITIONS, make_source, sentences

LENGTHS = [
    1,
    30,
    7,
    7,
    2,
    25,
    0,
    12,
    60,
    13,
    6,
    9,
    45,
]  # words; two are longer than the model reads
LIMIT = 20
CASES = [(family, pooling) for family in ("bert", "roberta") for pooling in ("mean", "cls")]


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    return {
        family: make_source(tmp_path_factory.mktemp("source") / family, family)
        for family in ("bert", "roberta")
    }


@pytest.fixture(scope="module")
def opened(sources, tmp_path_factory):
    """Return a function of (family, pooling): its encoder, transformers' model and tokenizer, our tokens."""
    known = {}

    def get(family, pooling):
        if (family, pooling) not in known:
            place = tmp_path_factory.mktemp("base")
            settings = BaseSettings(max_length=LIMIT, folder=str(sources[family]), pooling=pooling)
            build_base(settings, place / "record.json", "code")
            theirs = AutoModel.from_pretrained(
                sources[family], dtype=torch.float32, local_files_only=True
            ).eval()
            tokens = tokenise(place / "model" / "tokenizer.json", sentences(LENGTHS))
            known[family, pooling] = (
                model_folder.load(place / "model"),
                theirs,
                AutoTokenizer.from_pretrained(sources[family]),
                tokens,
            )
        return known[family, pooling]

    return get


def reference(theirs, tokenizer, pooling, limit):
    """Vectors by transformers, one sentence at a time, so that there is no padding."""
    vectors = []
    for text in sentences(LENGTHS):
        states = theirs(
            **tokenizer(text, truncation=True, max_length=limit, return_tensors="pt")
        ).last_hidden_state[0]
        vectors.append(states[0] if pooling == "cls" else states.mean(dim=0))
    return torch.stack(vectors)


def packed_all(encoder, tokens, limit, order=None):
    numbers = np.arange(len(LENGTHS)) if order is None else order
    return pack(tokens, numbers, encoder.max_length(limit))


@pytest.mark.parametrize("family,pooling", CASES)
@pytest.mark.parametrize("limit", [5, LIMIT, POSITIONS - 2])
def test_vectors_are_those_of_transformers(opened, family, pooling, limit):
    encoder, theirs, tokenizer, tokens = opened(family, pooling)
    with torch.no_grad():
        expected = reference(theirs, tokenizer, pooling, limit)
        found = encoder(packed_all(encoder, tokens, limit))
    assert (found - expected).abs().max() < 1e-6
    assert np.abs(encoder.encode(tokens, limit) - expected.numpy()).max() < 1e-6


@pytest.mark.parametrize("family,longest", [("bert", POSITIONS), ("roberta", POSITIONS - 2)])
def test_a_longest_input_beyond_the_models_positions_is_cut_to_them(opened, family, longest):
    encoder, theirs, tokenizer, tokens = opened(family, "mean")
    assert encoder.max_length(10_000) == longest and encoder.max_length(3) == 3
    with torch.no_grad():
        expected = reference(theirs, tokenizer, "mean", longest).numpy()
    assert np.abs(encoder.encode(tokens, 10_000) - expected).max() < 1e-6


@pytest.mark.parametrize("family,pooling", CASES)
def test_gradients_are_those_of_transformers(opened, family, pooling):
    encoder, theirs, tokenizer, tokens = opened(family, pooling)
    encoder.zero_grad(), theirs.zero_grad()
    probe = torch.randn(len(LENGTHS), 32, generator=torch.Generator().manual_seed(3))
    (torch.tanh(reference(theirs, tokenizer, pooling, LIMIT)) * probe).sum().backward()
    (torch.tanh(encoder(packed_all(encoder, tokens, LIMIT))) * probe).sum().backward()
    their_grads = {n: p.grad for n, p in theirs.named_parameters() if p.grad is not None}
    expected = to_ours(their_grads, 2, "gradients")
    found = {n: p.grad for n, p in encoder.named_parameters()}
    assert found.keys() == expected.keys()
    for name, grad in expected.items():
        assert (found[name] - grad).norm() < 1e-5 * grad.norm(), name


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_nothing_is_random_without_a_dropout_plan(opened, family):
    encoder, _, _, tokens = opened(family, "mean")
    encoder.train()  # the mode of the module decides nothing: the plan does
    with torch.no_grad():
        first, second = (encoder(packed_all(encoder, tokens, LIMIT)) for _ in range(2))
    assert torch.equal(first, second)
    assert np.array_equal(encoder.encode(tokens, LIMIT), encoder.encode(tokens, LIMIT))


@pytest.mark.parametrize("family,pooling", CASES)
def test_a_vector_does_not_depend_on_the_order_or_the_other_sentences_of_a_batch(
    opened, family, pooling
):
    encoder, _, _, tokens = opened(family, pooling)
    order = np.random.default_rng(0).permutation(len(LENGTHS))
    with torch.no_grad():
        plain = encoder(packed_all(encoder, tokens, LIMIT))
        shuffled = encoder(packed_all(encoder, tokens, LIMIT, order))
        alone = torch.cat(
            [
                encoder(packed_all(encoder, tokens, LIMIT, np.array([i])))
                for i in range(len(LENGTHS))
            ]
        )
        twice = encoder(packed_all(encoder, tokens, LIMIT, np.array([3, 3, 1])))
    assert (shuffled - plain[order]).abs().max() < 1e-6
    assert (alone - plain).abs().max() < 1e-6
    assert (twice - plain[[3, 3, 1]]).abs().max() < 1e-6


def test_vectors_do_not_depend_on_how_sentences_are_cut_into_batches(opened, monkeypatch):
    encoder, _, _, tokens = opened("bert", "mean")
    whole = encoder.encode(tokens, LIMIT)
    monkeypatch.setitem(module.ENCODE_TOKENS, "cpu", 25)
    assert np.abs(encoder.encode(tokens, LIMIT) - whole).max() < 1e-6


@pytest.mark.parametrize("family,pooling", CASES)
def test_the_error_of_bf16_is_that_of_transformers_in_bf16(opened, monkeypatch, family, pooling):
    encoder, theirs, tokenizer, tokens = opened(family, pooling)
    with torch.no_grad():
        truth = reference(theirs, tokenizer, pooling, LIMIT)
        with torch.autocast("cpu", torch.bfloat16):
            half = reference(theirs, tokenizer, pooling, LIMIT).float()
    monkeypatch.setattr(encoder, "precision", "bf16")
    found = torch.from_numpy(encoder.encode(tokens, LIMIT))
    assert encoder.words.weight.dtype == torch.float32  # the weights stay as they are
    assert 0 < (found - truth).norm() < 1.5 * (half - truth).norm()


@pytest.mark.parametrize("normalise", [False, True])
def test_the_head_is_linear_and_tanh_and_normalising_comes_last(opened, normalise):
    plain, _, _, tokens = opened("bert", "mean")
    encoder = module.Encoder(plain.shape, "mean", head=True, normalise=normalise)
    head = {f"head.{n}": v for n, v in torch.nn.Linear(32, 32).state_dict().items()}
    encoder.load_state_dict(plain.state_dict() | head)
    with torch.no_grad():
        expected = torch.tanh(
            plain(packed_all(plain, tokens, LIMIT)) @ head["head.weight"].T + head["head.bias"]
        )
        expected = expected / expected.norm(dim=1, keepdim=True) if normalise else expected
        assert (encoder(packed_all(encoder, tokens, LIMIT)) - expected).abs().max() < 1e-6


def dropout_settings(**settings):
    """Dropout settings as a config states them."""
    return decode(DropoutSettings, settings, "dropout")


def plain_forward(weights, ids, offset, head_factors=None):
    """One sentence through a BERT of two layers and four heads, written out; returns (length, 32) float64.

    ``head_factors`` (layers, heads) multiplies each head's context before the output projection.
    """
    get = lambda name: weights[name].double()
    linear = lambda x, name: x @ get(f"{name}.weight").T + get(f"{name}.bias")
    norm = lambda x, name: F.layer_norm(x, (32,), get(f"{name}.weight"), get(f"{name}.bias"), 1e-12)
    x = norm(
        torch.stack(
            [
                get("embeddings.word_embeddings.weight")[i]
                + get("embeddings.position_embeddings.weight")[p + offset]
                + get("embeddings.token_type_embeddings.weight")[0]
                for p, i in enumerate(ids)
            ]
        ),
        "embeddings.LayerNorm",
    )
    for layer in range(2):
        at = f"encoder.layer.{layer}."
        q, k, v = (linear(x, f"{at}attention.self.{part}") for part in ("query", "key", "value"))
        contexts = []
        for head in range(4):
            part = slice(8 * head, 8 * head + 8)
            context = (q[:, part] @ k[:, part].T / math.sqrt(8)).softmax(dim=1) @ v[:, part]
            contexts.append(
                context * (1.0 if head_factors is None else float(head_factors[layer, head]))
            )
        x = norm(
            x + linear(torch.cat(contexts, dim=1), f"{at}attention.output.dense"),
            f"{at}attention.output.LayerNorm",
        )
        x = norm(
            x + linear(F.gelu(linear(x, f"{at}intermediate.dense")), f"{at}output.dense"),
            f"{at}output.LayerNorm",
        )
    return x


def test_drophead_multiplies_each_heads_context_by_its_factor(opened, monkeypatch):
    encoder, theirs, _, tokens = opened("bert", "mean")
    n = len(LENGTHS)
    drawn = []

    def chosen(rate, rows, heads, device):
        assert (rows, heads, rate) == (n, 4, 0.3)
        generator = torch.Generator().manual_seed(len(drawn))
        drawn.append(torch.randint(0, 2, (rows, heads), generator=generator) * 4 / 3.0)
        return drawn[-1]

    monkeypatch.setattr(drophead, "head_scale", chosen)
    settings = dropout_settings(hidden=0.0, attention=0.0, drophead=0.3)
    packed = packed_all(encoder, tokens, LIMIT)
    with torch.no_grad():
        found = encoder(packed, encoder.dropout_plan(settings, torch.zeros(n, dtype=torch.long)))
    factors = torch.stack(
        drawn, dim=1
    )  # (n in packed order, layers, heads): each layer draws its own
    assert factors.shape == (n, 2, 4)
    for row, number in enumerate(packed.order.tolist()):
        ids = tokens.ids[tokens.offsets[number] : tokens.offsets[number + 1]]
        ids = [*ids[: LIMIT - 1], ids[-1]] if len(ids) > LIMIT else ids
        expected = plain_forward(theirs.state_dict(), ids, 0, factors[row]).mean(dim=0)
        assert (found[number] - expected).abs().max() < 1e-5


RANDOM = [
    {"hidden": 0.3, "attention": 0.0},
    {"hidden": 0.0, "attention": 0.3},
    {"hidden": 0.0, "attention": 0.0, "drophead": 0.5},
    {"attention": 0.0, "sampled": {}},
    {"attention": 0.0, "sampled": {"granularity": "row"}},
    {"attention": 0.0, "sampled": {"granularity": "pass"}},
    {"sampled": {"layers": "hidden+attention"}},
]


@pytest.mark.parametrize("settings", RANDOM, ids=str)
def test_each_kind_of_dropout_changes_the_vectors_and_repeats_with_the_seed(opened, settings):
    encoder, _, _, tokens = opened("bert", "mean")
    views = torch.zeros(len(LENGTHS), dtype=torch.long)
    vectors = []
    for seed in (0, 0, 1):
        torch.manual_seed(seed)
        with torch.no_grad():
            vectors.append(
                encoder(
                    packed_all(encoder, tokens, LIMIT),
                    encoder.dropout_plan(dropout_settings(**settings), views),
                )
            )
    quiet = torch.from_numpy(encoder.encode(tokens, LIMIT))
    assert torch.equal(vectors[0], vectors[1])
    assert not torch.allclose(vectors[0], vectors[2], atol=1e-3) and not torch.allclose(
        vectors[0], quiet, atol=1e-3
    )


def test_dropout_of_rate_zero_changes_nothing(opened):
    encoder, _, _, tokens = opened("bert", "mean")
    plan = encoder.dropout_plan(
        dropout_settings(hidden=0.0, attention=0.0), torch.zeros(len(LENGTHS), dtype=torch.long)
    )
    with torch.no_grad():
        assert torch.equal(
            encoder(packed_all(encoder, tokens, LIMIT), plan),
            encoder(packed_all(encoder, tokens, LIMIT)),
        )


def rates_seen(encoder, tokens, settings, views, monkeypatch):
    """The rate of every dropout operation of one forward, with the packed batch that it ran on."""
    seen, packed = [], packed_all(encoder, tokens, LIMIT)
    monkeypatch.setattr(
        module, "dropout", lambda x, rate: (seen.append((tuple(x.shape), rate)), x)[1]
    )
    with torch.no_grad():
        encoder(packed, encoder.dropout_plan(settings, views))
    return seen, packed


@pytest.mark.parametrize("granularity", ["view", "row"])
def test_each_token_drops_at_the_rate_of_its_own_sentence_and_view(
    opened, monkeypatch, granularity
):
    encoder, _, _, tokens = opened("bert", "mean")
    views = torch.arange(len(LENGTHS)) // 7
    drawn = []
    original = DropoutPlan.hidden_rate
    monkeypatch.setattr(
        DropoutPlan, "hidden_rate", lambda self: drawn.append(original(self)) or drawn[-1]
    )
    settings = dropout_settings(attention=0.0, sampled={"granularity": granularity})
    seen, packed = rates_seen(encoder, tokens, settings, views, monkeypatch)
    assert len(seen) == len(drawn) == 5  # the embeddings, and two for each of two layers
    for (shape, rate), by_sentence in zip(seen, drawn, strict=True):
        assert rate.shape == (shape[0], 1)
        for token, row in enumerate(packed.rows.tolist()):
            assert rate[token, 0] == by_sentence[packed.order[row]]
        assert len(set(by_sentence.tolist())) == (2 if granularity == "view" else len(LENGTHS))


def test_one_pass_drops_every_token_of_a_view_at_one_rate(opened, monkeypatch):
    encoder, _, _, tokens = opened("bert", "mean")
    views = torch.arange(len(LENGTHS)) // 7
    settings = dropout_settings(attention=0.0, sampled={"granularity": "pass"})
    seen, packed = rates_seen(encoder, tokens, settings, views, monkeypatch)
    view_of_token = views[packed.order][packed.rows]
    for view in (0, 1):
        rates = {float(r) for _, rate in seen for r in rate[view_of_token == view, 0]}
        assert len(rates) == 1
    again, _ = rates_seen(encoder, tokens, settings, views, monkeypatch)
    assert not torch.equal(again[0][1], seen[0][1])


def test_attention_weights_drop_at_the_rate_of_their_sentence(opened, monkeypatch):
    encoder, _, _, tokens = opened("bert", "mean")
    drawn = []
    original = DropoutPlan.attention_rate
    monkeypatch.setattr(
        DropoutPlan, "attention_rate", lambda self: drawn.append(original(self)) or drawn[-1]
    )
    settings = dropout_settings(sampled={"granularity": "row", "layers": "hidden+attention"})
    seen, packed = rates_seen(
        encoder, tokens, settings, torch.arange(len(LENGTHS)) // 7, monkeypatch
    )
    attention = [(shape, rate) for shape, rate in seen if len(shape) == 4]
    count = len(packed.groups)
    assert len(attention) == 2 * count and len(drawn) == 2
    for layer, by_sentence in enumerate(drawn):
        of_layer = attention[layer * count : (layer + 1) * count]
        for group, (shape, rate) in zip(packed.groups, of_layer, strict=True):
            assert shape == (group.count, 4, group.length, group.length)
            expected = by_sentence[packed.order[group.row : group.row + group.count]]
            assert torch.equal(rate.flatten(), expected) and rate.shape == (group.count, 1, 1, 1)
