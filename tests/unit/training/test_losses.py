"""The losses of RCL, Eqs. 1 to 3, against float64 loops written from the paper."""

import math

import pytest
import torch

from semblance.errors import InputError
from semblance.training.batch import Batch, Regulators, batch_of, reduced
from semblance.training.losses import contrastive, entropy, regulators, symmetric

SHAPES = [(2, 3), (3, 5), (6, 4)]  # B, d
SCALES = [1.0, 20.0]


def draw(b, d, seed=0, n=0, hard=False, grad=False):
    """Return what a loss reads, random in float64: a batch of B rows, and N regulators if asked."""
    generator = torch.Generator().manual_seed(seed)
    kind = {"generator": generator, "dtype": torch.float64, "requires_grad": grad}
    batch = Batch(*(torch.randn(b, d, **kind) for _ in range(3 if hard else 2)))
    if not n:
        return (batch,)
    return batch, Regulators(*(torch.randn(n, b, d, **kind) for _ in range(2)))


def draw_batch(*shape, **options):
    """Return a random batch alone."""
    (batch,) = draw(*shape, **options)
    return batch


def each_tensor(parts, change):
    """Return what a loss reads with each of its tensors changed."""
    return [type(p)(*(None if t is None else change(t) for t in p)) for p in parts]


def by_regulator(batch, regulators):
    """Yield the embeddings of each regulator beside those that it holds near."""
    for k in range(len(regulators.queries)):
        yield batch.queries, regulators.queries[k]
        yield batch.positives, regulators.positives[k]


def cosine(x, y):
    dot, xx, yy = (
        sum(a * b for a, b in zip(u, v, strict=True)) for u, v in ((x, y), (x, x), (y, y))
    )
    return dot / math.sqrt(xx * yy)


def probabilities(queries, candidates, scale):
    """p_ij = exp(s cos(q_i, c_j)) / sum_k exp(s cos(q_i, c_k)), as Eq. 1 prints it."""
    table = []
    for q in queries.tolist():
        powers = [math.exp(scale * cosine(q, c)) for c in candidates.tolist()]
        table.append([power / sum(powers) for power in powers])
    return table


def candidates_of(batch):
    parts = [part for part in (batch.positives, batch.negatives) if part is not None]
    return torch.cat(parts)


def equation_1(queries, candidates, scale):
    p = probabilities(queries, candidates, scale)
    return sum(-math.log(p[i][i]) for i in range(len(queries))) / len(queries)


