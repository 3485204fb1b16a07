"""The losses against float64 loops that are written from the papers' equations."""

import math

import pytest
import torch

from semblance.errors import InputError
from semblance.training.batch import Regulators, batch_of
from semblance.training.losses import (
    contrastive,
    distilled,
    entropy,
    guided,
    hardness,
    improved,
    off_dropout,
    ranking,
    regulators,
    symmetric,
)


def near(value):
    return pytest.approx(float(value), rel=1e-12)


def draw(b, d, seed=0, n=0, hard=0):
    """Return what a loss reads, random in float64.

    It is a batch of B rows with so many hard negatives each, and N regulators if asked.
    """
    generator = torch.Generator().manual_seed(seed)
    kind = {"generator": generator, "dtype": torch.float64}
    batch = batch_of([torch.randn(b, d, **kind) for _ in range(2 + hard)])
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


def dot(x, y):
    return sum(a * b for a, b in zip(x, y, strict=True))


def cosine(x, y):
    return dot(x, y) / math.sqrt(dot(x, x) * dot(y, y))


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


def equation_8(batch, scale, alpha, similarity):
    """SimCSE Eq. 8, with one sum in the denominator for each kind of hard negatives.

    Alpha multiplies the terms of a row's own hard negatives; with alpha = 1 it is RCL's Eq. 1.
    """
    b = len(batch.queries)
    total = 0.0
    for i, q in enumerate(batch.queries.tolist()):
        below = 0.0
        for j, c in enumerate(candidates_of(batch).tolist()):
            own = j >= b and j % b == i
            below += (alpha if own else 1.0) * math.exp(scale * similarity(q, c))
        above = math.exp(scale * similarity(q, batch.positives[i].tolist()))
        total -= math.log(above / below)
    return total / b


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


@pytest.mark.parametrize(
    "b,d,scale,hard,alpha,similarity",
    [
        (2, 3, 1.0, 0, 1.0, cosine),
        (6, 4, 20.0, 0, 1.0, cosine),
        (3, 5, 20.0, 1, 1.0, cosine),
        (3, 5, 20.0, 1, 0.5, cosine),
        (6, 4, 5.0, 2, 1.0, cosine),
        (6, 4, 5.0, 2, 2.0, cosine),
        (3, 5, 2.0, 0, 1.0, dot),
        (6, 4, 0.5, 2, 0.5, dot),
    ],
)
def test_contrastive_is_equation_1_and_with_weighed_hard_negatives_equation_8_of_simcse(
    b, d, scale, hard, alpha, similarity
):
    batch = draw_batch(b, d, hard=hard)
    options = {"hard_negative_weight": alpha, "similarity": similarity.__name__}
    found = contrastive.loss(batch, scale=scale, **options)
    assert float(found) == near(equation_8(batch, scale, alpha, similarity))


@pytest.mark.parametrize(
    "hard,scale,phi,reduction,negatives_too,include_positive",
    [
        (0, 1.0, 0.02, "mean", True, False),
        (1, 20.0, 1.0, "mean", True, False),
        (1, 1.0, -0.5, "sum", True, False),
        (2, 1.0, 0.5, "mean", False, False),
        (1, 1.0, 0.5, "sum", False, True),
        (0, 20.0, -0.5, "sum", True, True),
        (1, 1.0, 0.5, "mean", True, True),
        (0, 1.0, 0.0, "mean", True, False),
    ],
)
def test_entropy_is_equation_2(hard, scale, phi, reduction, negatives_too, include_positive):
    b = 4
    batch = draw_batch(b, 5, seed=1, hard=hard)
    sums = entropy_sums(batch, scale, include_positive, negatives_too)
    term = sum(sums) / (b if reduction == "mean" else 1)
    expected = equation_1(batch.queries, candidates_of(batch), scale) - phi * term
    options = {"include_positive": include_positive, "hard_negatives_in_entropy": negatives_too}
    found = entropy.loss(batch, scale=scale, phi=phi, reduction=reduction, **options)
    assert float(found) == near(expected)


