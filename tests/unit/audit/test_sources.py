"""Where the record of a base is looked for: among the downloads, or among the bases trained here."""

from pathlib import Path

import pytest

from semblance.audit.sources import method_of_model, sought

DOWNLOADS = Path("/downloads")
DOWNLOADED = "/downloads/models/domain/record.json"
READERS = [
    ("train", "base", "models/nli/domain/simcse/seed-1"),
    ("train_initial", "base", "models/faqir-0/domain/initial/seed-1"),
    ("train_entropy", "base", "models/nli/domain/entropy-0.01/seed-1"),
    ("evaluate_sts", "weights", "scores/sts/none/domain/start/seed-0"),
]


def places(root: Path, stage: str, name: str, folder: str) -> tuple[str, ...]:
    return sought(root, (DOWNLOADS,), root / folder / "record.json", stage, name)


@pytest.mark.parametrize("reader", READERS)
def test_a_base_may_be_one_that_was_trained_here_on_any_corpus(tmp_path, reader):
    (tmp_path / "bases").mkdir()
    trained = f"{tmp_path}/bases/*/domain/record.json"
    assert places(tmp_path, *reader)[-2:] == (DOWNLOADED, trained)


@pytest.mark.parametrize("reader", READERS)
def test_where_no_base_was_trained_it_is_looked_for_among_the_downloads_alone(tmp_path, reader):
    assert places(tmp_path, *reader)[-1] == DOWNLOADED


def test_a_base_that_was_trained_here_comes_from_any_downloaded_one_and_from_its_corpus(tmp_path):
    made = ("pretrain", "base", "bases/wiki1m/domain")
    assert places(tmp_path, *made) == ("/downloads/models/*/record.json",)
    corpus = places(tmp_path, "pretrain", "corpus", made[2])
    assert corpus == (f"{tmp_path}/corpora/wiki1m/record.json",)
    tokens = places(tmp_path, "pretrain", "tokens", made[2])
    assert f"{tmp_path}/tokens/*/wiki1m/record.json" in tokens


def test_the_model_of_a_ranking_is_looked_for_under_the_method_that_it_belongs_to(tmp_path):
    record = tmp_path / "scores/faq/mine-0/domain/words/seed-0/record.json"
    found = sought(tmp_path, (DOWNLOADS,), record, "evaluate_faq", "weights", "start")
    assert found == (DOWNLOADED,)
    record = tmp_path / "scores/faq/mine-0/domain/both/seed-1/record.json"
    found = sought(tmp_path, (DOWNLOADS,), record, "evaluate_faq", "weights", "tuned")
    assert found == (f"{tmp_path}/models/mine-0/domain/tuned/seed-1/record.json",)


@pytest.mark.parametrize(
    "record,method",
    [
        ({"settings": {"ranking": {"by": "words", "of": "start"}}}, "start"),
        ({"settings": {"ranking": {"by": "vectors", "of": ""}}}, ""),
        ({"settings": {"ranking": "words"}}, ""),  # of an answerer
        ({"settings": {"ranking": {"of": 3}}}, ""),
        ({"settings": []}, ""),
        ({}, ""),
    ],
)
def test_only_the_evaluation_of_a_ranking_names_the_method_of_its_model(record, method):
    assert method_of_model(record) == method


def test_the_training_on_a_whole_bank_comes_from_its_trainings_on_the_folds(tmp_path):
    made = ("train_final", "models/mine-all/domain/tuned/seed-1")
    name = "results/models/mine-0/domain/tuned/seed-1/record.json"
    assert places(tmp_path, made[0], name, made[1]) == (
        f"{tmp_path}/models/mine-0/domain/tuned/seed-1/record.json",
    )
    corpus = places(tmp_path, made[0], "corpus", made[1])
    assert corpus == (f"{tmp_path}/corpora/mine-all/record.json",)  # no negatives were mined here


def test_mined_negatives_come_from_the_fold_and_from_the_embeddings_of_the_base(tmp_path):
    made = "negatives/mine-0/domain"
    corpus = places(tmp_path, "mine_negatives", "corpus", made)
    assert corpus == (f"{tmp_path}/corpora/mine-0/record.json",)
    embeddings = places(tmp_path, "mine_negatives", "embeddings", made)
    assert embeddings == (f"{tmp_path}/embeddings/mine-0/domain/start/seed-0/record.json",)


@pytest.mark.parametrize("stage,corpus", [("train", "mine-0"), ("train_final", "mine-all")])
def test_the_rows_of_a_training_may_be_those_with_mined_negatives(tmp_path, stage, corpus):
    (tmp_path / "negatives").mkdir()
    found = places(tmp_path, stage, "corpus", f"models/{corpus}/domain/tuned-hard/seed-1")
    assert found == (
        f"{tmp_path}/corpora/{corpus}/record.json",
        f"{tmp_path}/negatives/{corpus}/domain/record.json",
    )