def entropy_sums(batch, scale, include_positive=False, negatives_too=True):
    """For each i, the sum of p_ij log p_ij over the j that Eq. 2 names."""
    b = len(batch.queries)
    sums = []
    for i, row in enumerate(probabilities(batch.queries, candidates_of(batch), scale)):
        counted = [
            p
            for j, p in enumerate(row)
            if (include_positive or j != i) and (negatives_too or j < b)
        ]
        sums.append(sum(p * math.log(p) for p in counted))
    return sums


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("b,d", SHAPES)
def test_contrastive_is_equation_1(b, d, scale, hard):
    batch = draw_batch(b, d, hard=hard)
    expected = equation_1(batch.queries, candidates_of(batch), scale)
    assert float(contrastive.loss(batch, scale=scale)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("include_positive", [False, True])
@pytest.mark.parametrize("negatives_too", [False, True])
@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("phi", [-0.5, 0.02, 1.0])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("b,d,hard", [(3, 5, False), (2, 3, True), (5, 4, True)])
def test_entropy_is_equation_2(b, d, hard, scale, phi, reduction, negatives_too, include_positive):
    batch = draw_batch(b, d, seed=1, hard=hard)
    sums = entropy_sums(batch, scale, include_positive, negatives_too)
    term = sum(sums) / (b if reduction == "mean" else 1)
    expected = equation_1(batch.queries, candidates_of(batch), scale) - phi * term
    found = entropy.loss(
        batch,
        scale=scale,
        phi=phi,
        reduction=reduction,
        include_positive=include_positive,
        hard_negatives_in_entropy=negatives_too,
    )
    assert float(found) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("b,d,n", [(2, 3, 1), (3, 5, 2), (5, 4, 4)])
@pytest.mark.parametrize(
    "weight,reduction", [(1.0, "sum"), (0.25, "sum"), (1.0, "mean"), (3.0, "mean")]
)
def test_regulators_are_equation_3(b, d, n, scale, hard, weight, reduction):
    batch, given = draw(b, d, seed=2, n=n, hard=hard)
    terms = [equation_1(x, frozen, scale) for x, frozen in by_regulator(batch, given)]
    assert len(terms) == 2 * n
    regulator = sum(terms) / (len(terms) if reduction == "mean" else 1)
    expected = equation_1(batch.queries, candidates_of(batch), scale) + weight * regulator
    options = {"regulator_weight": weight, "reduction": reduction}
    found = regulators.loss(batch, given, scale=scale, **options)
    assert float(found) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n", [1, 3])
def test_regulators_are_equation_1_plus_two_terms_for_each_entropy_model(n):
    batch, given = draw(4, 6, seed=3, n=n)
    terms = [
        contrastive.loss(Batch(x, frozen), scale=20.0) for x, frozen in by_regulator(batch, given)
    ]
    expected = contrastive.loss(batch, scale=20.0) + sum(terms)
    found = regulators.loss(batch, given, scale=20.0)
    assert float(found) == pytest.approx(float(expected), rel=1e-12)


def test_the_defaults_are_the_printed_equations_at_scale_20():
    batch, given = draw(4, 6, seed=4, n=2, hard=True)
    assert torch.equal(contrastive.loss(batch), contrastive.loss(batch, scale=20.0))
    assert torch.equal(
        entropy.loss(batch, phi=0.3),
        entropy.loss(
            batch,
            scale=20.0,
            phi=0.3,
            reduction="mean",
            include_positive=False,
            hard_negatives_in_entropy=True,
        ),
    )
    assert torch.equal(
        regulators.loss(batch, given),
        regulators.loss(batch, given, scale=20.0, regulator_weight=1.0, reduction="sum"),
    )


def equation_8(batch, scale, alpha):
    """SimCSE Eq. 8: alpha multiplies the term of a row's own hard negative in the denominator."""
    b = len(batch.queries)
    total = 0.0
    for i, q in enumerate(batch.queries.tolist()):
        below = 0.0
        for j in range(b):
            positive = math.exp(scale * cosine(q, batch.positives[j].tolist()))
            negative = math.exp(scale * cosine(q, batch.negatives[j].tolist()))
            below += positive + (alpha if i == j else 1.0) * negative
        above = math.exp(scale * cosine(q, batch.positives[i].tolist()))
        total -= math.log(above / below)
    return total / b


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("b,d", SHAPES)
def test_the_weight_of_a_rows_own_hard_negative_is_equation_8_of_simcse(b, d, scale, alpha):
    batch = draw_batch(b, d, seed=12, hard=True)
    found = contrastive.loss(batch, scale=scale, hard_negative_weight=alpha)
    assert float(found) == pytest.approx(equation_8(batch, scale, alpha), rel=1e-12)


def draw_two_negatives(b, d, seed, grad=False):
    """Return the four views of random rows with two hard negatives each, (B, d)."""
    generator = torch.Generator().manual_seed(seed)
    kind = {"generator": generator, "dtype": torch.float64, "requires_grad": grad}
    return [torch.randn(b, d, **kind) for _ in range(4)]


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("b,d", SHAPES)
def test_with_two_hard_negatives_the_denominator_of_equation_8_holds_both(b, d, scale, alpha):
    """Eq. 8 with a second sum of the same form; alpha multiplies each of a row's own two terms."""
    views = draw_two_negatives(b, d, seed=21)
    queries, positives, *negatives = [view.tolist() for view in views]
    total = 0.0
    for i, q in enumerate(queries):
        below = 0.0
        for j in range(b):
            below += math.exp(scale * cosine(q, positives[j]))
            for kind in negatives:
                below += (alpha if i == j else 1.0) * math.exp(scale * cosine(q, kind[j]))
        total -= math.log(math.exp(scale * cosine(q, positives[i])) / below)
    found = contrastive.loss(batch_of(views), scale=scale, hard_negative_weight=alpha)
    assert float(found) == pytest.approx(total / b, rel=1e-12)


@pytest.mark.parametrize(
    "function,options",
    [
        (contrastive.loss, {"hard_negative_weight": 2.0}),
        (contrastive.loss, {}),
        (symmetric.loss, {}),
        (entropy.loss, {"phi": 0.7}),
    ],
)
def test_the_gradients_of_two_hard_negatives_are_those_of_the_function(function, options):
    views = draw_two_negatives(2, 3, seed=22, grad=True)

    def call(*changed):
        return function(batch_of(changed), scale=3.0, **options)

    assert torch.autograd.gradcheck(call, tuple(views))


def test_of_a_single_row_the_same_hard_negative_twice_is_one_of_weight_two():
    queries, positives, negatives, _ = draw_two_negatives(1, 4, seed=23)
    twice = contrastive.loss(batch_of([queries, positives, negatives, negatives]))
    doubled = contrastive.loss(Batch(queries, positives, negatives), hard_negative_weight=2.0)
    assert float(twice) == pytest.approx(float(doubled), rel=1e-12)


def test_a_batch_of_one_hard_negative_holds_its_views_themselves():
    views = draw_two_negatives(3, 4, seed=24)[:3]
    assert all(found is view for found, view in zip(batch_of(views), views, strict=True))


def test_a_weight_of_hard_negatives_is_refused_where_the_rows_have_none():
    with pytest.raises(InputError, match="hard_negative_weight: the rows have no hard negatives"):
        contrastive.loss(draw_batch(3, 4), hard_negative_weight=2.0)


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("scale", [0.5, 1.0])
def test_with_the_dot_product_the_lengths_of_the_vectors_count(scale, hard):
    batch = draw_batch(4, 3, seed=13, hard=hard)
    total = 0.0
    for i, q in enumerate(batch.queries.tolist()):
        powers = [
            math.exp(scale * sum(a * b for a, b in zip(q, c, strict=True)))
            for c in candidates_of(batch).tolist()
        ]
        total -= math.log(powers[i] / sum(powers))
    found = contrastive.loss(batch, scale=scale, similarity="dot")
    assert float(found) == pytest.approx(total / 4, rel=1e-12)


def test_an_unknown_similarity_is_refused():
    with pytest.raises(InputError, match="similarity: unknown word 'euclid'"):
        contrastive.loss(draw_batch(3, 4), similarity="euclid")


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("b,d", SHAPES)
def test_the_symmetric_loss_has_all_other_views_as_candidates(b, d, scale, hard):
    batch = draw_batch(b, d, seed=14, hard=hard)
    views = [*batch.queries.tolist(), *batch.positives.tolist()]
    negatives = batch.negatives.tolist() if hard else []
    total = 0.0
    for i, x in enumerate(views):
        others = [y for j, y in enumerate(views) if j != i] + negatives
        partner = views[(i + b) % (2 * b)]
        below = sum(math.exp(scale * cosine(x, y)) for y in others)
        total -= math.log(math.exp(scale * cosine(x, partner)) / below)
    found = symmetric.loss(batch, scale=scale)
    assert float(found) == pytest.approx(total / (2 * b), rel=1e-12)


def test_the_symmetric_loss_does_not_change_when_the_views_are_exchanged():
    batch = draw_batch(5, 4, seed=15, hard=True)
    exchanged = Batch(batch.positives, batch.queries, batch.negatives)
    assert float(symmetric.loss(batch)) == pytest.approx(
        float(symmetric.loss(exchanged)), rel=1e-12
    )


LOSSES = [
    (contrastive.loss, {}, 0),
    (symmetric.loss, {}, 0),
    (entropy.loss, {"phi": 0.7}, 0),
    (entropy.loss, {"phi": -0.7, "reduction": "sum"}, 0),
    (entropy.loss, {"phi": 0.7, "include_positive": True, "hard_negatives_in_entropy": False}, 0),
    (regulators.loss, {}, 2),
    (regulators.loss, {"reduction": "mean", "regulator_weight": 0.5}, 2),
]


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("function,options,n", LOSSES)
def test_the_gradients_are_those_of_the_function(function, options, n, hard):
    parts = draw(2, 3, seed=5, n=n, hard=hard, grad=True)
    tensors = [tensor for part in parts for tensor in part if tensor is not None]

    def call(*changed):
        left = iter(changed)
        return function(*each_tensor(parts, lambda _: next(left)), scale=3.0, **options)

    assert torch.autograd.gradcheck(call, tuple(tensors))


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("function,options,n", LOSSES)
def test_the_order_of_the_rows_and_the_lengths_of_the_vectors_do_not_matter(
    function, options, n, hard
):
    parts = draw(5, 4, seed=6, n=n, hard=hard)
    order = torch.randperm(5, generator=torch.Generator().manual_seed(0))
    generator = torch.Generator().manual_seed(1)
    stretch = torch.rand(5, 1, generator=generator, dtype=torch.float64) + 0.5
    expected = float(function(*parts, scale=20.0, **options))
    permuted = each_tensor(parts, lambda tensor: tensor[..., order, :])
    stretched = each_tensor(parts, lambda tensor: tensor * stretch)
    assert float(function(*permuted, scale=20.0, **options)) == pytest.approx(expected, rel=1e-12)
    assert float(function(*stretched, scale=20.0, **options)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("hard,count", [(False, 4), (True, 8)])
def test_equal_embeddings_give_the_logarithm_of_the_number_of_candidates(hard, count):
    same = torch.ones(4, 3, dtype=torch.float64)
    batch = Batch(same, same, same if hard else None)
    assert float(contrastive.loss(batch, scale=20.0)) == pytest.approx(math.log(count), rel=1e-12)


@pytest.mark.parametrize("scale", SCALES)
def test_orthonormal_embeddings_give_the_closed_form(scale):
    basis = torch.eye(6, dtype=torch.float64)
    # logits: scale for itself, 0 for the five others
    batch = Batch(basis[:3], basis[:3], basis[3:])
    assert float(contrastive.loss(batch, scale=scale)) == pytest.approx(
        math.log1p(5 * math.exp(-scale)), rel=1e-12
    )
    frozen = basis[:3].expand(2, 3, 6)
    batch = Batch(basis[:3], basis[:3])
    found = regulators.loss(batch, Regulators(frozen, frozen), scale=scale)
    assert float(found) == pytest.approx(5 * math.log1p(2 * math.exp(-scale)), rel=1e-12)


@pytest.mark.parametrize(
    "options,share",
    [
        ({}, 7 / 8),
        ({"include_positive": True}, 1.0),
        ({"hard_negatives_in_entropy": False}, 3 / 8),
        ({"reduction": "sum"}, 4 * 7 / 8),
    ],
)
def test_entropy_of_a_uniform_row_keeps_the_full_denominator(options, share):
    same = torch.ones(4, 3, dtype=torch.float64)
    found = entropy.loss(Batch(same, same, same), scale=20.0, phi=0.1, **options)
    assert float(found) == pytest.approx(
        math.log(8) * (1 + 0.1 * share), rel=1e-12
    )  # p_ij = 1/8 everywhere


def test_entropy_with_phi_zero_is_equation_1():
    batch = draw_batch(5, 4, seed=7, hard=True)
    assert torch.equal(
        entropy.loss(batch, scale=20.0, phi=0.0), contrastive.loss(batch, scale=20.0)
    )


def test_a_positive_phi_charges_for_uncertainty_and_a_negative_one_rewards_it():
    batch = draw_batch(5, 4, seed=8)
    plain = contrastive.loss(batch, scale=1.0)
    assert (
        entropy.loss(batch, scale=1.0, phi=0.1) > plain > entropy.loss(batch, scale=1.0, phi=-0.1)
    )


def test_summed_entropy_acts_as_many_times_stronger_as_the_batch_has_rows():
    batch = draw_batch(6, 4, seed=9)
    summed, mean = (
        entropy.loss(batch, scale=1.0, phi=phi, reduction=r)
        for phi, r in ((0.1, "sum"), (0.6, "mean"))
    )
    assert float(summed) == pytest.approx(float(mean), rel=1e-12)


def test_regulators_get_no_gradient_and_the_trained_embeddings_do():
    batch, given = draw(3, 4, seed=10, n=2)
    queries = batch.queries.requires_grad_()
    positives = batch.positives.requires_grad_()
    regulators.loss(Batch(queries, positives), given, scale=20.0).backward()
    assert given.queries.grad is None and given.positives.grad is None
    assert queries.grad.abs().sum() > 0 and positives.grad.abs().sum() > 0


@pytest.mark.parametrize("function,options,n", LOSSES)
def test_probabilities_that_vanish_in_float32_leave_loss_and_gradient_finite(function, options, n):
    drawn = draw(4, 3, seed=11, n=n)
    parts = each_tensor(drawn, lambda tensor: tensor.float().requires_grad_())
    value = function(*parts, scale=1000.0, **options)
    value.backward()
    assert math.isfinite(value.item()) and torch.isfinite(parts[0].queries.grad).all()


@pytest.mark.parametrize("word", ["avg", "Mean", "Sum", "", None])
@pytest.mark.parametrize("function,options,n", [LOSSES[2], LOSSES[5]])
def test_an_unknown_reduction_is_refused_and_never_another_formula(function, options, n, word):
    with pytest.raises(InputError, match="reduction: unknown word .*; choose one of mean, sum"):
        function(*draw(3, 4, n=n), **options, reduction=word)


def test_a_reduction_is_the_mean_or_the_sum_of_all_terms():
    terms = torch.tensor([1.0, 2.0, 6.0])
    assert float(reduced(terms, "mean")) == 3.0 and float(reduced(terms, "sum")) == 9.0
