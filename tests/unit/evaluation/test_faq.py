"""Retrieval: every answer is ranked for each query; scores recomputed by pandas and by hand."""

import numpy as np
import pandas as pd
import pytest

from semblance.evaluation.faq import best_ranks, by_vectors, by_words, ranked, score_rows
from semblance.evaluation.prepared import BankQuestion, Vectors
from semblance.ranking.candidates import Candidates
from semblance.ranking.words import Words

ANSWERS = ("north", "east", "north again", "south-west")
DIRECTIONS = {
    "north": (0, 1),
    "east": (1, 0),
    "north again": (0, 1),
    "south-west": (-1, -1),
    "up": (0.1, 2),
    "right": (3, 0.2),
}


def question(text, *relevant, protocol="pairs", name="a"):
    return BankQuestion(protocol, name, text, text, 0, relevant)


def rank(*questions, texts_of_answers=tuple((a,) for a in ANSWERS)):
    """The predictions for ``questions`` with the vectors above, no encoder involved."""
    matrix = np.array(list(DIRECTIONS.values()), np.float32)
    vectors = Vectors(matrix, {text: i for i, text in enumerate(DIRECTIONS)})
    candidates = Candidates.of(texts_of_answers)
    asked = vectors.of([question.text for question in questions])
    return ranked([by_vectors(candidates, vectors.of(candidates.texts), asked)], questions)


def test_all_answers_of_the_bank_are_candidates_and_ties_go_to_the_smaller_number():
    found = rank(
        question("up", 0),
        question("up", 2, name="b"),
        question("right", 3, name="c"),
        question("right", 3, 1, protocol="annotated", name="d"),
    )
    assert found["ranks"] == [[1], [2], [4], [1, 4]]
    assert found["protocol"] == ["pairs"] * 3 + ["annotated"] and found["query"] == list("abcd")
    assert found["acc@1"] == [1.0, 0.0, 0.0, 1.0]
    assert found["acc@3"] == [1.0, 1.0, 0.0, 1.0]
    assert found["acc@5"] == [1.0] * 4
    assert found["ap"] == pytest.approx([1, 1 / 2, 1 / 4, (1 / 1 + 2 / 4) / 2])


def test_the_best_answers_are_kept_with_their_cosines():
    found = rank(question("up", 3))
    assert found["top"] == [[0, 2, 1, 3]]
    up, size = np.array([0.1, 2]), np.hypot(0.1, 2)
    expected = [up[1] / size, up[1] / size, up[0] / size, -(up.sum()) / size / np.sqrt(2)]
    assert found["top_scores"] == [pytest.approx(expected)]


def test_no_more_than_a_hundred_answers_are_kept():
    found = ranked([[np.arange(250.0)]], [question("x", 0)])
    assert found["ranks"] == [[250]]
    assert found["top"] == [list(range(249, 149, -1))]


def test_an_answer_is_ranked_by_the_best_of_its_texts():
    both = [("south-west", "north"), ("east",)]
    assert rank(question("up", 0), texts_of_answers=both)["ranks"] == [[1]]
    assert rank(question("up", 0), texts_of_answers=[both[0][:1], both[1]])["ranks"] == [[2]]


def test_words_rank_what_shares_them_with_the_question():
    candidates = Candidates.of([["a loan of books"], ["opening hours"], ["renew a loan"]])
    asked = [question("renew my loan", 2)]
    found = ranked([by_words(candidates, Words(candidates.texts), [asked[0].text])], asked)
    assert found["top"] == [[2, 0, 1]] and found["top_scores"][0][2] == 0


def test_the_confidence_of_fused_rankings_is_the_score_that_ranks():
    vectors = [np.array([0.85, 0.8, 0.1])]
    words = [np.array([0.0, 5.0, 4.0])]
    found = ranked([vectors, words], [question("x", 1)])
    assert found["top"] == [[1, 0, 2]]  # .8 + .1, .85, .1 + .08
    assert found["confidence"] == pytest.approx([0.9]) and found["without"] == [0.85]


def test_where_every_answer_is_right_none_is_left():
    assert np.isnan(ranked([[np.array([0.9, 0.8])]], [question("x", 0, 1)])["without"]).all()


def test_questions_of_one_text_share_the_best_ranking_of_a_perfect_model():
    """Of m answers to one question, one right at a time: acc@1 is 1 / m, MAP (1 + … + 1/m) / m."""
    alike = [question("up", number, name=str(number)) for number in range(4)]
    alone = [question("right", 3), question("up", 0, 3, protocol="annotated")]
    assert best_ranks([*alike, *alone]) == [[1], [2], [3], [4], [1], [1, 2]]
    found = {
        (row["protocol"], row["metric"]): row["value"]
        for row in score_rows(rank(*alike))
        if row["aggregation"] == "ceiling"
    }
    values = {"acc@1": 1 / 4, "acc@3": 3 / 4, "acc@5": 1, "map": (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4}
    assert found == {("pairs", metric): pytest.approx(value) for metric, value in values.items()}


def test_the_best_ranking_of_a_text_starts_with_what_is_right_for_most_of_its_questions():
    assert best_ranks([question("up", 3), question("up", 1), question("up", 1)]) == [[2], [1], [1]]


def test_the_group_of_a_question_stands_beside_its_scores():
    assert rank(question("up", 0), question("right", 1))["group"] == ["up", "right"]


@pytest.fixture
def predictions():
    """Columns of 40 questions of pairs, and of 20 annotated ones."""
    generator = np.random.default_rng(0)
    first = generator.integers(1, 9, 60)
    found = {f"acc@{k}": (first <= k).astype(float) for k in (1, 3, 5)}
    found["ap"] = np.concatenate([1 / first[:40], generator.uniform(0, 1, 20)])
    columns = {name: column.tolist() for name, column in found.items()}
    return columns | {"protocol": ["pairs"] * 40 + ["annotated"] * 20, "best": [[1]] * 60}


def test_scores_are_means_within_each_protocol_that_a_query_follows(predictions):
    rows = [row for row in score_rows(predictions) if row["aggregation"] == "test"]
    found = {(row["protocol"], row["metric"]): (row["value"], row["n"]) for row in rows}
    groups = pd.DataFrame(predictions).rename(columns={"ap": "map"}).groupby("protocol")
    expected = {
        (protocol, metric): (pytest.approx(group[metric].mean()), len(group))
        for protocol, group in groups
        for metric in ("acc@1", "acc@3", "acc@5", "map")
    }
    assert found == expected and len(found) == 8


@pytest.mark.parametrize("seed", range(20))
def test_answers_with_one_text_have_one_score_and_the_lower_number_comes_first(seed):
    """Of 719 texts a product may compute the last three apart, with other last bits."""
    generator = np.random.default_rng(seed)
    vectors = generator.normal(size=(719, 64)).astype(np.float32)
    vectors[718] = vectors[5]
    texts = [[f"answer {number}"] for number in range(718)] + [["answer 5"]]
    query = vectors[5:6] + generator.normal(size=(1, 64)).astype(np.float32) / 10
    [scores] = by_vectors(Candidates.of(texts), vectors, query)
    assert scores[5] == scores[718]
    columns = ranked([iter([scores])], [question("which?", 5)])
    assert columns["ranks"] == [[1]] and columns["top"][0][:2] == [5, 718]
