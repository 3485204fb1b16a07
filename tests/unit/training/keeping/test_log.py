"""What a training says on its way: events for TensorBoard, lines for people; neither ends it."""

from pathlib import Path

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.summary.writer.record_writer import RecordWriter

from semblance.training.keeping import log as module
from semblance.training.keeping.log import EVERY, Events, Heartbeat

OUT = Path("results/models/nli/tiny/rcl-2/seed-1")


def test_tensorboard_reads_every_value_at_its_step(tmp_path):
    with Events(tmp_path / "events") as log:
        log({"step": 1, "loss": 0.5, "learning_rate": 0.25})
        log({"step": 2, "loss": 0.75, "learning_rate": 0.125})
    with Events(tmp_path / "events") as log:  # a resumed training's second file
        log({"step": 2, "dev": 0.375})
    read = EventAccumulator(str(tmp_path / "events"))
    read.Reload()
    tags = read.Tags()["scalars"]
    assert {tag: [(e.step, e.value) for e in read.Scalars(tag)] for tag in tags} == {
        "loss": [(1, 0.5), (2, 0.75)],
        "learning_rate": [(1, 0.25), (2, 0.125)],
        "dev": [(2, 0.375)],
    }


def refuse(monkeypatch, folder, call):
    """Make the disk refuse a call of TensorBoard's writer, or the folder itself."""

    def fail(*_):
        raise OSError(28, "No space left on device")

    if call == "folder":
        folder.write_text("a file stands here")
    else:
        monkeypatch.setattr(RecordWriter, call, fail)


@pytest.mark.parametrize("call", ["write", "flush", "close", "folder"])
def test_a_disk_that_refuses_events_gives_one_warning(tmp_path, capsys, monkeypatch, call):
    refuse(monkeypatch, tmp_path / "events", call)
    with Events(tmp_path / "events") as log:
        for step in range(3):
            log({"step": step, "loss": 1.0})
    assert capsys.readouterr().err.count("no more TensorBoard events") == 1


@pytest.fixture
def clock(monkeypatch):
    """A clock of its own: [seconds]."""
    now = [1000.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


def train(beat, clock, steps, seconds):
    """Do steps that take so many seconds each; the loss of a step is its number."""
    for step in steps:
        clock[0] += seconds
        beat({"step": step, "loss": float(step), "learning_rate": 0.1})
        beat({"step": step, "dev": 0.5})


def test_a_line_every_half_minute_says_step_mean_loss_rate_and_time_left(clock, capsys):
    train(Heartbeat(OUT, 1000), clock, range(1, 7), EVERY / 3)
    assert capsys.readouterr().err.splitlines() == [
        # losses 1 to 3, then 4 to 6; one step takes 10 s
        f"{OUT}: step 3 of 1000, loss 2, 0.1 steps/s, 2 h 46 min left",
        f"{OUT}: step 6 of 1000, loss 5, 0.1 steps/s, 2 h 45 min left",
    ]


def test_a_resumed_training_counts_its_rate_from_the_step_that_it_goes_on_from(clock, capsys):
    train(Heartbeat(OUT, 100), clock, range(41, 44), EVERY / 3)
    assert "step 43 of 100, loss 42, 0.1 steps/s, 9 min 30 s left" in capsys.readouterr().err


def test_a_short_training_has_one_line_at_its_end(clock, capsys):
    beat = Heartbeat(OUT, 3)
    train(beat, clock, range(1, 4), 0.5)
    assert capsys.readouterr().err == ""
    beat.print_line()
    beat.print_line()
    assert capsys.readouterr().err == f"{OUT}: step 3 of 3, loss 2, 2 steps/s, 0 min 00 s left\n"


def test_a_terminal_has_its_progress_bar_alone(clock, capsys, monkeypatch):
    monkeypatch.setattr(module.sys.stderr, "isatty", lambda: True)
    train(Heartbeat(OUT, 9), clock, range(1, 7), EVERY)
    assert capsys.readouterr().err == ""


def test_a_log_whose_reader_is_gone_ends_no_training(clock, monkeypatch):
    def gone(*arguments, **options):
        raise BrokenPipeError

    monkeypatch.setattr("builtins.print", gone)
    train(Heartbeat(OUT, 9), clock, range(1, 7), EVERY)
