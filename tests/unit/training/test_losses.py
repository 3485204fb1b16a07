"""The losses of RCL, Eqs. 1 to 3, against float64 loops written from the paper."""

import math

import pytest
import torch

from semblance.training.batch import Views
from semblance.training.losses import contrastive, entropy, regulators

SHAPES = [(2, 3), (3, 5), (6, 4)]  # B, d
SCALES = [1.0, 20.0]


def draw(b, d, seed=0, n=0, hard=False, grad=False):
    """Random float64 views of B rows, with N augmented embeddings and hard negatives if asked."""
    generator = torch.Generator().manual_seed(seed)

    def new(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float64, requires_grad=grad)

    return Views(
        new(b, d),
        new(b, d),
        new(b, d) if hard else None,
        *((new(n, b, d), new(n, b, d)) if n else ()),
    )


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


def candidates_of(views):
    return (
        views.positives
        if views.negatives is None
        else torch.cat([views.positives, views.negatives])
    )


def equation_1(queries, candidates, scale):
    p = probabilities(queries, candidates, scale)
    return sum(-math.log(p[i][i]) for i in range(len(queries))) / len(queries)


def entropy_sums(views, scale, include_positive=False, negatives_too=True):
    """For each i, the sum of p_ij log p_ij over the j that Eq. 2 names."""
    b = len(views.queries)
    sums = []
    for i, row in enumerate(probabilities(views.queries, candidates_of(views), scale)):
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
    views = draw(b, d, hard=hard)
    expected = equation_1(views.queries, candidates_of(views), scale)
    assert float(contrastive.loss(views, scale=scale)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("include_positive", [False, True])
@pytest.mark.parametrize("negatives_too", [False, True])
@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("phi", [-0.5, 0.02, 1.0])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("b,d,hard", [(3, 5, False), (2, 3, True), (5, 4, True)])
def test_entropy_is_equation_2(b, d, hard, scale, phi, reduction, negatives_too, include_positive):
    views = draw(b, d, seed=1, hard=hard)
    sums = entropy_sums(views, scale, include_positive, negatives_too)
    term = sum(sums) / (b if reduction == "mean" else 1)
    expected = equation_1(views.queries, candidates_of(views), scale) - phi * term
    found = entropy.loss(
        views,
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
    views = draw(b, d, seed=2, n=n, hard=hard)
    terms = [
        equation_1(x, frozen[k], scale)
        for k in range(n)
        for x, frozen in (
            (views.queries, views.augmented_queries),
            (views.positives, views.augmented_positives),
        )
    ]
    assert len(terms) == 2 * n
    regulator = sum(terms) / (len(terms) if reduction == "mean" else 1)
    expected = equation_1(views.queries, candidates_of(views), scale) + weight * regulator
    found = regulators.loss(views, scale=scale, regulator_weight=weight, reduction=reduction)
    assert float(found) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n", [1, 3])
def test_regulators_are_equation_1_plus_two_terms_for_each_entropy_model(n):
    views = draw(4, 6, seed=3, n=n)
    single = sum(
        contrastive.loss(Views(x, frozen[k]), scale=20.0)
        for k in range(n)
        for x, frozen in (
            (views.queries, views.augmented_queries),
            (views.positives, views.augmented_positives),
        )
    )
    expected = contrastive.loss(views, scale=20.0) + single
    assert float(regulators.loss(views, scale=20.0)) == pytest.approx(float(expected), rel=1e-12)


def test_the_defaults_are_the_printed_equations_at_scale_20():
    views = draw(4, 6, seed=4, n=2, hard=True)
    assert torch.equal(contrastive.loss(views), contrastive.loss(views, scale=20.0))
    assert torch.equal(
        entropy.loss(views, phi=0.3),
        entropy.loss(
            views,
            scale=20.0,
            phi=0.3,
            reduction="mean",
            include_positive=False,
            hard_negatives_in_entropy=True,
        ),
    )
    assert torch.equal(
        regulators.loss(views),
        regulators.loss(views, scale=20.0, regulator_weight=1.0, reduction="sum"),
    )


LOSSES = [
    (contrastive.loss, {}, 0),
    (entropy.loss, {"phi": 0.7}, 0),
    (entropy.loss, {"phi": -0.7, "reduction": "sum"}, 0),
    (entropy.loss, {"phi": 0.7, "include_positive": True, "hard_negatives_in_entropy": False}, 0),
    (regulators.loss, {}, 2),
    (regulators.loss, {"reduction": "mean", "regulator_weight": 0.5}, 2),
]


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("function,options,n", LOSSES)
def test_the_gradients_are_those_of_the_function(function, options, n, hard):
    views = draw(2, 3, seed=5, n=n, hard=hard, grad=True)
    present = [name for name, value in views._asdict().items() if value is not None]
    call = lambda *tensors: function(
        Views(**dict(zip(present, tensors, strict=True))), scale=3.0, **options
    )
    assert torch.autograd.gradcheck(call, tuple(getattr(views, name) for name in present))


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("function,options,n", LOSSES)
def test_the_order_of_the_rows_and_the_lengths_of_the_vectors_do_not_matter(
    function, options, n, hard
):
    views = draw(5, 4, seed=6, n=n, hard=hard)
    order = torch.randperm(5, generator=torch.Generator().manual_seed(0))
    stretch = (
        torch.rand(5, 1, generator=torch.Generator().manual_seed(1), dtype=torch.float64) + 0.5
    )
    expected = float(function(views, scale=20.0, **options))
    permuted = Views(*(None if v is None else v[..., order, :] for v in views))
    stretched = Views(*(None if v is None else v * stretch for v in views))
    assert float(function(permuted, scale=20.0, **options)) == pytest.approx(expected, rel=1e-12)
    assert float(function(stretched, scale=20.0, **options)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("hard,count", [(False, 4), (True, 8)])
def test_equal_embeddings_give_the_logarithm_of_the_number_of_candidates(hard, count):
    same = torch.ones(4, 3, dtype=torch.float64)
    views = Views(same, same, same if hard else None)
    assert float(contrastive.loss(views, scale=20.0)) == pytest.approx(math.log(count), rel=1e-12)


@pytest.mark.parametrize("scale", SCALES)
def test_orthonormal_embeddings_give_the_closed_form(scale):
    basis = torch.eye(6, dtype=torch.float64)
    views = Views(
        basis[:3], basis[:3], basis[3:]
    )  # logits: scale for itself, 0 for the five others
    assert float(contrastive.loss(views, scale=scale)) == pytest.approx(
        math.log1p(5 * math.exp(-scale)), rel=1e-12
    )
    frozen = basis[:3].expand(2, 3, 6)
    regulated = regulators.loss(Views(basis[:3], basis[:3], None, frozen, frozen), scale=scale)
    assert float(regulated) == pytest.approx(5 * math.log1p(2 * math.exp(-scale)), rel=1e-12)


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
    found = entropy.loss(Views(same, same, same), scale=20.0, phi=0.1, **options)
    assert float(found) == pytest.approx(
        math.log(8) * (1 + 0.1 * share), rel=1e-12
    )  # p_ij = 1/8 everywhere


def test_entropy_with_phi_zero_is_equation_1():
    views = draw(5, 4, seed=7, hard=True)
    assert torch.equal(
        entropy.loss(views, scale=20.0, phi=0.0), contrastive.loss(views, scale=20.0)
    )


def test_a_positive_phi_charges_for_uncertainty_and_a_negative_one_rewards_it():
    views = draw(5, 4, seed=8)
    plain = contrastive.loss(views, scale=1.0)
    assert (
        entropy.loss(views, scale=1.0, phi=0.1) > plain > entropy.loss(views, scale=1.0, phi=-0.1)
    )


def test_summed_entropy_acts_as_many_times_stronger_as_the_batch_has_rows():
    views = draw(6, 4, seed=9)
    summed, mean = (
        entropy.loss(views, scale=1.0, phi=phi, reduction=r)
        for phi, r in ((0.1, "sum"), (0.6, "mean"))
    )
    assert float(summed) == pytest.approx(float(mean), rel=1e-12)


def test_frozen_embeddings_get_no_gradient_and_the_trained_ones_do():
    views = draw(3, 4, seed=10, n=2)
    trained = views._replace(
        queries=views.queries.requires_grad_(), positives=views.positives.requires_grad_()
    )
    regulators.loss(trained, scale=20.0).backward()
    assert views.augmented_queries.grad is None and views.augmented_positives.grad is None
    assert trained.queries.grad.abs().sum() > 0 and trained.positives.grad.abs().sum() > 0


@pytest.mark.parametrize("function,options,n", LOSSES)
def test_probabilities_that_vanish_in_float32_leave_loss_and_gradient_finite(function, options, n):
    views = Views(
        *(
            None if v is None else v.detach().float().requires_grad_()
            for v in draw(4, 3, seed=11, n=n)
        )
    )
    value = function(views, scale=1000.0, **options)
    value.backward()
    assert math.isfinite(value.item()) and torch.isfinite(views.queries.grad).all()
