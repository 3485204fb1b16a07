"""The choice of a way to answer, its verdicts and its threshold, and the summary that tells them."""

from dataclasses import replace

import numpy as np
import pytest

from semblance_faq.judge.evaluations import Way
from semblance_faq.judge.evidence import FoldResult
from semblance_faq.judge.judgement import judge, over_seeds
from semblance_faq.judge.summary import Subject, summary_text
from semblance_faq.judge.threshold import Floor

QUESTIONS = 60  # of a fold


def fold(right, confidence=None, without=None):
    """A fold whose questions have one right answer, at rank 1 or at rank 2."""
    right = np.asarray(right, bool)
    if confidence is None:
        confidence = np.where(right, 0.9, 0.3)
    if without is None:
        without = np.full(len(right), 0.3)
    precision = np.where(right, 1.0, 0.5)
    clusters = np.arange(len(right))
    return FoldResult(precision, right, np.asarray(confidence), without, clusters)


def shares(share):
    """A fold in which a share of the questions is answered right."""
    return fold(np.arange(QUESTIONS) < share * QUESTIONS)


WAYS = {"start": [shares(0.25)] * 2, "bm25": [shares(0.5)] * 2, "tuned": [shares(0.75)] * 2}
WORDS = {"start": "the start model", "bm25": "BM25", "tuned": "tuned", "both": "both"}
SUBJECT = Subject("mine", 7, Way("tuned", (1,)), "pairs", "tuned, as it was made", "minilm", WORDS)


def test_the_best_way_is_kept_and_compared_with_the_plain_ones():
    found = judge(WAYS, ["start", "bm25"], 0.9)
    assert found.chosen == "tuned" and found.questions == 2 * QUESTIONS
    assert found.scores == pytest.approx({"start": 0.625, "bm25": 0.75, "tuned": 0.875})
    assert (found.near, found.agreeing, found.folds) == ((), 2, 2)
    assert found.score == pytest.approx(0.75 + 0.25 / 2)
    assert {name: each.verdict.word for name, each in found.against.items()} == {
        "start": "better",
        "bm25": "better",
    }
    assert found.against["start"].verdict.difference == pytest.approx(0.5 * 0.5)
    assert found.right == pytest.approx(0.75)


def test_the_threshold_is_that_of_the_chosen_way():
    found = judge(WAYS, [], 0.9)
    assert found.certified.score == 0.9 and found.certified.precision == 1.0
    assert found.refusal == 1.0
    threshold = found.threshold()
    assert (threshold.score, threshold.precision) == (0.9, 1.0)


def test_a_question_without_a_wrong_answer_is_left_out_of_the_refused_ones():
    without = np.where(np.arange(QUESTIONS) < 10, np.nan, 0.95)
    right = np.ones(QUESTIONS, bool)
    found = judge({"tuned": [fold(right, without=without)] * 2}, [], 0.9)
    assert found.refusal == 0.0
    assert "is taken away, 0.0% get no answer" in summary_text(found, SUBJECT)
    none = np.full(QUESTIONS, np.nan)
    alone = judge({"tuned": [fold(right, without=none)] * 2}, [], 0.9)
    assert alone.refusal is None and "is taken away" not in summary_text(alone, SUBJECT)


def test_without_enough_right_answers_there_is_no_threshold():
    found = judge({"start": WAYS["start"]}, ["start"], 0.99)
    assert found.certified is None and found.threshold() is None and found.refusal is None
    assert "No threshold" in summary_text(found, SUBJECT)


def test_a_question_counts_once_however_many_seeds_there_are():
    """More seeds are no more questions: they must not narrow an interval."""
    second = [shares(0.25)] * 2
    means = over_seeds([*WAYS["tuned"], *second], 2)
    assert len(means) == 2
    between = (np.arange(QUESTIONS) >= QUESTIONS / 4) & (np.arange(QUESTIONS) < 0.75 * QUESTIONS)
    assert (means[0].precision[between] == 0.75).all()  # rank 1 and rank 2
    assert means[0].right.mean() == pytest.approx(0.75)  # of the first seed, whose model is kept


def test_the_summary_tells_numbers_of_the_judgement_alone():
    found = judge(WAYS, ["start", "bm25"], 0.9)
    text = summary_text(found, SUBJECT)
    assert text.startswith("# mine: 7 entries\n")
    assert "VERDICT: better than the start model: MAP 87.5 against 62.5, +25.0 points" in text
    assert "VERDICT: better than BM25: MAP 87.5 against 75.0, +12.5 points" in text
    assert "tuned 87.5, BM25 75.0, the start model 62.5" in text
    assert "right for 75.0% of 120 questions; the mean average precision (MAP) is 87.5" in text
    assert "had not been trained on" in text and "users' own wordings" in text
    assert len([line for line in text.splitlines() if line.startswith("- ")]) <= 13


