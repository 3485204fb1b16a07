"""A finished run does not say that there is nothing to be done where its sources were changed."""

import pytest

from tests.dag.tiny import Project

pytestmark = pytest.mark.dag


@pytest.mark.parametrize(
    "name", ["demo/data/nli/nli_for_simcse.csv", "tiny-base/model.safetensors"]
)
def test_a_changed_source_stops_the_start_in_one_line(finished: Project, name):
    file = finished.folder / name
    with finished.edited({file: file.read_bytes()[:-1] + b"!"}):
        printed = finished.snakemake("-n", check=False)
    assert "Nothing to be done" not in printed
    lines = [line for line in printed.splitlines() if "changed after it was copied" in line]
    assert len(lines) == 1 and name in lines[0] and "put the old file back" in lines[0]
    assert "Traceback" not in printed
