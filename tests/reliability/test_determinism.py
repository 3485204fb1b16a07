"""The same seed gives the same bytes, whatever surrounds the process; another seed gives others."""

from tests.reliability.world import result

NAME = "nli/rcl-4"  # dropout, negatives and regulators
SURROUNDINGS = {  # others than those of the reference, all at once
    "PYTHONHASHSEED": "12345",
    **{"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0"},
    "TZ": "Pacific/Kiritimati",
    **{"OMP_NUM_THREADS": "2", "MKL_NUM_THREADS": "2"},  # as a scheduler sets them
}


def test_the_same_seed_gives_the_same_bytes_in_any_environment(world, reference, tmp_path):
    world.train(NAME, tmp_path, **SURROUNDINGS)
    assert result(tmp_path) == reference(NAME)
    assert str(world.folder) not in (tmp_path / "record.json").read_text()


def test_the_working_directory_and_the_output_s_place_do_not_matter(world, reference, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    output = tmp_path / "a deeper" / "place"
    words = world.command(NAME, output)  # whose inputs are named relative to the world
    absolute = [str(world.folder / word) if word.startswith("made/") else word for word in words]
    elsewhere = type(world)(tmp_path / "elsewhere", world.trainings)
    assert elsewhere.run(absolute)[0] == 0
    for key in ("outputs", "training", "steps"):
        assert result(output)[key] == reference(NAME)[key]


def test_another_seed_gives_other_weights(world, reference, tmp_path):
    words = [word.replace('"seed":1', '"seed":2') for word in world.command(NAME, tmp_path)]
    assert world.run(words)[0] == 0
    weights = "model/model.safetensors"
    assert result(tmp_path)["outputs"][weights] != reference(NAME)["outputs"][weights]
