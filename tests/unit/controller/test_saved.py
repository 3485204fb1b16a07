"""What a run that ends early says of the work that it has saved."""

import os
import time
from types import SimpleNamespace

from workflow.controller import saved


def checkpoint(out, seed, step, seconds):
    """Leave the checkpoint of a training as of a time."""
    folder = out / f"models/nli/tiny/rcl-2/seed-{seed}/checkpoints/0123/step-{step:08d}"
    folder.mkdir(parents=True)
    os.utime(folder, (seconds, seconds))


def dag(jobs, finished):
    return SimpleNamespace(jobs=range(jobs), finished_jobs=iter(range(finished)))


def test_the_jobs_that_are_done_the_saved_steps_and_the_way_on_are_told(tmp_path):
    checkpoint(tmp_path, 1, 99, 1000)
    checkpoint(tmp_path, 1, 100, 1010)
    checkpoint(tmp_path, 2, 50, 2000)
    first, newer, older, way = saved.describe_saved(dag(9, 4), tmp_path).splitlines()
    assert first.startswith("stopped: jobs that are done, and stay done: 4 of 9")
    clock = [time.strftime("%H:%M:%S", time.localtime(seconds)) for seconds in (2000, 1010)]
    assert newer.endswith(f"models/nli/tiny/rcl-2/seed-2: step 50, at {clock[0]}")
    assert older.endswith(f"models/nli/tiny/rcl-2/seed-1: step 100, at {clock[1]}")
    assert way.startswith("to go on: the same command again")


def test_the_saved_step_of_a_training_is_that_of_its_newest_checkpoint(tmp_path):
    checkpoint(tmp_path, 1, 999, 2000)
    checkpoint(tmp_path, 1, 1000, 1000)
    folder = tmp_path / "models/nli/tiny/rcl-2/seed-1"
    assert saved.saved_step(folder) == 1000
    assert saved.saved_step(folder.parent / "seed-2") is None


def test_of_many_trainings_the_last_saved_are_named_and_the_others_counted(tmp_path):
    for seed in range(saved.SHOWN + 3):
        checkpoint(tmp_path, seed, 1, 1000 + seed)
    lines = saved.describe_saved(dag(1, 0), tmp_path).splitlines()
    assert len(lines) == saved.SHOWN + 3
    assert lines[-2] == "saved: 3 more trainings"
