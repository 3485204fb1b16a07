"""The training on a whole bank ends where the trainings on the folds were best."""

import pytest

from semblance.errors import InputError
from semblance.provenance import (
    input_digests,
    outputs_digest,
    read_sealed,
    write_record,
)
from semblance.training.final import final_settings, final_steps, with_steps_of
from tests.example_settings import train_settings
from tests.unit.training.small import train


@pytest.mark.parametrize(
    "shares,steps,expected",
    [
        ([0.5], 10, 5),
        ([0.1, 0.5, 1.0], 10, 5),
        ([0.2, 0.4], 10, 3),  # the median of an even number is the mean of the two in the middle
        ([0.01, 0.02, 0.03], 10, 1),  # a training takes a step at least
        ([1.0, 1.0, 0.1], 7, 7),
    ],
)
def test_the_steps_are_the_median_share_of_the_own_ones(shares, steps, expected):
    assert final_steps(shares, steps) == expected


def fold_record(folder, best, steps):
    """Write the record of a training on a fold, whose model is gone."""
    folder.mkdir()
    (folder / "dev.csv").write_text("step,dev\n")
    record = folder / "record.json"
    facts = {"steps": steps, "training": {"best_step": best, "step": steps}}
    write_record(record, "train", outputs=["dev.csv"], started=0.0, **facts)
    (folder / "dev.csv").unlink()
    return str(record)


def test_a_final_training_takes_these_steps_and_names_the_folds(inputs, tmp_path):
    folds = [fold_record(tmp_path / str(fold), best, 4) for fold, best in enumerate((1, 2, 4))]
    stated = train_settings(batch_size=4, epochs=2, evaluate_every=1)
    settings = final_settings(stated, inputs[1], inputs[2], folds)
    assert settings.max_steps == 3  # half of the 2 epochs of 12 / 4 steps
    record = read_sealed(train(inputs, tmp_path / "out", settings, steps_of=folds) / "record.json")
    assert record["training"]["step"] == record["steps"] == settings.max_steps
    assert record["training"]["best"] is None  # its last weights are kept
    for number, path in enumerate(folds, 1):
        assert input_digests(record)[f"steps of {number}"] == outputs_digest(read_sealed(path))


def test_a_training_takes_as_many_steps_as_others_took_together(tmp_path):
    records = [fold_record(tmp_path / str(n), 1, steps) for n, steps in enumerate((7, 30))]
    stated = train_settings(batch_size=4)
    assert with_steps_of(stated, records).max_steps == 37
    assert with_steps_of(stated, []) == stated


def test_a_final_training_without_folds_or_without_their_dev_scores_is_refused(inputs, tmp_path):
    _, corpus, tokens = inputs
    with pytest.raises(InputError, match="no training on a fold"):
        final_settings(train_settings(), corpus, tokens, [])
    for fold in (fold_record(tmp_path / "0", 0, 8), corpus):
        with pytest.raises(InputError, match=f"^{fold}: does not say after which"):
            final_settings(train_settings(), corpus, tokens, [fold])
