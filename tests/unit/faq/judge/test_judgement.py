"""The choice of a way to answer, its verdicts and its threshold, and the summary that tells them."""

import json
from dataclasses import replace

import numpy as np
import pytest

from semblance.ranking.candidates import Ranking
from semblance_faq.answer.folder import Threshold
from semblance_faq.judge.evaluations import Way
from semblance_faq.judge.evidence import FoldResult
from semblance_faq.judge.judgement import judge, over_seeds
from semblance_faq.judge.summary import Subject, summary_text

QUESTIONS = 60  # of a fold


def fold(dev, right, confidence=None, without=None):
    """A fold whose questions have one right answer, at rank 1 or at rank 2."""
    right = np.asarray(right, bool)
    if confidence is None:
        confidence = np.where(right, 0.9, 0.3)
    if without is None:
        without = np.full(len(right), 0.3)
    precision = np.where(right, 1.0, 0.5)
    clusters = np.arange(len(right))
    return FoldResult(dev, precision, right, np.asarray(confidence), without, clusters)


def shares(dev, share):
    """A fold in which a share of the questions is answered right."""
    return fold(dev, np.arange(QUESTIONS) < share * QUESTIONS)


WAYS = {
    "start": [shares(0.4, 0.25)] * 2,
    "bm25": [shares(0.6, 0.5)] * 2,
    "tuned": [shares(0.8, 0.75)] * 2,
}
SUBJECT = Subject("mine", 7, Way("tuned", (1,)), "pairs", "tuned, as it was made")


def test_the_best_way_on_dev_is_chosen_and_compared_with_the_plain_ones():
    found = judge(WAYS, 2, ["start", "bm25"], 0.9)
    assert found.chosen == "tuned" and found.questions == 2 * QUESTIONS
    assert found.dev == pytest.approx({"start": 0.4, "bm25": 0.6, "tuned": 0.8})
    assert found.score == pytest.approx(0.75 + 0.25 / 2)
    assert {name: each.verdict.word for name, each in found.against.items()} == {
        "start": "better",
        "bm25": "better",
    }
    assert found.against["start"].verdict.difference == pytest.approx(0.5 * 0.5)
    assert found.right == pytest.approx(0.75)


def test_the_threshold_is_that_of_the_chosen_way():
    found = judge(WAYS, 2, [], 0.9)
    assert found.certified.score == 0.9 and found.certified.precision == 1.0
    assert found.refusal.share == 1.0 and found.refusal.questions == 2 * QUESTIONS
    threshold = found.threshold()
    assert (threshold.score, threshold.precision) == (0.9, 1.0)
    assert threshold.facts["stated"] == 0.9
    read = json.loads(json.dumps(threshold.as_json()))
    assert read == threshold.as_json()  # a JSON file says the same
    assert Threshold.from_json(read) == threshold


def test_a_question_without_a_wrong_answer_is_left_out_of_the_refused_ones():
    without = np.where(np.arange(QUESTIONS) < 10, np.nan, 0.95)
    right = np.ones(QUESTIONS, bool)
    found = judge({"tuned": [fold(0.8, right, without=without)] * 2}, 2, [], 0.9)
    assert (found.refusal.share, found.refusal.questions, found.refusal.left_out) == (0.0, 100, 20)
    assert "20 have no wrong answer and are left out" in summary_text(found, SUBJECT)
    none = np.full(QUESTIONS, np.nan)
    alone = judge({"tuned": [fold(0.8, right, without=none)] * 2}, 2, [], 0.9)
    assert alone.refusal is None and "could not be measured" in summary_text(alone, SUBJECT)


def test_without_enough_right_answers_there_is_no_threshold():
    found = judge({"start": WAYS["start"]}, 2, ["start"], 0.99)
    assert found.certified is None and found.threshold() is None and found.refusal is None
    assert "No threshold" in summary_text(found, SUBJECT)