@pytest.mark.parametrize(
    "b,d,n,scale,hard,weight,reduction",
    [
        (2, 3, 1, 1.0, 0, 1.0, "sum"),
        (3, 5, 2, 20.0, 0, 1.0, "sum"),
        (5, 4, 4, 20.0, 1, 0.25, "sum"),
        (5, 4, 4, 1.0, 0, 1.0, "mean"),
        (3, 5, 2, 1.0, 2, 3.0, "mean"),
    ],
)
def test_regulators_are_equation_3(b, d, n, scale, hard, weight, reduction):
    batch, given = draw(b, d, seed=2, n=n, hard=hard)
    terms = [equation_1(x, frozen, scale) for x, frozen in by_regulator(batch, given)]
    assert len(terms) == 2 * n
    regulator = sum(terms) / (len(terms) if reduction == "mean" else 1)
    expected = equation_1(batch.queries, candidates_of(batch), scale) + weight * regulator
    options = {"regulator_weight": weight, "reduction": reduction}
    found = regulators.loss(batch, given, scale=scale, **options)
    assert float(found) == near(expected)


@pytest.mark.parametrize(
    "scale, over_batch, candidates",
    [(None, "sum", "batch"), (1.0, "mean", "batch"), (5.0, "sum", "all"), (None, "mean", "all")],
)
def test_each_reading_of_equation_3_is_its_sum_over_models_sides_rows_and_candidates(
    scale, over_batch, candidates
):
    batch, stored = draw(3, 4, seed=6, n=2)
    own = [0, 1, 2]
    if candidates == "all":  # the batch is rows 4, 0 and 2 of a corpus of 5
        _, stored = draw(5, 4, seed=7, n=2)
        own = [4, 0, 2]
        stored = stored._replace(own=torch.tensor(own))
    regulator = 0.0
    for x, frozen in by_regulator(batch, stored):
        for i, row in enumerate(own):
            likely = [math.exp((scale or 20.0) * cosine(x[i], each)) for each in frozen]
            regulator -= math.log(likely[row] / sum(likely)) / (3 if over_batch == "mean" else 1)
    expected = equation_1(batch.queries, batch.positives, 20.0) + regulator
    options = {"regulator_candidates": candidates, "regulator_reduction": over_batch}
    found = regulators.loss(batch, stored, regulator_scale=scale, **options)
    assert float(found) == near(expected)


def test_the_defaults_are_the_printed_equations_at_scale_20():
    batch, given = draw(4, 6, seed=4, n=2, hard=True)
    assert torch.equal(contrastive.loss(batch), contrastive.loss(batch, scale=20.0))
    printed = {"reduction": "mean", "include_positive": False, "hard_negatives_in_entropy": True}
    stated = entropy.loss(batch, phi=0.3, scale=20.0, **printed)
    assert torch.equal(entropy.loss(batch, phi=0.3), stated)
    printed = {"regulator_weight": 1.0, "reduction": "sum", "regulator_reduction": "mean"}
    stated = regulators.loss(batch, given, scale=20.0, regulator_scale=20.0, **printed)
    assert torch.equal(regulators.loss(batch, given), stated)


def test_a_batch_of_one_hard_negative_holds_its_views_themselves():
    views = torch.randn(3, 3, 4).unbind()
    assert all(found is view for found, view in zip(batch_of(views), views, strict=True))


@pytest.mark.parametrize("b,d,scale,hard", [(2, 3, 1.0, 0), (6, 4, 20.0, 0), (3, 5, 5.0, 1)])
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
    assert float(found) == near(total / (2 * b))


NEGATIVES = [(2, 3, 1.0, 0), (6, 4, 20.0, 0), (3, 5, 5.0, 2)]


@pytest.mark.parametrize("b,d,scale,hard", NEGATIVES)
def test_hardness_gives_each_negative_the_weight_of_its_exponent(b, d, scale, hard):
    batch = draw_batch(b, d, seed=15, hard=hard)
    total = 0.0
    for i, query in enumerate(batch.queries.tolist()):
        cosines = [cosine(query, candidate) for candidate in candidates_of(batch)]
        weights = [1 if j == i else math.exp(3 * each) for j, each in enumerate(cosines)]
        terms = [w * math.exp(scale * each) for w, each in zip(weights, cosines, strict=True)]
        total -= math.log(terms[i] / sum(terms))
    assert float(hardness.loss(batch, scale=scale, hardness=3.0)) == near(total / b)
    plain = hardness.loss(batch, scale=scale, hardness=0.0)
    assert float(plain) == near(contrastive.loss(batch, scale=scale))


