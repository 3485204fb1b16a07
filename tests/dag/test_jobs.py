"""No change of the code moves a job: settings, inputs and outputs stay until a commit says why not."""

import pytest

from tests.dag import jobs

pytestmark = pytest.mark.dag


@pytest.mark.parametrize("name", jobs.CONFIGS)
def test_every_job_of_a_shipped_config_has_the_settings_and_the_place_that_are_noted(name):
    planned, noted = jobs.planned(name), [row for row in jobs.noted() if row[0] == name]
    assert planned == noted, "`python -m tests.dag.jobs --write` notes jobs that are to change"