@pytest.mark.parametrize(
    "trained, kept, said",
    [
        (0.75, "tuned", "Training on this file helps: MAP 87.5 with it, 75.0 without, +12.5"),
        (0.5, "bm25", "Training on this file is not shown to help: MAP 75.0 with it, 75.0 without"),
        (0.25, "bm25", "Training on this file makes the answers worse: MAP 62.5 with it, 75.0"),
    ],
)
def test_training_is_compared_with_the_choice_among_the_ways_without_it(trained, kept, said):
    ways = {**WAYS, "tuned": [shares(trained)] * 2}
    found = judge(ways, ["start"], 0.9, untrained=["start", "bm25"])
    text = summary_text(found, SUBJECT)
    assert found.chosen == kept and f"VERDICT: {said}" in text
    assert found.is_better == (kept == "tuned")


def test_ways_within_one_standard_error_of_the_kept_one_are_named():
    found = judge({"start": WAYS["bm25"], "bm25": WAYS["start"], "tuned": WAYS["bm25"]}, [], 0.9)
    assert found.chosen == "start" and found.near == ("tuned",)
    assert "Within one standard error of the kept way: tuned." in summary_text(found, SUBJECT)


def first_lines(found, subject=SUBJECT):
    """What a manager reads: whether to use it, and what to do next."""
    title, use, then, *_ = summary_text(found, subject).split("\n\n")
    assert title.startswith("# ") and len(then.splitlines()) <= 3
    return use, then


def test_with_a_threshold_it_is_used_alone():
    use, then = first_lines(judge(WAYS, ["start", "bm25"], 0.9))
    assert use.startswith("Use it: yes, alone above the threshold. It answers 75% of the questions")
    assert then.startswith("Next: serve it with --log.")


@pytest.mark.parametrize("share, use", [(0.4, "no."), (0.5, "yes, as suggestions")])
def test_what_is_wrong_more_often_than_right_is_not_to_be_used(share, use):
    right = np.arange(QUESTIONS) < share * QUESTIONS
    found = judge({"start": [fold(right, np.full(QUESTIONS, 0.9))] * 2}, [], 0.9)
    said, then = first_lines(found)
    assert said.startswith(f"Use it: {use}") and f"right for {share:.0%} of 120 questions" in said
    assert then.startswith("Next: try another start model")


@pytest.mark.parametrize(
    "protocol, said",
    [("wording", "collect 24 more wordings of users:"), ("pairs", "collect 44 wordings of users,")],
)
def test_how_many_more_questions_would_allow_a_threshold_is_told(protocol, said):
    """44 right answers of 44 show 90 %: .9 ** 44 < .01 < .9 ** 43; 20 show .01 ** (1 / 20) = 79.4 %."""
    found = judge({"tuned": [fold(np.ones(10))] * 2}, [], 0.9)
    use, then = first_lines(found, replace(SUBJECT, protocol=protocol))
    assert use == (
        "Use it: perhaps, as suggestions that a person reads. The first is right for 100% of 20 questions"
        " (95% interval 83% to 100%)."
    )  # .025 ** (1 / 20) = 83.2 %
    assert then.startswith(f"Next: {said}") and "for 100% of the questions" in then
    assert then.endswith("These allow one of 79% for 100% (precision: 0.79).")


def test_few_questions_are_told_with_their_exact_interval_and_why_a_way_is_kept():
    """12 of 18: Clopper and Pearson's interval is 41.0 to 86.7 %."""
    same = [fold(np.arange(9) < 6)] * 2
    found = judge({"start": same, "bm25": same}, ["start", "bm25"], 0.9)
    use, _ = first_lines(found, replace(SUBJECT, way=Way("start", (0,))))
    assert use.startswith("Use it: perhaps,")
    assert "67% of 18 questions (95% interval 41% to 87%)" in use
    assert "Kept is the start model, not shown to be better than BM25: it is the simplest" in use
    found = replace(judge({"start": same, "tuned": same}, [], 0.9, ["start"]), chosen="tuned")
    assert "Kept is tuned, not shown to be better than no training: it was" in first_lines(found)[0]


def test_the_summary_says_what_the_floor_refuses():
    found = judge(WAYS, [], 0.9)
    assert "Floor" not in summary_text(found, SUBJECT)
    text = summary_text(replace(found, floor=Floor(0.41, 0.02, 0.5, 0.25)), SUBJECT)
    assert "Floor 0.410" in text and "25% of 35 English questions from other fields, 50% of" in text


def test_where_all_questions_are_answered_alike_no_interval_is_claimed():
    right = [fold(np.ones(QUESTIONS, bool))] * 2
    text = summary_text(judge({"tuned": right, "start": right}, ["start"], 0.9), SUBJECT)
    alike = "the same on all questions, so no interval can be drawn"
    assert f"MAP) is 100.0 ({alike})." in text and f"+0.0 points ({alike})." in text
