"""FAQ banks: what all formats share."""

from semblance.data.faq import Faq, FaqPair, unique_answers


def test_identical_answers_share_one_candidate():
    answers = {"x": "B  b", "y": "A", "z": "B b ", "w": "b b"}
    faq = Faq("f", tuple(FaqPair(key, "q", answer, "g") for key, answer in answers.items()), ())
    assert unique_answers(faq) == (["B b", "A", "b b"], {"x": 0, "y": 1, "z": 0, "w": 2})
