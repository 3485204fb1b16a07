"""The dev score that chooses checkpoints: the same metric as in the test, on dev data alone."""

import numpy as np
import pytest
from scipy import stats

from semblance.code_digest import module_digests
from semblance.data.tokens import tokenise
from semblance.errors import InputError
from semblance.evaluation.dev import dev_set
from semblance.evaluation.sts import join_pairs
from semblance.models.folder import load
from semblance.provenance import checked, write_record
from tests.unit.evaluation.prepared import write_bank, write_pairs

LEFT = ["a cat", "a dog", "one two three", "a cat"]
RIGHT = ["the sun", "rain again", "a cat sat", "rain again"]


@pytest.fixture
def base(demo):
    return demo / "base/record.json"


def vectors(base, texts):
    """Return the unit vector of each text, embedded alone, so that nothing depends on a batch."""
    encoder = load(base.parent / "model").eval()
    tokenizer = base.parent / "model/tokenizer.json"
    found = [encoder.encode(tokenise(tokenizer, [text]), 32)[0] for text in texts]
    found = np.stack(found).astype(np.float64)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def test_the_dev_score_of_pairs_is_spearmans_rho_of_their_cosines(base, tmp_path):
    gold = [1.0, 4.5, 3.0, 2.0]
    record = write_pairs(tmp_path, LEFT, RIGHT, gold)
    score, read = dev_set(record, str(base), 32)
    cosines = (vectors(base, LEFT) * vectors(base, RIGHT)).sum(axis=1)
    expected = stats.spearmanr(cosines, gold).statistic
    assert score(load(base.parent / "model").eval()) == pytest.approx(expected, abs=1e-12)
    assert read == checked(record)


def test_the_dev_score_of_questions_is_their_mean_reciprocal_rank(base, tmp_path):
    answers = [*LEFT[:3], "the sun"]
    queries = ["rain again", "a cat sat"]
    record = write_bank(tmp_path, answers, [(text, 1, [i]) for i, text in enumerate(queries)])
    score, _ = dev_set(record, str(base), 32)
    cosines = vectors(base, queries) @ vectors(base, answers).T
    ranks = [(row >= row[i]).sum() for i, row in enumerate(cosines)]
    found = score(load(base.parent / "model").eval())
    assert found == pytest.approx(np.mean(1 / np.array(ranks)), abs=1e-12)


def test_a_record_of_other_data_is_refused(base, tmp_path):
    (tmp_path / "rows.arrow").write_text("rows")
    write_record(tmp_path / "record.json", "prepare_nli", outputs=["rows.arrow"], started=0.0)
    with pytest.raises(InputError, match="lists neither pairs.parquet nor questions.parquet"):
        dev_set(str(tmp_path / "record.json"), str(base), 32)


@pytest.mark.parametrize("stage", ["train", "train_initial", "train_entropy", "pretrain"])
def test_a_training_does_not_run_the_code_of_the_test_scores(stage):
    digested = module_digests(f"workflow.scripts.{stage}")
    tests = {f"semblance.evaluation.{name}" for name in ("sts", "faq", "transfer", "scored")}
    tests |= {name for name in digested if name.startswith("semblance.ranking.")}
    assert len(digested) > 10 and not tests & digested.keys()


def test_joined_pairs_stand_in_the_order_of_the_tasks_whatever_the_order_of_the_files():
    def part(*tasks):
        return {"task": np.array(tasks), "index": np.arange(len(tasks))}

    test = part("stsb", "sickr", "sts12", "mine", "stsb")
    for parts in ((part("stsb-dev"), test), (test, part("stsb-dev"))):
        joined = join_pairs(*parts)
        assert joined["task"].tolist() == ["sts12", "stsb-dev", "stsb", "stsb", "sickr", "mine"]
        assert joined["index"].tolist() == [2, 0, 0, 4, 1, 3]
