"""The cost of a run as the report tells it."""

import json

from workflow.report.costs import Energy, _energy


def note(folder, name: str, joules: dict, seconds: float) -> None:
    path = folder / "logs/energy" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"joules": joules, "seconds": seconds}))


def test_the_energy_of_all_runs_is_added_up_for_each_part(tmp_path):
    note(tmp_path, "a.json", {"GPU 0": 3.6e6, "processor": 1.8e6}, 40)
    note(tmp_path, "b.json", {"GPU 0": 1.8e6}, 50)
    found, measured = _energy(str(tmp_path))
    assert found == [Energy("GPU 0", "1.500"), Energy("processor", "0.500")]
    assert measured == "90 s"


def test_a_damaged_note_of_energy_is_left_out(tmp_path):
    (tmp_path / "logs/energy").mkdir(parents=True)
    (tmp_path / "logs/energy/a.json").write_text('{"joules": {"GPU 0": "much"}, "seconds": 1}')
    assert _energy(str(tmp_path)) == ([], "")
