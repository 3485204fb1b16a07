"""The dev score that chooses checkpoints: the same metric as in the test, on dev data alone."""

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from semblance.code_digest import module_digests
from semblance.data.arrow import write_parquet
from semblance.errors import InputError
from semblance.evaluation import dev
from semblance.evaluation.sts import join_pairs
from semblance.models.base import BaseSettings, build_base
from semblance.models.folder import load
from semblance.provenance import checked, write_record
from tests.dag.tiny import write_base

SENTENCES = ["a cat", "a dog", "one two three", "the sun", "rain again", "a cat sat"]


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    folder = tmp_path_factory.mktemp("base")
    write_base(folder / "raw")
    settings = BaseSettings(32, folder=str(folder / "raw"), pooling="mean")
    build_base(settings, folder / "base/record.json", "")
    return folder / "base/record.json"


def vectors(base, texts):
    """Return the vector of each text, embedded alone, so that nothing depends on a batch."""
    encoder = load(base.parent / "model").eval()
    from semblance.data.tokens import tokenise

    tokenizer = base.parent / "model/tokenizer.json"
    return np.stack([encoder.encode(tokenise(tokenizer, [text]), 32)[0] for text in texts])


def cosine(a, b):
    a, b = a.astype(np.float64), b.astype(np.float64)
    return a @ b / np.sqrt((a @ a) * (b @ b))


def test_the_dev_score_of_pairs_is_spearmans_rho_of_their_cosines(base, tmp_path):
    left, right = SENTENCES[:3] + SENTENCES[:1], SENTENCES[3:] + SENTENCES[1:2]
    gold = [1.0, 4.5, 3.0, 2.0]
    columns = {
        "task": ["stsb-dev"] * 4,
        "subset": ["g"] * 4,
        "index": [1, 2, 3, 4],
        "sentence1": left,
        "sentence2": right,
        "score": gold,
    }
    write_parquet(pa.table(columns), tmp_path / "pairs.parquet")
    record = tmp_path / "record.json"
    write_record(record, "prepare_dev", outputs=["pairs.parquet"], started=0.0)
    score, read = dev.dev_set(str(record), str(base), 32)
    cosines = [cosine(a, b) for a, b in zip(vectors(base, left), vectors(base, right), strict=True)]
    expected = stats.spearmanr(cosines, gold).statistic
    assert score(load(base.parent / "model").eval()) == pytest.approx(expected, abs=1e-12)
    assert read == checked(record)


def test_the_dev_score_of_questions_is_their_mean_reciprocal_rank(base, tmp_path):
    answers, queries = SENTENCES[:4], SENTENCES[4:]
    rows = [
        {"protocol": "pairs", "id": str(i), "text": text, "part": 1, "relevant": [i]}
        for i, text in enumerate(queries)
    ]
    write_parquet(pa.table({"text": answers}), tmp_path / "answers.parquet")
    write_parquet(pa.Table.from_pylist(rows), tmp_path / "questions.parquet")
    record = tmp_path / "record.json"
    outputs = ["answers.parquet", "questions.parquet"]
    write_record(record, "prepare_faq", outputs=outputs, started=0.0)
    score, _ = dev.dev_set(str(record), str(base), 32)
    of_answers = vectors(base, answers)
    reciprocal = []
    for i, query in enumerate(vectors(base, queries)):
        cosines = [cosine(query, answer) for answer in of_answers]
        reciprocal.append(1 / sum(c >= cosines[i] for c in cosines))
    found = score(load(base.parent / "model").eval())
    assert found == pytest.approx(np.mean(reciprocal), abs=1e-12)


def test_a_record_of_other_data_is_refused(base, tmp_path):
    (tmp_path / "rows.arrow").write_text("rows")
    write_record(tmp_path / "record.json", "prepare_nli", outputs=["rows.arrow"], started=0.0)
    with pytest.raises(InputError, match="lists neither pairs.parquet nor questions.parquet"):
        dev.dev_set(str(tmp_path / "record.json"), str(base), 32)


@pytest.mark.parametrize("stage", ["train", "train_initial", "train_entropy", "pretrain"])
@pytest.mark.parametrize("module", ["similarity", "geometry", "retrieval", "run"])
def test_a_training_does_not_run_the_code_of_the_test_scores(stage, module):
    digested = module_digests(f"workflow.scripts.{stage}")
    assert f"semblance.evaluation.{module}" not in digested
    assert len(digested) > 10


def test_joined_pairs_stand_in_the_order_of_the_tasks_whatever_the_order_of_the_files():
    def part(*tasks):
        return {"task": np.array(tasks), "index": np.arange(len(tasks))}

    test = part("stsb", "sickr", "sts12", "mine", "stsb")
    for parts in ((part("stsb-dev"), test), (test, part("stsb-dev"))):
        joined = join_pairs(*parts)
        assert joined["task"].tolist() == ["sts12", "stsb-dev", "stsb", "stsb", "sickr", "mine"]
        assert joined["index"].tolist() == [2, 0, 0, 4, 1, 3]
