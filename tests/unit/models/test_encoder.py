"""The encoder is transformers' own forward pass: vectors, gradients, pooling, DropHead, dropout."""

import functools

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from semblance.data.tokens import tokenise
from semblance.models import encoder as module
from semblance.models import folder as model_folder
from semblance.models.dropout_plan import DropoutPlan
from semblance.models.packing import pack
from semblance.models.weights import to_ours
from semblance.settings import DropoutSettings, decode
from tests.unit.models.tiny_models import POSITIONS, built, make_source, sentences

# Words of the sentences; two are longer than the model reads.
LENGTHS = [1, 30, 7, 7, 2, 25, 0, 12, 60, 13, 6, 9, 45]
VIEWS = torch.arange(len(LENGTHS)) // 7
LIMIT = 20
CASES = [(family, pooling) for family in ("bert", "roberta") for pooling in ("mean", "cls")]


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """Our encoder, transformers' model and tokenizer, our tokens, by (family, pooling)."""

    @functools.cache
    def get(family, pooling):
        place = tmp_path_factory.mktemp("base")
        source = make_source(place / "source", family)
        folder = built(source, place, pooling, LIMIT)
        theirs = AutoModel.from_pretrained(source, dtype=torch.float32, local_files_only=True)
        tokens = tokenise(folder / "tokenizer.json", sentences(LENGTHS))
        tokenizer = AutoTokenizer.from_pretrained(source)
        return model_folder.load(folder), theirs.eval(), tokenizer, tokens

    return get


@pytest.fixture
def bert(opened):
    """Our tiny BERT with mean pooling, and the tokens that it embeds."""
    encoder, _, _, tokens = opened("bert", "mean")
    return encoder, tokens


def reference(theirs, tokenizer, pooling, limit):
    """Vectors by transformers, one sentence at a time, so that there is no padding."""
    vectors = []
    for text in sentences(LENGTHS):
        read = tokenizer(text, truncation=True, max_length=limit, return_tensors="pt")
        states = theirs(**read).last_hidden_state[0]
        vectors.append(states[0] if pooling == "cls" else states.mean(dim=0))
    return torch.stack(vectors)


def packed_all(encoder, tokens, limit=LIMIT, order=None):
    numbers = np.arange(len(LENGTHS)) if order is None else np.asarray(order)
    return pack(tokens, numbers, encoder.max_length(limit))


@torch.no_grad()
def embed(encoder, tokens, order=None, views=VIEWS, **dropout):
    """Embed the sentences, without dropout or with one as a config states it."""
    plan = None
    if dropout:
        plan = encoder.dropout_plan(
            decode(DropoutSettings, dropout, "dropout"), views, int(views[-1]) + 1
        )
    return encoder(packed_all(encoder, tokens, order=order), plan)


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
    (torch.tanh(encoder(packed_all(encoder, tokens))) * probe).sum().backward()
    their_grads = {n: p.grad for n, p in theirs.named_parameters() if p.grad is not None}
    expected = to_ours(their_grads, 2, "gradients")
    found = {n: p.grad for n, p in encoder.named_parameters()}
    assert found.keys() == expected.keys()
    for name, grad in expected.items():
        assert (found[name] - grad).norm() < 1e-5 * grad.norm(), name


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_nothing_is_random_without_a_rate_of_dropout(opened, family):
    encoder, _, _, tokens = opened(family, "mean")
    encoder.train()  # the mode of the module decides nothing: the plan does
    found = embed(encoder, tokens)
    assert torch.equal(found, embed(encoder, tokens))
    assert torch.equal(found, embed(encoder, tokens, hidden=0.0, attention=0.0))
    assert np.array_equal(encoder.encode(tokens, LIMIT), encoder.encode(tokens, LIMIT))


@pytest.mark.parametrize("family,pooling", CASES)
def test_a_vector_does_not_depend_on_the_rest_of_its_batch(opened, family, pooling):
    encoder, _, _, tokens = opened(family, pooling)
    plain = embed(encoder, tokens)
    every = range(len(LENGTHS))
    shuffled = np.random.default_rng(0).permutation(every)
    for order in (shuffled, [3, 3, 1], *([i] for i in every)):
        assert (embed(encoder, tokens, order) - plain[order]).abs().max() < 1e-6


