"""Checkpoints: a training killed anywhere and resumed ends as if it had never stopped."""

import errno
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from semblance.data.corpus import NONE, Rows
from semblance.errors import OutOfTime
from semblance.locks import Busy, exclusive
from semblance.models.masks import dropout
from semblance.models.optimiser import AdamW
from semblance.training.batching import batches
from semblance.training.keeping import checkpoint
from semblance.training.keeping.budget import MARGIN, SAVES, Budget
from semblance.training.keeping.checkpoint import Cadence, Checkpoints
from semblance.training.loop import NoCheckpoints, Progress, Schedule, TrainingState, fit
from tests.files import flip

STEPS, SIZE = 14, 3
# An epoch is 3 1/3 batches.
ROWS = Rows(np.arange(10), (np.arange(10) * 3) % 10 + 10, np.full(10, NONE))


class Killed(BaseException):
    """Stands for the end of the process."""


class Tiny(nn.Module):
    """Embeds sentence numbers, with dropout from the global generator."""

    def __init__(self):
        super().__init__()
        self.words, self.norm, self.up = nn.Embedding(20, 4), nn.LayerNorm(4), nn.Linear(4, 4)

    def forward(self, numbers):
        x = self.norm(self.words(numbers))
        return self.up(dropout(x, 0.3) if self.training else x)


def train(
    checkpoints=NoCheckpoints(), kill_after=None, tick=lambda work: None, dev=True, **changed
):
    """One seeded training as a fresh process would do it; returns the model and its progress.

    ``tick`` is told of each piece of work, as a clock that it moves. ``dev``: it has a dev score.
    """
    torch.manual_seed(5)
    model, stream, drawn = Tiny(), batches(ROWS, SIZE, seed=1), [0]

    def step_loss(step):
        if step == kill_after:
            raise Killed
        tick("step")
        while drawn[0] <= step:
            rows = next(stream)
            drawn[0] += 1
        left, right = (model(torch.from_numpy(side[rows].astype(np.int64))) for side in ROWS[:2])
        return (left @ right.T).log_softmax(dim=1).diagonal().mean().neg()

    def evaluate():
        tick("evaluation")
        with torch.no_grad():  # rises and falls, so that the best weights are not the last
            return float(torch.sin(40 * model(torch.arange(20)).sum()))

    plan = Schedule(**{"steps": STEPS, "learning_rate": 0.05, "evaluate_every": 2, **changed})
    evaluate = evaluate if dev else None
    return model, fit(model, step_loss, plan, evaluate=evaluate, checkpoints=checkpoints)


def keeper(folder, identity="this", every=1):
    return Checkpoints(folder, identity, Cadence(minutes=1e9, steps=every))


def killed(folder, after, every=1, identity="this", **changed):
    with pytest.raises(Killed):
        train(keeper(folder, identity, every), kill_after=after, **changed)


def same(one, other):
    """Whether two trainings ended with the same bits, and noted the same on their way."""
    states = [model.state_dict().values() for model, _ in (one, other)]
    return one[1] == other[1] and all(map(torch.equal, *states))


def steps_in(folder):
    """The steps of the checkpoints of this training."""
    return [int(path.name.removeprefix("step-")) for path in sorted(folder.glob("this/step-*"))]


@pytest.fixture(scope="module")
def whole():
    return train()


def test_the_best_weights_are_not_the_last(whole):
    assert 0 < whole[1].best_step < STEPS  # or the tests below could not see them lost


KILLS = [([after], 1) for after in (1, 3, 4, 7, 10, 13)]
KILLS += [([9], 4), ([5], 3), ([2], 5), ([2, 3, 5, 8, 13], 1)]


@pytest.mark.parametrize("kills, every", KILLS)
def test_a_killed_training_keeps_its_last_two_checkpoints_and_resumed_ends_bit_identical(
    tmp_path, whole, kills, every
):
    for after in kills:
        killed(tmp_path, after, every)
        assert steps_in(tmp_path) == [*range(every, after + 1, every)][-2:]
    assert same(train(keeper(tmp_path, every=every)), whole)


@pytest.mark.parametrize("dev", [True, False])
def test_early_stopping_survives_a_kill(tmp_path, dev):
    """Without a dev score the weights are those of the best window, which a checkpoint holds."""
    changed = {"window": 2, "patience": 2, "steps": 60, "learning_rate": 0.5, "dev": dev}
    whole = train(**changed)
    assert whole[1].stopped and 0 < whole[1].best_step < whole[1].step < 60
    for after in (3, whole[1].step - 1):
        folder = tmp_path / str(after)
        killed(folder, after, **changed)
        assert same(train(keeper(folder), **changed), whole)
    # It has stopped: no further step.
    assert same(train(keeper(folder), kill_after=0, **changed), whole)


