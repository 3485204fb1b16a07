"""answering.json is strictly decoded."""

import json

import pytest

from semblance.answering.settings import AnsweringSettings, Threshold, read_settings
from semblance.errors import InputError

THRESHOLD = {"score": 0.5, "precision": 0.9, "answered": 0.7, "interval": [0.6, 0.8]}
GOOD = {"ranking": "hybrid", "match": "question", "max_length": 64, "threshold": THRESHOLD}
BAD = {
    "an unknown ranking": GOOD | {"ranking": "magic"},
    "an unknown match": GOOD | {"match": "all"},
    "a length of text": GOOD | {"max_length": "64"},
    "a length of 2": GOOD | {"max_length": 2},
    "a huge length": GOOD | {"max_length": 10**12},
    "another key": GOOD | {"pickle": "x"},
    "no threshold named": {name: value for name, value in GOOD.items() if name != "threshold"},
    "a number for a threshold": GOOD | {"threshold": 0.5},
    "a threshold without a score": GOOD | {"threshold": {"precision": 1, "answered": 1}},
    "a precision above 1": GOOD | {"threshold": THRESHOLD | {"precision": 1.1}},
    "a share below 0": GOOD | {"threshold": THRESHOLD | {"answered": -0.1}},
    "true for a score": GOOD | {"threshold": THRESHOLD | {"score": True}},
    "a list": [GOOD],
}


def test_settings_are_read_as_they_are_written(tmp_path):
    path = tmp_path / "answering.json"
    path.write_text(json.dumps(GOOD))
    found = read_settings(path)
    threshold = Threshold(0.5, 0.9, 0.7, {"interval": [0.6, 0.8]})
    assert found == AnsweringSettings("hybrid", "question", 64, threshold)
    assert found.as_json() == GOOD
    path.write_text(json.dumps(GOOD | {"threshold": None}))
    assert read_settings(path).threshold is None


@pytest.mark.parametrize("name", BAD)
def test_malformed_settings_are_refused_with_the_file(name, tmp_path):
    path = tmp_path / "answering.json"
    path.write_text(json.dumps(BAD[name]))
    with pytest.raises(InputError, match="answering.json") as caught:
        read_settings(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", '{"ranking": NaN}', "9" * 5000, "[" * 10_000])
def test_a_file_that_is_no_json_is_refused(text, tmp_path):
    path = tmp_path / "answering.json"
    path.write_text(text)
    with pytest.raises(InputError, match="answering.json"):
        read_settings(path)
