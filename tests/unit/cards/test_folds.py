"""A model of a whole bank has the score of its bank's folds on its card."""

import pytest

from semblance.cards.folds import fold_lines
from semblance.cards.scores import Place

PLACE = Place("faq-all", "tiny", "tuned", "1")
RECORD = {
    "answerer": {"name": "mine", "bank": "faq", "base": "tiny", "protocol": "pairs"},
    "evidence": {"score": 0.5, "low": 0.25, "high": 0.75, "questions": 38},
    "outputs": {"model/model.safetensors": "weights"},
}


class Records:
    """The records of a folder with one answerer."""

    def __init__(self, root, record=RECORD):
        self.root = root
        self.record = record
        (root / "answerers/mine").mkdir(parents=True)
        (root / "answerers/mine/record.json").touch()

    def is_readable(self, _):
        return True

    def read(self, _):
        return self.record


def test_the_score_of_the_folds_is_told_with_its_interval_and_its_protocol(tmp_path):
    [line] = fold_lines(PLACE, "weights", Records(tmp_path))
    assert "MAP 50.00 (95 % interval 25.00 to 75.00), protocol pairs, 38 questions" in line
    assert "answerer mine" in line


@pytest.mark.parametrize("other", [PLACE._replace(corpus="nli"), PLACE._replace(base="large")])
def test_a_model_of_another_corpus_or_base_has_no_such_line(tmp_path, other):
    assert fold_lines(other, "weights", Records(tmp_path)) == []


def test_other_weights_and_an_answerer_of_an_earlier_version_have_no_such_line(tmp_path):
    records = Records(tmp_path)
    assert fold_lines(PLACE, "others", records) == []
    records.record = RECORD | {"evidence": {"score": 0.5, "questions": 38}}
    assert fold_lines(PLACE, "weights", records) == []