def newest(folder):
    return sorted(folder.glob("*/step-*"))[-1]


def cut(path):
    path.write_bytes(path.read_bytes()[:-20])


def empty(path):
    path.write_text("{}")


@pytest.mark.parametrize("damage", [flip, cut, empty, Path.unlink])
@pytest.mark.parametrize("name", ["state.safetensors", "record.json"])
def test_a_damaged_checkpoint_falls_back_to_the_one_before(tmp_path, whole, capsys, name, damage):
    killed(tmp_path, 8)
    damage(newest(tmp_path) / name)
    resumed = train(keeper(tmp_path))
    err = capsys.readouterr().err
    assert "warning" in err and "resumed from step 7" in err
    assert same(resumed, whole)


def test_a_checkpoint_that_the_disk_cannot_read_for_now_is_kept(tmp_path, monkeypatch):
    killed(tmp_path, 4)

    def fail(path):
        raise OSError(errno.EIO, "Input/output error", str(path))

    monkeypatch.setattr(checkpoint, "load_tensors", fail)
    with pytest.raises(OSError, match="Input/output"):
        train(keeper(tmp_path))
    assert len(list(tmp_path.glob("*/step-*"))) == 2


def damage_all(folder):
    killed(folder, 8)
    for path in folder.glob("*/step-*"):
        flip(path / "state.safetensors")


def damage_all_and_train_again(folder):
    damage_all(folder)
    killed(folder, 3)  # starts anew, and is killed below the damaged ones' steps


def half(folder, after):
    """Leave half a checkpoint behind, as a kill within a save does."""
    killed(folder, after)
    part = folder / f"this/.step-{after + 1:08}.part"
    part.mkdir(parents=True)
    (part / "state.safetensors").write_bytes(b"half")


def another_and_this(folder):
    killed(folder, 12, identity="other")
    killed(folder, 5)  # steps 1 to 5, below the other's


OTHERS = "holds checkpoints of other settings, data or code"
BEFORE = [  # what happened before, and how often the next start says what
    (lambda folder: None, {"resumed from": 0, "warning": 0, OTHERS: 0}),
    (damage_all, {"warning": 2, "resumed from": 0}),
    (damage_all_and_train_again, {"resumed from step 3": 1}),
    (lambda folder: half(folder, 0), {OTHERS: 0, "resumed from": 0}),
    (lambda folder: half(folder, 6), {OTHERS: 0, "resumed from step 6": 1}),
    (lambda folder: killed(folder, 6, identity="other"), {OTHERS: 1, "resumed from": 0}),
    (another_and_this, {"resumed from step 5": 1}),
]