def test_a_question_counts_once_however_many_seeds_there_are():
    """More seeds are no more questions: they must not narrow an interval."""
    second = [shares(0.8, 0.25)] * 2
    found = judge(
        {"start": WAYS["start"] * 2, "tuned": [*WAYS["tuned"], *second]}, 2, ["start"], 0.9
    )
    assert found.questions == 2 * QUESTIONS == found.certified.questions
    means = over_seeds([*WAYS["tuned"], *second], 2)
    assert len(means) == 2
    between = (np.arange(QUESTIONS) >= QUESTIONS / 4) & (np.arange(QUESTIONS) < 0.75 * QUESTIONS)
    assert (means[0].precision[between] == 0.75).all()  # rank 1 and rank 2
    assert found.right == pytest.approx(0.75)  # of the first seed, whose model is kept


def test_the_summary_tells_numbers_of_the_judgement_alone():
    found = judge(WAYS, 2, ["start", "bm25"], 0.9)
    text = summary_text(found, SUBJECT)
    assert text.startswith("# mine: 7 entries\n")
    assert "VERDICT: better than the start model: MAP 87.5 against 62.5, +25.0 points" in text
    assert "VERDICT: better than BM25 (bm25): MAP 87.5 against 75.0, +12.5 points" in text
    assert "tuned 80.0, bm25 60.0, start 40.0" in text
    assert "right for 75.0% of the questions" in text
    assert "had not been trained on" in text and "wordings" in text.splitlines()[-2]
    assert len([line for line in text.splitlines() if line.startswith("- ")]) <= 13


def test_a_way_that_is_compared_with_itself_is_no_better():
    found = judge({"bm25": WAYS["bm25"]}, 2, ["bm25"], 0.9)
    assert "VERDICT: no better than BM25 (bm25): both answer" in summary_text(found, SUBJECT)


def test_training_is_compared_with_the_best_way_without_it():
    """Each fold chooses its own untrained way; its tests, in pairs with ours, are the control."""
    first, second = shares(0.9, 0.5), shares(0.1, 0.25)
    ways = {**WAYS, "start": [first, second], "bm25": [shares(0.2, 1.0), shares(0.3, 0.5)]}
    found = judge(ways, 2, ["bm25"], 0.9, untrained=["start", "bm25"])
    # Fold 0 chooses start, half of whose answers are right; fold 1 bm25, with half as well.
    against = found.against["no training"]
    assert against.score == pytest.approx(0.75) and against.verdict.word == "better"
    text = summary_text(found, SUBJECT)
    assert "better than the best way without training, which dev questions choose, too" in text


def test_a_choice_without_training_is_no_better_than_itself():
    ways = {**WAYS, "tuned": [shares(0.1, 0.25)] * 2}
    found = judge(ways, 2, ["start"], 0.9, untrained=["start", "bm25"])
    assert found.chosen == "bm25" and found.against["start"].verdict.word == "better"
    assert found.against["no training"].verdict.word == "no better"


def test_without_a_trained_way_nothing_is_said_of_training():
    untrained = ["start", "bm25", "tuned"]
    assert "no training" not in judge(WAYS, 2, ["start"], 0.9, untrained).against


def test_the_summary_says_what_was_asked_and_how_answers_are_ranked():
    way = Way("both", (0,), Ranking("hybrid", "better", "start"))
    subject = Subject("mine", 1, way, "wording", "the start model as it is")
    text = summary_text(judge({"both": WAYS["start"]}, 2, [], 0.9), subject)
    assert "# mine: 1 entry" in text
    assert "the answers and the known questions by embeddings and by words" in text
    assert "of entries that they knew" in text and "not in the FAQ yet" in text
    assert "VERDICT: none" in text


def test_the_summary_names_how_many_wordings_were_not_asked():
    subject = replace(SUBJECT, untested=1)
    text = summary_text(judge(WAYS, 2, ["bm25"], 0.9), subject)
    assert "Not asked: 1 wording of users. They are too few" in text
    assert "Not asked" not in summary_text(judge(WAYS, 2, ["bm25"], 0.9), SUBJECT)


def test_the_summary_says_of_how_many_groups_the_intervals_are():
    found = judge(WAYS, 2, ["bm25"], 0.9)
    text = summary_text(found, SUBJECT)
    assert f"fall into {QUESTIONS} groups" in text and "Student" not in text
    few = {name: [replace(f, cluster=f.cluster % 9) for f in way] for name, way in WAYS.items()}
    text = summary_text(judge(few, 2, ["bm25"], 0.9), SUBJECT)
    assert "fall into 9 groups" in text and "Student" in text
