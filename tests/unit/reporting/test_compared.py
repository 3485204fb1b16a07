"""Sets of scores that were made elsewhere: how they are read, paired, compared and ranked."""

import json

import numpy as np
import pytest
from scipy import stats

from semblance.errors import InputError
from semblance.reporting.compared import AVERAGE, compare
from semblance.reporting.score_files import ScoreSet, read_sets


def read_set(path, **asked):
    """The one set of a file or folder."""
    [one] = read_sets(path, **asked)
    return one


def score_set(name, values, task="t", gold=None, clusters=None):
    """A set of one task from an array (seeds, items), or from one of (items,)."""
    scores = {
        (str(seed), task, f"{i:05}"): float(score)
        for seed, items in enumerate(np.atleast_2d(values))
        for i, score in enumerate(items)
    }
    of_set = ScoreSet(name, name, scores)
    if gold is not None:
        of_set.gold = {(task, f"{i:05}"): float(score) for i, score in enumerate(gold)}
    if clusters is not None:
        of_set.cluster = {(task, f"{i:05}"): str(each) for i, each in enumerate(clusters)}
    return of_set


def equal_items(name, seeds):
    """A set whose seeds have one score each, on all items."""
    return score_set(name, np.repeat(np.array(seeds)[:, None], 40, axis=1))


ITEMS_OF_TWO = 50 + np.random.default_rng(0).normal(size=(2, 300))
PAIRED, OURS, THEIRS = [40.3, 40.5, 40.1, 40.4], [11.0, 11.4, 11.1], [10.2, 10.6]
LAWS = {
    "of one seed each the items decide, as in a paired t-test": (
        [score_set("a", ITEMS_OF_TWO[0] + 0.2), score_set("b", ITEMS_OF_TWO[1])],
        stats.ttest_rel(ITEMS_OF_TWO[0] + 0.2, ITEMS_OF_TWO[1]),
        0.01,  # of so many draws
    ),
    "of several seeds with equal items the seeds decide": (
        [equal_items("a", PAIRED), equal_items("b", [40.0] * 4)],
        stats.ttest_rel(PAIRED, [40.0] * 4),
        1e-6,
    ),
    "of other seeds on each side it is Welch's test": (
        [equal_items("a", OURS), equal_items("b", THEIRS)],
        stats.ttest_ind(OURS, THEIRS, equal_var=False),
        1e-6,
    ),
}


@pytest.mark.parametrize("law", LAWS)
def test_where_a_t_test_is_right_the_interval_is_that_of_the_t_test(law):
    sets, expected, error = LAWS[law]
    (one,) = compare(sets, 0.01, draws=20_000)
    assert (one.low, one.high) == pytest.approx(tuple(expected.confidence_interval()), abs=error)
    assert one.value == pytest.approx(one.a_mean - one.b_mean)


@pytest.mark.parametrize("seeds, error_of_seeds", [(1, 0.0), (3, 0.05), (5, 0.2)])
def test_without_a_difference_one_in_twenty_is_called_one(seeds, error_of_seeds):
    rng = np.random.default_rng(7)
    trials = 400
    wrong = 0
    for _ in range(trials):
        items = rng.normal(size=200)
        sets = [
            score_set(name, 9 + items + rng.normal(scale=error_of_seeds, size=(seeds, 1)) + own)
            for name, own in (("a", rng.normal(size=200)), ("b", rng.normal(size=200)))
        ]
        (one,) = compare(sets, 0.1, draws=200)
        wrong += one.low > 0 or one.high < 0
    # Above this share lie fewer than 1 in 1,000 experiments of an error rate of 5 %.
    assert wrong / trials <= stats.binom.ppf(0.999, trials, 0.05) / trials


def test_items_of_one_cluster_count_as_one():
    rng = np.random.default_rng(1)
    a, b = 5 + rng.normal(size=(2, 100))
    (single,) = compare([score_set("a", a), score_set("b", b)], 0.1)
    four = [np.repeat(values, 4) for values in (a, b, np.arange(100))]
    sets = [score_set("a", four[0], clusters=four[2]), score_set("b", four[1])]
    (clustered,) = compare(sets, 0.1)
    assert clustered.items == 100
    assert (clustered.low, clustered.high) == pytest.approx((single.low, single.high), abs=0.04)


@pytest.mark.parametrize("has_gold", [(True, True), (False, True)])
def test_with_gold_of_one_set_each_score_is_spearmans_correlation_in_points(has_gold):
    gold, *noise = np.random.default_rng(2).normal(size=(3, 200))
    values = [gold + noise[0], noise[1] - gold]
    sets = [
        score_set(name, scores, gold=gold if has else None)
        for name, scores, has in zip("ab", values, has_gold, strict=True)
    ]
    (one,) = compare(sets, 0.5)
    expected = [100 * stats.spearmanr(gold, scores).statistic for scores in values]
    assert [one.a_mean, one.b_mean] == pytest.approx(expected) and one.points


