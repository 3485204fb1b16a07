"""Retrieval: every answer is ranked for each query; scores recomputed by pandas and by hand."""

import numpy as np
import pandas as pd
import pytest

from semblance.evaluation.faq import by_vectors, by_words, ranked, score_rows
from semblance.evaluation.prepared import Question
from semblance.evaluation.texts import Vectors
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


def rank(questions, texts_of_answers=tuple((a,) for a in ANSWERS)):
    """The predictions for ``questions`` with the vectors above, no encoder involved."""
    vectors = Vectors(
        np.array(list(DIRECTIONS.values()), np.float32), {t: i for i, t in enumerate(DIRECTIONS)}
    )
    candidates = Candidates.of(texts_of_answers)
    asked = vectors.of([question.text for question in questions])
    return ranked([by_vectors(candidates, vectors.of(candidates.texts), asked)], questions)


def test_all_answers_of_the_bank_are_candidates_and_ties_go_to_the_smaller_number():
    found = rank(
        [
            Question("pairs", "a", "up", 0, (0,)),
            Question("pairs", "b", "up", 0, (2,)),
            Question("pairs", "c", "right", 0, (3,)),
            Question("annotated", "d", "right", 0, (3, 1)),
        ]
    )
    assert found["ranks"] == [[1], [2], [4], [1, 4]]
    assert found["protocol"] == ["pairs"] * 3 + ["annotated"] and found["query"] == list("abcd")
    assert found["acc@1"] == [1.0, 0.0, 0.0, 1.0]
    assert found["acc@3"] == [1.0, 1.0, 0.0, 1.0]
    assert found["acc@5"] == [1.0] * 4
    assert found["ap"] == pytest.approx([1, 1 / 2, 1 / 4, (1 / 1 + 2 / 4) / 2])


def test_ranking_is_by_cosine_not_by_dot_product():
    matrix = np.array([[100, 100], [1, 0.1]], np.float32)
    candidates = Candidates.of([["long"], ["near"]])
    scores = by_vectors(candidates, matrix, np.array([[1, 0]], np.float32))
    asked = [Question("pairs", "q", "q", 0, (1,))]
    assert ranked([scores], asked)["ranks"] == [[1]]


def test_the_best_answers_are_kept_with_their_scores():
    found = rank([Question("pairs", "a", "up", 0, (3,))])
    assert found["top"] == [[0, 2, 1, 3]]
    up, size = np.array([0.1, 2]), np.hypot(0.1, 2)
    expected = [up[1] / size, up[1] / size, up[0] / size, -(up.sum()) / size / np.sqrt(2)]
    assert found["top_scores"] == [pytest.approx(expected)]


def test_no_more_than_a_hundred_answers_are_kept():
    scores = np.arange(250.0)
    found = ranked([[scores]], [Question("pairs", "a", "x", 0, (0,))])
    assert found["ranks"] == [[250]]
    assert found["top"] == [list(range(249, 149, -1))]


def test_an_answer_is_ranked_by_the_best_of_its_texts():
    texts = [("south-west", "north"), ("east",)]
    found = rank([Question("wording", "a", "up", 0, (0,))], texts)
    assert found["ranks"] == [[1]]
    alone = rank([Question("wording", "a", "up", 0, (0,))], [("south-west",), ("east",)])
    assert alone["ranks"] == [[2]]


def test_words_rank_what_shares_them_with_the_question():
    candidates = Candidates.of([["a loan of books"], ["opening hours"], ["renew a loan"]])
    asked = [Question("wording", "a", "renew my loan", 0, (2,))]
    scores = by_words(candidates, Words(candidates.texts), [asked[0].text])
    found = ranked([scores], asked)
    assert found["top"] == [[2, 0, 1]] and found["top_scores"][0][2] == 0


def test_the_confidence_of_fused_rankings_is_that_of_the_first_of_them():
    vectors = [np.array([0.9, 0.8, 0.1])]
    words = [np.array([0.0, 5.0, 4.0])]
    found = ranked([vectors, words], [Question("wording", "a", "x", 0, (1,))])
    assert found["top"] == [[1, 0, 2]]  # by the sums of 1/61 + 1/62, 1/61 + 1/63, 1/62 + 1/63
    assert found["confidence"] == [0.8] and found["without"] == [0.9]


def test_where_every_answer_is_right_none_is_left():
    found = ranked([[np.array([0.9, 0.8])]], [Question("annotated", "a", "x", 0, (0, 1))])
    assert np.isnan(found["without"]).all()


@pytest.fixture
def predictions():
    generator = np.random.default_rng(0)
    n, protocol = 60, np.repeat(["pairs", "annotated"], [40, 20]).tolist()
    first = generator.integers(1, 9, n)
    ap = np.where(np.array(protocol) == "pairs", 1 / first, generator.uniform(0, 1, n))
    return {
        "protocol": protocol,
        "query": [str(i) for i in range(n)],
        "ranks": [[int(r)] for r in first],
        **{f"acc@{k}": (first <= k).astype(float).tolist() for k in (1, 3, 5)},
        "ap": ap.tolist(),
    }


def test_scores_are_means_within_each_protocol(predictions):
    found = {(r["protocol"], r["metric"]): (r["value"], r["n"]) for r in score_rows(predictions)}
    groups = pd.DataFrame(predictions).groupby("protocol")
    expected = {
        (protocol, metric): (
            pytest.approx(group["ap" if metric == "map" else metric].mean()),
            len(group),
        )
        for protocol, group in groups
        for metric in ("acc@1", "acc@3", "acc@5", "map")
    }
    assert found == expected and len(found) == 8


def test_with_one_relevant_answer_map_is_the_mean_reciprocal_rank(predictions):
    found = {(r["protocol"], r["metric"]): r["value"] for r in score_rows(predictions)}
    ranks = [
        r[0]
        for r, p in zip(predictions["ranks"], predictions["protocol"], strict=True)
        if p == "pairs"
    ]
    assert found["pairs", "map"] == pytest.approx(sum(1 / r for r in ranks) / len(ranks))
    assert found["pairs", "acc@1"] <= found["pairs", "acc@3"] <= found["pairs", "acc@5"]


def test_a_protocol_that_no_query_follows_has_no_rows(predictions):
    inside = [i for i, p in enumerate(predictions["protocol"]) if p == "pairs"]
    rows = list(
        score_rows({name: [column[i] for i in inside] for name, column in predictions.items()})
    )
    assert {r["protocol"] for r in rows} == {"pairs"} and len(rows) == 4


def test_the_protocol_of_dev_questions_is_their_aggregation_too(predictions):
    of_dev = predictions | {"protocol": ["dev"] * 60}
    assert {(r["protocol"], r["aggregation"]) for r in score_rows(of_dev)} == {("dev", "dev")}
    assert {r["aggregation"] for r in score_rows(predictions)} == {"test"}
