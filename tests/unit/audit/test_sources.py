"""Where the record of a base is looked for: among the downloads, or among the bases trained here."""

from pathlib import Path

import pytest

from semblance.audit.sources import sought

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
