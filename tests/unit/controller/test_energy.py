"""The energy of a run: counters of processors, power of GPUs."""

import itertools
import json

import pytest

from workflow.controller import energy
from workflow.controller.energy import Meter


class Enough(Exception):
    """Ends a measurement, which otherwise ends with its process."""


def package(folder, name: str, joules: float, most: float = 1000.0):
    made = folder / name
    made.mkdir(exist_ok=True)
    (made / "name").write_text("package-0\n")
    (made / "max_energy_range_uj").write_text(f"{most * 1e6:.0f}\n")
    (made / "energy_uj").write_text(f"{joules * 1e6:.0f}\n")


def no_gpu() -> dict:
    return {}


def test_the_joules_of_a_package_are_what_its_counter_has_risen(tmp_path):
    package(tmp_path, "intel-rapl:0", 100)
    meter = Meter(tmp_path, no_gpu)
    package(tmp_path, "intel-rapl:0", 140)
    meter.look()
    package(tmp_path, "intel-rapl:0", 145)
    meter.look()
    assert meter.joules == {"processor, package-0": pytest.approx(45)}


def test_a_counter_that_has_started_anew_is_added_up_over_its_end(tmp_path):
    package(tmp_path, "intel-rapl:0", 990, most=1000)
    meter = Meter(tmp_path, no_gpu)
    package(tmp_path, "intel-rapl:0", 20, most=1000)
    meter.look()
    assert meter.joules == {"processor, package-0": pytest.approx(30)}


def test_a_part_of_a_package_does_not_count_beside_the_package(tmp_path):
    for name in ("intel-rapl:0", "intel-rapl:0:0"):
        package(tmp_path, name, 0)
    meter = Meter(tmp_path, no_gpu)
    for name in ("intel-rapl:0", "intel-rapl:0:0"):
        package(tmp_path, name, 7)
    meter.look()
    assert meter.joules == {"processor, package-0": pytest.approx(7)}


def test_a_counter_that_may_not_be_read_tells_nothing(tmp_path):
    (tmp_path / "intel-rapl:0" / "energy_uj").mkdir(parents=True)
    meter = Meter(tmp_path, no_gpu)
    meter.look()
    assert not meter.joules


def test_the_joules_of_a_gpu_are_its_watts_times_the_seconds(tmp_path):
    seconds = iter([0.0, 10.0, 40.0])
    watts = iter([300.0, 100.0])
    meter = Meter(tmp_path, lambda: {"GPU 0, H100": next(watts)}, lambda: next(seconds))
    meter.look()
    meter.look()
    assert meter.joules == {"GPU 0, H100": 300 * 10 + 100 * 30}
    assert meter.seconds == 40


def test_nvidia_smi_is_read_and_a_gpu_without_a_number_left_out(tmp_path, monkeypatch):
    program = tmp_path / "nvidia-smi"
    program.write_text("#!/bin/sh\necho '0, NVIDIA H100, 81.50'\necho '1, NVIDIA T4, [N/A]'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert energy.gpu_watts() == {"GPU 0, NVIDIA H100": 81.5}


def test_each_look_is_noted_in_the_folder_of_the_run(tmp_path):
    seconds = itertools.count(0, 30)
    meter = Meter(tmp_path, lambda: {"GPU 0, H100": 100.0}, lambda: float(next(seconds)))
    looks = iter([None, None])

    def sleep(wait: float) -> None:
        if next(looks, "over") == "over":
            raise Enough

    with pytest.raises(Enough):
        energy.measure(str(tmp_path), meter, sleep)
    [note] = (tmp_path / "logs/energy").glob("*.json")
    assert json.loads(note.read_text()) == {"joules": {"GPU 0, H100": 6000.0}, "seconds": 60.0}


def test_a_machine_that_tells_no_energy_gets_no_note(tmp_path):
    energy.measure(str(tmp_path), Meter(tmp_path, no_gpu), lambda wait: None)
    assert not (tmp_path / "logs").exists()