@pytest.mark.parametrize("before, said", BEFORE)
def test_whatever_happened_before_it_ends_bit_identical(tmp_path, whole, capsys, before, said):
    before(tmp_path)
    capsys.readouterr()
    assert same(train(keeper(tmp_path)), whole)
    err = capsys.readouterr().err
    assert {words: err.count(words) for words in said} == said


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is moved."""
    now = [100.0]
    monkeypatch.setattr("semblance.training.keeping.checkpoint.time.monotonic", lambda: now[0])
    return now


def state_of(model, step=0):
    return TrainingState(model, AdamW(model, 0.0), Progress(step=step))


def saved_at(clock, folder, seconds):
    """Say at which of these seconds a checkpoint was saved, one being due each minute."""
    keeping = Checkpoints(folder, "this", Cadence(minutes=1.0, steps=0))
    model, saved = Tiny(), []
    for step, second in enumerate(seconds, 1):
        clock[0] = 100.0 + second
        before = keeping.saved_at
        keeping.save_if_due(state_of(model, step))
        saved += [second] if keeping.saved_at != before else []
    return saved


def test_a_checkpoint_is_saved_when_its_minutes_have_passed(tmp_path, clock):
    assert saved_at(clock, tmp_path, [30, 59, 60, 61, 119, 120, 150]) == [60, 120]


def test_saving_takes_no_more_than_its_share_of_the_time(tmp_path, clock, monkeypatch):
    real = checkpoint.save_tensors

    def slow(*args):
        real(*args)
        clock[0] += 3.0

    monkeypatch.setattr(checkpoint, "save_tensors", slow)
    saved = saved_at(clock, tmp_path, range(30, 700, 10))
    assert saved == [60, 220, 380, 540]  # 150 s after the end of the one before, on a grid of 10 s
    assert all(later - earlier >= 3.0 / checkpoint.SHARE for earlier, later in pairwise(saved))


def test_a_resumed_training_counts_its_attempts_and_the_time_of_all(tmp_path, clock):
    first = keeper(tmp_path)
    clock[0] = 107.0
    state = state_of(Tiny(), step=1)
    first.save(state)
    for attempts, seconds in ((2, 7.0), (3, 9.0)):
        later = keeper(tmp_path)
        later.restore(state_of(Tiny()))
        assert (later.attempts, later.seconds_before) == (attempts, seconds)
        clock[0] += 2.0
        later.save(state)


SECONDS = {"step": 10.0, "evaluation": 25.0}


class Job:
    """A batch system's job on a clock that only the training's own work moves."""

    def __init__(self, monkeypatch, folder):
        self.now, self.folder, self.done = 5000.0, folder, []
        monkeypatch.setattr("semblance.training.keeping.budget.time.time", lambda: self.now)
        monkeypatch.setattr("semblance.training.keeping.budget.time.monotonic", lambda: self.now)

    def tick(self, work):
        self.done.append(work)
        self.now += SECONDS[work]

    def run(self, seconds):
        """Train for this long at most, with no checkpoint but the last."""
        self.stop_at, self.done = self.now + seconds, []
        cadence = Cadence(minutes=1e9, steps=0, stop_at=self.stop_at)
        return train(Checkpoints(self.folder, "this", cadence), tick=self.tick)


@pytest.fixture
def job(monkeypatch, tmp_path):
    return Job(monkeypatch, tmp_path / "out" / "checkpoints")


@pytest.mark.parametrize("seconds", [95, 105, 110, 120, 131, 150, 222])
def test_a_training_stopped_by_its_time_again_and_again_ends_bit_identical(job, whole, seconds):
    attempts, done = 0, []
    while True:
        attempts += 1
        try:
            ended = job.run(seconds)
            break
        except OutOfTime as error:
            # the length of the first evaluation is not yet known
            assert job.now <= job.stop_at - MARGIN + SECONDS["evaluation"]
            assert "saved, the next start goes on from here" in str(error)
            done += job.done
    assert attempts > 1 and same(ended, whole)
    assert (done + job.done).count("step") == STEPS  # no step was done twice
    assert (done + job.done).count("evaluation") == 1 + STEPS // 2


def test_an_evaluation_that_does_not_fit_into_the_time_is_left_to_the_next_start(job, whole):
    with pytest.raises(OutOfTime, match=f"out: out of time at step 2 of {STEPS}; saved"):
        job.run(45 + MARGIN + 24)  # an evaluation and two steps take 45 s, the next evaluation 25 s
    assert job.done == ["evaluation", "step", "step"]
    assert same(job.run(1e6), whole) and job.done[0] == "evaluation"


def test_too_little_time_for_one_step_is_reported_and_loses_nothing(job, whole):
    first = "before the first step of this start"
    said = f"step 0 of 14, {first}: 59 s left, 60 s needed; ask for a longer"
    with pytest.raises(OutOfTime, match=said):
        job.run(59)
    assert job.done == [] and not job.folder.exists()
    with pytest.raises(OutOfTime, match="saved"):
        job.run(110)
    left = steps_in(job.folder)
    with pytest.raises(OutOfTime, match=f"{first}: 84 s left, 85 s needed"):
        job.run(84)  # an evaluation is due, and is known from the start before to take 25 s
    assert steps_in(job.folder) == left
    assert same(job.run(1e6), whole)


@pytest.mark.parametrize("save, kept_back", [(1.0, MARGIN), (MARGIN, SAVES * MARGIN)])
def test_on_a_slow_disk_more_time_is_kept_back(monkeypatch, save, kept_back):
    monkeypatch.setattr("semblance.training.keeping.budget.time.time", lambda: 1000.0)
    assert Budget(1000.0 + kept_back).fits("step", save)
    assert not Budget(999.0 + kept_back).fits("step", save)
    assert Budget(None).fits("step", save)


def test_the_time_of_the_first_save_is_estimated_from_the_models_size(tmp_path, monkeypatch):
    keeping = keeper(tmp_path)
    keeping.restore(state_of(Tiny()))
    numbers = 20 * 4 + 2 * 4 + 4 * 4 + 4  # embedding, norm, linear
    assert keeping.expected == 4 * 4 * numbers / checkpoint.SLOW  # four copies of four bytes


def test_a_training_stops_and_saves_nothing_more_when_its_folder_is_taken_over(tmp_path):
    with exclusive(tmp_path) as lease:
        cadence = Cadence(minutes=1e9, steps=1)
        keeping = Checkpoints(tmp_path / "checkpoints", "this", cadence, lease)

        def take_over(work):
            if steps_in(tmp_path / "checkpoints") == [1, 2]:
                (tmp_path / ".writer").write_text('{"token": "theirs", "host": "n2"}')

        with pytest.raises(Busy, match="node n2"):
            train(keeping, tick=take_over)
    assert steps_in(tmp_path / "checkpoints") == [1, 2]
