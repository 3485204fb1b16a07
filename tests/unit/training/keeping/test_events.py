"""TensorBoard events: readable by TensorBoard, and never the end of a training."""

import pytest

from semblance.training.keeping.events import Events


def test_tensorboard_reads_every_value_at_its_step(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    with Events(tmp_path / "events") as log:
        log({"step": 1, "loss": 0.5, "learning_rate": 0.25})
        log({"step": 2, "loss": 0.75, "learning_rate": 0.125})
    with Events(tmp_path / "events") as log:  # a resumed training's second file
        log({"step": 2, "dev": 0.375})
    read = EventAccumulator(str(tmp_path / "events"))
    read.Reload()
    assert {
        tag: [(e.step, e.value) for e in read.Scalars(tag)] for tag in read.Tags()["scalars"]
    } == {
        "loss": [(1, 0.5), (2, 0.75)],
        "learning_rate": [(1, 0.25), (2, 0.125)],
        "dev": [(2, 0.375)],
    }


@pytest.mark.parametrize("call", ["write", "flush", "close"])
def test_a_disk_that_refuses_events_gives_one_warning_and_no_error(
    tmp_path, capsys, monkeypatch, call
):
    from tensorboard.summary.writer.record_writer import RecordWriter

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(RecordWriter, call, fail)
    with Events(tmp_path / "events") as log:
        for step in range(3):
            log({"step": step, "loss": 1.0})
    assert capsys.readouterr().err.count("no more TensorBoard events") == 1


def test_a_folder_that_cannot_be_made_gives_one_warning_and_no_error(tmp_path, capsys):
    (tmp_path / "events").write_text("a file stands here")
    with Events(tmp_path / "events") as log:
        log({"step": 1, "loss": 1.0})
    assert capsys.readouterr().err.count("no more TensorBoard events") == 1