@pytest.mark.parametrize("name", ["gold", "cluster"])
def test_a_gold_score_or_a_cluster_of_some_items_alone_is_refused(tmp_path, name):
    rows = [{"item": "1", "score": 2, name: 1}, {"item": "2", "score": 3}]
    (tmp_path / "a.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    one = read_set(str(tmp_path / "a.jsonl"))
    with pytest.raises(InputError, match=f"item '2': {name} is missing"):
        compare([one, one], 0.5)


def test_the_intervals_of_tasks_hold_together_and_tasks_have_equal_weight_in_the_average():
    """Of two tasks each interval has a level of 97.5 %, as the t law of one task has it."""
    rng = np.random.default_rng(3)
    a, b = 9 + rng.normal(size=(2, 50))
    whole, other = score_set("a", a, "first"), score_set("b", b, "first")
    a2, b2 = 5 + rng.normal(size=(2, 500))
    whole.scores |= score_set("a", a2, "second").scores
    other.scores |= score_set("b", b2, "second").scores
    first, second, average = differences = compare([whole, other], 0.01, draws=20_000)
    assert [one.column for one in differences] == ["first", "second", AVERAGE]
    assert average.value == pytest.approx((first.value + second.value) / 2)
    expected = stats.ttest_rel(a, b).confidence_interval(0.975)
    assert (first.low, first.high) == pytest.approx(tuple(expected), abs=0.02)


@pytest.mark.parametrize(
    "shift, margin, verdict",
    [(1, 0.1, "better"), (-1, 0.1, "worse"), (0, 1, "no difference"), (0, 1e-6, "undecided")],
)
def test_the_interval_and_the_margin_decide(shift, margin, verdict):
    rng = np.random.default_rng(4)
    a, b = 5 + rng.normal(size=(2, 200))
    sets = [score_set("a", a - a.mean() + shift), score_set("b", b - b.mean())]
    assert [one.verdict for one in compare(sets, margin)] == [verdict]


@pytest.mark.parametrize(
    "items, more",
    [(20, 0.0), (20, 1.0), (20, 0.1), (4, [1, 2, 3, 4]), (1, 1)],
    ids=["equal scores", "one difference", "one but for rounding", "four items", "one item"],
)
def test_few_items_and_items_that_all_differ_alike_have_no_verdict(items, more):
    b = 2 + np.arange(float(items))
    (one,) = compare([score_set("a", b + more), score_set("b", b)], 0.1)
    assert one.value == pytest.approx(np.mean(more))
    assert (one.low, one.high, one.verdict, one.detectable) == (None, None, "no verdict", None)


def test_a_task_of_few_items_leaves_the_average_without_a_verdict():
    rng = np.random.default_rng(6)
    sets = [score_set(name, rng.normal(9, size=50)) for name in "ab"]
    for one in sets:
        one.scores |= score_set("", rng.normal(9, size=3), task="u").scores
    assert [one.verdict for one in compare(sets, 9)] == [
        "no difference",
        "no verdict",
        "no verdict",
    ]


def test_two_measures_of_the_same_questions_say_no_more_than_one():
    """Drawn apart, two equal tasks would have an average whose error is smaller by a root of 2."""
    a, b = 9 + np.random.default_rng(8).normal(size=(2, 60))
    sets = [score_set(name, items, "map") for name, items in (("a", a), ("b", b))]
    (one,) = compare(sets, 0.1)
    for each in sets:
        each.scores |= {(s, "ndcg", i): score for (s, _, i), score in each.scores.items()}
    average = compare(sets, 0.1)[-1]
    assert average.items == 60
    assert (average.low, average.high) == pytest.approx((one.low, one.high))


def test_of_several_sets_the_first_is_compared_with_each_other_one():
    """Their intervals hold together: with two others each has a level of 97.5 %."""
    items = 9 + np.random.default_rng(5).normal(size=(3, 300))
    sets = [score_set(name, values) for name, values in zip("abc", items, strict=True)]
    differences = compare(sets, 0.1, draws=20_000)
    assert [(one.a, one.b) for one in differences] == [("a", "b"), ("a", "c")]
    for one, theirs in zip(differences, items[1:], strict=True):
        expected = stats.ttest_rel(items[0], theirs).confidence_interval(0.975)
        assert (one.low, one.high) == pytest.approx(tuple(expected), abs=0.01)


def test_folders_of_mteb_and_of_the_harness_are_read(tmp_path):
    of_languages = [{"main_score": 0.7, "hf_subset": "en"}, {"main_score": 0.2, "hf_subset": "de"}]
    splits = {"test": of_languages, "validation": [{"main_score": 0.3, "hf_subset": "default"}]}
    result = {"task_name": "STS12", "dataset_revision": "abc", "scores": splits}
    (tmp_path / "STS12.json").write_text(json.dumps(result))
    read = read_set(str(tmp_path))
    assert read.scores == {("1", "", "STS12"): pytest.approx((0.7 + 0.2 + 0.3) / 3)}
    assert read.revisions == {"STS12": "abc (test de, test en, validation)"}
    sample = '{"doc_id": 0, "doc": {"question": "x"}, "filter": "%s", "acc": %d}\n'
    file = tmp_path / "samples_arc_easy_2026-01-02T03-04-05.6.jsonl"
    file.write_text(sample % ("none", 1) + sample % ("strict", 0))
    for path in (tmp_path, file):  # a folder, and a file of it
        read = read_set(str(path), score="acc")
        assert read.scores == {("1", "arc_easy", "0"): 1.0, ("1", "arc_easy strict", "0"): 0.0}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_a_csv_of_any_hand_is_read(tmp_path, encoding):
    (tmp_path / "a.csv").write_text("item;score\nä;0.5\n\n", encoding=encoding)
    assert read_set(str(tmp_path / "a.csv")).scores == {("1", "", "ä"): 0.5}


@pytest.mark.parametrize(
    "name, text, problem",
    [
        ("a.csv", "item,score\n1,x\n", r"a\.csv:2: score 'x' is no finite number"),
        ("a.csv", "item,score\n1,1_0\n", r"a\.csv:2: score '1_0' is no finite number"),
        ("a.csv", "item,score\n1,nan\n", r"a\.csv:2: score 'nan' is no finite number"),
        ("a.csv", "item,score\n1,2\n1,3\n", r"a\.csv:3: item '1' .* stands twice"),
        (
            "a.csv",
            "item,acc\n1,2\n",
            r"a\.csv:2: no column 'score'; --score names .* 'item', 'acc'",
        ),
        (
            "a.csv",
            "name,score\n1,2\n",
            r"a\.csv:2: no column 'item'; --item names one of 'name', 'score'$",
        ),
        ("a.csv", "item,Item,score\n1,2,3\n", r"a\.csv:1: two columns are called 'item'"),
        ("a.csv", "item,score\n,2\n", r"a\.csv:2: item is missing"),
        ("a.csv", "item,score\n", r"a\.csv: it holds no scores"),
        ("a.jsonl", '{"item": 1, "score": NaN}\n', r"a\.jsonl:1: score nan is no finite number"),
        ("a.jsonl", '{"item": 1, "score": null}\n', r"a\.jsonl:1: score None is no finite number"),
    ],
)
def test_a_file_without_scores_is_refused_in_one_line(tmp_path, name, text, problem):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=problem) as caught:
        read_set(str(tmp_path / name))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("places", [(0, 1), (1, 0)])