@pytest.mark.parametrize("b,d,scale,hard", NEGATIVES)
def test_the_improved_loss_has_negatives_among_queries_and_documents_both_ways(b, d, scale, hard):
    batch = draw_batch(b, d, seed=16, hard=hard)
    queries, documents = batch.queries.tolist(), candidates_of(batch)
    total = 0.0
    for i in range(b):
        below = [cosine(queries[i], document) for document in documents]
        below += [cosine(queries[i], queries[j]) for j in range(b) if j != i]
        below += [cosine(queries[j], documents[i]) for j in range(b)]
        below += [cosine(documents[i], x) for j, x in enumerate(documents) if j % b != i]
        total -= scale * below[i] - math.log(sum(math.exp(scale * each) for each in below))
    assert float(improved.loss(batch, scale=scale)) == near(total / b)


FOUR_WAYS = ("query_to_doc", "query_to_query", "doc_to_query", "doc_to_doc")


@pytest.mark.parametrize("hard", [0, 2])
@pytest.mark.parametrize(
    "function, settings",
    [
        (hardness.loss, {"hardness_mode": "all_negatives", "hardness_strength": 9.0}),
        (improved.loss, {"directions": FOUR_WAYS}),
    ],
)
def test_losses_of_sentence_transformers_have_equal_values_and_gradients(function, settings, hard):
    losses = pytest.importorskip("sentence_transformers.sentence_transformer.losses")
    theirs = losses.MultipleNegativesRankingLoss(None, scale=20.0, **settings)
    found = []
    for of_views in (
        lambda views: function(batch_of(views), scale=20.0),
        lambda views: theirs.compute_loss_from_embeddings(views, None),
    ):
        generator = torch.Generator().manual_seed(1)
        views = torch.randn(2 + hard, 5, 4, generator=generator, dtype=torch.float64)
        value = of_views(list(views.requires_grad_()))
        value.backward()
        found.append((value.item(), views.grad))
    (ours, our_gradient), (value, gradient) = found
    assert ours == pytest.approx(value, rel=1e-6) and torch.allclose(our_gradient, gradient, 1e-5)


def taught(given, one, i, other, j):
    """The mean over the teachers of the cosine of text i of one view and text j of the other."""
    pairs = zip(getattr(given, one), getattr(given, other), strict=True)
    cosines = [cosine(a[i].tolist(), b[j].tolist()) for a, b in pairs]
    return sum(cosines) / len(cosines)


def distillation(batch, given, compared):
    """The cross entropy, summed over the queries, of the students' shares of the other texts of a view.

    Each share is the softmax of scaled cosines: of the teachers' mean at 3, of the model's at 2.
    """
    total = 0.0
    queries, texts = batch.queries.tolist(), getattr(batch, compared).tolist()
    for i, query in enumerate(queries):
        others = [j for j in range(len(queries)) if j != i]
        of_teacher = {j: math.exp(3 * taught(given, "queries", i, compared, j)) for j in others}
        of_student = {j: math.exp(2 * cosine(query, texts[j])) for j in others}
        for j in others:
            share = of_teacher[j] / sum(of_teacher.values())
            total -= share * math.log(of_student[j] / sum(of_student.values()))
    return total


@pytest.mark.parametrize("b,d,n,hard", [(2, 3, 1, 0), (6, 4, 1, 1), (7, 3, 3, 0)])
def test_the_guided_loss_has_candidates_that_the_guide_finds_farther(b, d, n, hard):
    batch, given = draw(b, d, seed=9, n=n, hard=hard)
    given = Regulators(*(torch.cat([x, x[..., :1]], dim=-1) for x in given[:2]))  # of another width
    total = kept = 0
    for i in range(b):
        own = taught(given, "queries", i, "positives", i)
        below = math.exp(5 * cosine(batch.queries[i].tolist(), batch.positives[i].tolist()))
        above = below
        for one, other in (("queries", "positives"), ("queries", "queries"), ("positives",) * 2):
            for j in range(b):
                if j != i and taught(given, one, i, other, j) <= own:
                    x, y = getattr(batch, one)[i].tolist(), getattr(batch, other)[j].tolist()
                    below += math.exp(5 * cosine(x, y))
                    kept += 1
        for negative in batch.negatives.tolist() if hard else []:
            below += math.exp(5 * cosine(batch.queries[i].tolist(), negative))
        total -= math.log(above / below)
    assert b == 2 or 0 < kept < 3 * b * (b - 1)  # some are left out, and some are not
    assert float(guided.loss(batch, given, scale=5.0)) == near(total / b)