def test_vectors_do_not_depend_on_how_sentences_are_cut_into_batches_and_blocks(bert, monkeypatch):
    encoder, tokens = bert
    whole = encoder.encode(tokens, LIMIT)
    monkeypatch.setitem(module.ENCODE_TOKENS, "cpu", 25)
    assert np.abs(encoder.encode(tokens, LIMIT) - whole).max() < 1e-6
    monkeypatch.setattr(module, "BLOCK", 5)
    blocks = list(encoder.encode_blocks(tokens, LIMIT))
    assert [len(block) for block in blocks] == [5, 5, 3]
    assert np.abs(np.concatenate(blocks) - whole).max() < 1e-6


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
def test_each_kind_of_dropout_changes_the_vectors_and_repeats_with_the_seed(bert, settings):
    vectors = []
    for seed in (0, 0, 1):
        torch.manual_seed(seed)
        vectors.append(embed(*bert, views=torch.zeros_like(VIEWS), **settings))
    first, again, other = vectors
    assert torch.equal(first, again)
    assert not torch.allclose(first, other, atol=1e-3)
    assert not torch.allclose(first, embed(*bert), atol=1e-3)


@pytest.fixture
def noted(bert, monkeypatch):
    """A forward pass under dropout: what each operation got, what the plan drew, and the batch."""

    def run(**dropout):
        seen, drawn, original = [], {"hidden": [], "attention": []}, DropoutPlan.rate

        def rate(plan, layers):
            drawn[layers].append(original(plan, layers))
            return drawn[layers][-1]

        with monkeypatch.context() as patch:
            patch.setattr(DropoutPlan, "rate", rate)
            patch.setattr(module, "dropout", lambda x, r: seen.append((tuple(x.shape), r)) or x)
            embed(*bert, **dropout)
        return seen, drawn, packed_all(*bert)

    return run


@pytest.mark.parametrize("granularity", ["view", "row"])
def test_each_token_drops_at_the_rate_of_its_own_sentence_and_view(noted, granularity):
    seen, drawn, packed = noted(attention=0.0, sampled={"granularity": granularity})
    seen = [(shape, rate) for shape, rate in seen if len(shape) == 2]
    assert len(seen) == len(drawn["hidden"]) == 5  # the embeddings, and two for each of two layers
    for (shape, rate), by_sentence in zip(seen, drawn["hidden"], strict=True):
        assert rate.shape == (shape[0], 1)
        for token, row in enumerate(packed.rows.tolist()):
            assert rate[token, 0] == by_sentence[packed.order[row]]
        assert len(set(by_sentence.tolist())) == (2 if granularity == "view" else len(LENGTHS))


def test_one_pass_drops_every_token_of_a_view_at_one_rate(noted):
    seen, _, packed = noted(attention=0.0, sampled={"granularity": "pass"})
    view_of_token = VIEWS[packed.order][packed.rows]
    for view in (0, 1):
        rates = {float(r) for _, rate in seen for r in rate[view_of_token == view, 0]}
        assert len(rates) == 1
    again, *_ = noted(attention=0.0, sampled={"granularity": "pass"})
    assert not torch.equal(again[0][1], seen[0][1])


def test_attention_weights_drop_at_the_rate_of_their_sentence(noted):
    seen, drawn, packed = noted(sampled={"granularity": "row", "layers": "hidden+attention"})
    attention = [(shape, rate) for shape, rate in seen if len(shape) == 4]
    count = len(packed.groups)
    assert len(attention) == 2 * count and len(drawn["attention"]) == 2
    for layer, by_sentence in enumerate(drawn["attention"]):
        of_layer = attention[layer * count : (layer + 1) * count]
        for group, (shape, rate) in zip(packed.groups, of_layer, strict=True):
            assert shape == (group.count, 4, group.length, group.length)
            expected = by_sentence[packed.order[group.row : group.row + group.count]]
            assert torch.equal(rate.flatten(), expected) and rate.shape == (group.count, 1, 1, 1)