def test_shares_are_not_compared_with_points(places):
    items = np.linspace(0.2, 0.9, 20)
    sets = [score_set("a", items), score_set("b", 100 * items)]
    with pytest.raises(InputError, match="a: its scores lie between -1 and 1"):
        compare([sets[place] for place in places], 0.5)


ITEMS = np.arange(5.0)


@pytest.mark.parametrize(
    "other, problem",
    [
        (
            score_set("b", ITEMS, task="u"),
            "a: task 'u', item '00000': no score; b has one; 5 of 10 items do not pair,"
            " and item '00000' is here alone",
        ),
        (score_set("b", ITEMS, task=""), "a: item '00000': no score; b has one"),
        (score_set("b", ITEMS[:-1]), "b: task 't', item '00004': no .* a has one; 1 of 5 items"),
        (score_set("b", ITEMS, gold=ITEMS + 1), "another gold than a"),
        (
            ScoreSet("b", "b", score_set("b", [ITEMS] * 2).scores | {("0", "t", "x"): 1.0}),
            "a: task 't', item 'x': no score; b has one; 1 of 6 items do not pair",
        ),
        (
            ScoreSet("b", "b", score_set("b", ITEMS).scores | {("1", "t", "00000"): 1.0}),
            "b: task 't', item '00001': no score of seed '1'",
        ),
    ],
)
def test_sets_that_do_not_pair_are_refused(other, problem):
    with pytest.raises(InputError, match=problem):
        compare([score_set("a", ITEMS, gold=ITEMS), other], 0.5)


def test_scores_that_are_all_equal_are_refused_without_a_warning_of_a_library(recwarn):
    sets = [score_set(name, np.full(10, 0.5), gold=np.arange(10)) for name in "ab"]
    with pytest.raises(InputError, match="all scores, or all gold, are equal"):
        compare(sets, 0.5)
    assert not recwarn.list


def test_ranks_of_nine_items_say_nothing_of_others():
    """Of few items most resamples have the same ranks, so that their spread is far too small."""
    gold = np.arange(9)
    with pytest.raises(InputError, match="fewer than 10 items with gold"):
        compare([score_set(name, gold, gold=gold) for name in "ab"], 0.5)


def test_a_task_called_as_the_mean_of_the_tasks_is_refused():
    sets = [score_set(name, ITEMS, task="average") for name in "ab"]
    with pytest.raises(InputError, match="a task is called 'average'"):
        compare(sets, 0.5)
