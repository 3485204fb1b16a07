"""The same seed gives the same bytes, whatever surrounds the process; another seed gives others."""

import json

import pytest

from tests.reliability.world import result

NAME = "nli/rcl-4"  # dropout, negatives and regulators
SURROUNDINGS = {
    "the hash seed": {"PYTHONHASHSEED": "12345"},
    "the locale": {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0"},
    "the time zone": {"TZ": "Pacific/Kiritimati"},
    "the scheduler's thread counts": {"OMP_NUM_THREADS": "2", "MKL_NUM_THREADS": "2"},
}


@pytest.fixture(scope="module")
def reference(world, tmp_path_factory):
    out = tmp_path_factory.mktemp("reference")
    world.train(NAME, out, PYTHONHASHSEED="0", TZ="UTC")
    return result(out)


@pytest.mark.parametrize("what", SURROUNDINGS)
def test_the_same_seed_gives_the_same_bytes_in_any_environment(world, reference, tmp_path, what):
    world.train(NAME, tmp_path, **SURROUNDINGS[what])
    assert result(tmp_path) == reference


def test_the_working_directory_and_the_place_of_the_output_do_not_matter(
    world, reference, tmp_path
):
    (tmp_path / "elsewhere").mkdir()
    world.train(NAME, tmp_path / "a deeper" / "place", cwd=tmp_path / "elsewhere")
    found = result(tmp_path / "a deeper" / "place")
    assert {k: found[k] for k in ("outputs", "training", "steps")} == {
        k: reference[k] for k in ("outputs", "training", "steps")
    }


def test_another_seed_gives_other_weights(world, reference, tmp_path):
    script, arguments = world.trainings[NAME]
    world.trainings["other"] = script, [a.replace('"seed":1', '"seed":2') for a in arguments]
    world.train("other", tmp_path)
    weights = "model/model.safetensors"
    assert result(tmp_path)["outputs"][weights] != reference["outputs"][weights]


def test_records_hold_no_path_of_the_machine(world, reference, tmp_path):
    world.train(NAME, tmp_path)
    assert str(world.folder) not in json.dumps(json.loads((tmp_path / "record.json").read_text()))