@pytest.mark.parametrize("b,d,n,weights", [(2, 3, 1, (0.0, 1.0)), (5, 4, 2, (0.5, 2.0))])
def test_the_ranking_loss_is_contrast_with_consistency_and_distillation(b, d, n, weights):
    batch, given = draw(b, d, seed=12, n=n)
    given = Regulators(*(torch.cat([x, x], dim=-1) for x in given[:2]))  # of another width
    forth = probabilities(batch.queries, batch.positives, 4.0)
    back = probabilities(batch.positives, batch.queries, 4.0)
    consistency = 0.0
    for p, q in zip(forth, back, strict=True):
        for x, y in zip(p, q, strict=True):
            middle = (x + y) / 2
            consistency += (x * math.log(x / middle) + y * math.log(y / middle)) / 2
    of_teachers = distillation(batch, given, "positives")
    expected = equation_1(batch.queries, batch.positives, 4.0)
    expected += (weights[0] * consistency + weights[1] * of_teachers) / b
    scales = {"scale": 4.0, "student_scale": 2.0, "teacher_scale": 3.0}
    options = {"consistency_weight": weights[0], "ranking_weight": weights[1]}
    assert float(ranking.loss(batch, given, **scales, **options)) == near(expected)


@pytest.mark.parametrize("b,d,n,weight", [(2, 3, 1, 1.0), (5, 4, 3, 0.5)])
def test_the_distilled_loss_is_equation_3_of_distillcse(b, d, n, weight):
    batch, given = draw(b, d, seed=15, n=n)
    given = Regulators(*(torch.cat([x, x], dim=-1) for x in given[:2]))  # of another width
    of_teachers = distillation(batch, given, "queries")
    expected = equation_1(batch.queries, batch.positives, 4.0) + weight * of_teachers / b
    scales = {"scale": 4.0, "student_scale": 2.0, "teacher_scale": 3.0, "interval": 0.0}
    found = distilled.loss(batch, given, **scales, distillation_weight=weight)
    assert float(found) == near(expected)


def groups_of(logits, interval):
    """The members of each group of a row's logits, by Eq. 5 of DistillCSE."""
    total = sum(map(math.exp, logits.values()))
    groups = {}
    for j, own in logits.items():
        reached = sum(math.exp(each) for each in logits.values() if each >= own) / total
        last = math.ceil(1 / interval) - 1
        groups.setdefault(min(math.floor(reached / interval), last), set()).add(j)
    return list(groups.values())


@pytest.mark.parametrize("interval", [0.1, 0.3, 1.0])
def test_teachers_logits_are_shuffled_in_groups_each_order_equally_often(interval):
    b, draws = 8, 3000
    generator = torch.Generator().manual_seed(16)
    own = torch.eye(b, dtype=torch.bool)
    logits = torch.randn(b, b, generator=generator, dtype=torch.float64)
    logits = logits.masked_fill(own, -torch.inf)
    torch.manual_seed(17)
    counts = torch.zeros(b, b, b)  # row, place, the place whose logit came there
    for _ in range(draws):
        came = distilled.shuffled(logits, interval)
        assert torch.equal(came.diagonal(), logits.diagonal())
        counts += came.unsqueeze(2) == logits.unsqueeze(1)
    for i in range(b):
        row = {j: logits[i, j].item() for j in range(b) if j != i}
        groups = groups_of(row, interval)
        assert interval == 1.0 or len(groups) > 1
        for group in groups:
            share = 1 / len(group)
            for j in range(b):
                for k in group - {i}:
                    expected = share if j in group else 0.0
                    allowed = 6 * math.sqrt(expected * (1 - expected) / draws)
                    assert counts[i, j, k] / draws == pytest.approx(expected, abs=allowed)


def test_the_distilled_loss_shuffles_unless_the_interval_is_zero():
    batch, given = draw(8, 4, seed=18, n=2)
    shuffled = {float(distilled.loss(batch, given, interval=0.5)) for _ in range(5)}
    still = {float(distilled.loss(batch, given, interval=0.0)) for _ in range(5)}
    assert len(shuffled) > 1 and len(still) == 1


@pytest.mark.parametrize("positive_weight,dimension_weight", [(1.0, 0.0), (0.9, 0.0), (0.9, 0.1)])
def test_simcse_plus_plus_has_negatives_of_the_third_view(positive_weight, dimension_weight):
    b = 6
    batch = draw_batch(b, 4, seed=19, hard=1)
    queries, positives, full = (view.tolist() for view in batch)
    total = 0.0
    for i in range(b):
        above = math.exp(positive_weight * 4 * cosine(queries[i], positives[i]))
        below = sum(math.exp(4 * cosine(full[i], full[j])) for j in range(b) if j != i)
        total -= math.log(above / (above + below)) / b
    total += dimension_weight * dimension_contrast(batch, 0.5)
    weights = {"positive_weight": positive_weight, "dimension_weight": dimension_weight}
    found = off_dropout.loss(batch, scale=4.0, dimension_scale=0.5, **weights)
    assert float(found) == near(total)


def dimension_contrast(batch, scale):
    """The mean over dimensions of -log softmax of their correlations over the batch."""
    sides = []
    for view in (batch.queries, batch.positives):
        side = []
        for column in view.T.tolist():
            mean = sum(column) / len(column)
            spread = sum((x - mean) ** 2 for x in column) / len(column)
            side.append([(x - mean) / math.sqrt(spread + 1e-5) for x in column])
        sides.append(side)
    total = 0.0
    for c, one in enumerate(sides[0]):
        powers = [math.exp(scale * dot(one, other) / len(one)) for other in sides[1]]
        total -= math.log(powers[c] / sum(powers))
    return total / len(sides[0])


@pytest.mark.parametrize("hard", [0, 2])
def test_the_loss_of_simcse_plus_plus_refuses_rows_of_two_or_four_texts(hard):
    with pytest.raises(InputError, match="views: loss 'off_dropout' needs each sentence a third"):
        off_dropout.loss(draw_batch(3, 4, hard=hard))


def test_regulators_of_another_width_than_the_model_are_refused():
    batch, given = draw(3, 4, n=1)
    wider = Regulators(*(torch.cat([x, x], dim=-1) for x in given[:2]))
    with pytest.raises(InputError, match="regulators: have vectors of 8 numbers, the model of 4"):
        regulators.loss(batch, wider)


LOSSES = [
    (contrastive.loss, {}, 0),
    (symmetric.loss, {}, 0),
    (improved.loss, {}, 0),
    (entropy.loss, {"phi": 0.7}, 0),
    (entropy.loss, {"phi": -0.7, "reduction": "sum"}, 0),
    (entropy.loss, {"phi": 0.7, "include_positive": True, "hard_negatives_in_entropy": False}, 0),
    (regulators.loss, {}, 2),
    (regulators.loss, {"reduction": "mean", "regulator_weight": 0.5}, 2),
    (guided.loss, {}, 2),
    (ranking.loss, {}, 2),
    (distilled.loss, {"interval": 0.0}, 2),
]
THIRD_VIEW = (off_dropout.loss, {}, 0, 1)
WEIGHED = (contrastive.loss, {"hard_negative_weight": 2.0}, 0, 2)


@pytest.mark.parametrize(
    "function,options,n,hard", [*((*loss, 1) for loss in LOSSES), WEIGHED, THIRD_VIEW]
)
def test_the_gradients_are_those_of_the_function(function, options, n, hard):
    parts = each_tensor(draw(2, 3, seed=5, n=n, hard=hard), torch.Tensor.requires_grad_)
    tensors = [tensor for part in parts for tensor in part if tensor is not None]

    def call(*changed):
        left = iter(changed)
        return function(*each_tensor(parts, lambda _: next(left)), scale=3.0, **options)

    assert torch.autograd.gradcheck(call, tuple(tensors))


@pytest.mark.parametrize(
    "function,options,n,hard",
    [*((*loss, 0) for loss in LOSSES), (hardness.loss, {}, 0, 0), THIRD_VIEW],
)
def test_probabilities_that_vanish_leave_loss_and_gradient_finite(function, options, n, hard):
    drawn = draw(4, 3, seed=11, n=n, hard=hard)
    parts = each_tensor(drawn, lambda tensor: tensor.float().requires_grad_())
    value = function(*parts, scale=1000.0, **options)
    value.backward()
    assert math.isfinite(value.item()) and torch.isfinite(parts[0].queries.grad).all()


def test_a_weight_of_hard_negatives_that_are_not_there_is_refused():
    with pytest.raises(InputError, match="hard_negative_weight: the rows have no hard negatives"):
        contrastive.loss(*draw(3, 4, n=0), hard_negative_weight=2.0)
