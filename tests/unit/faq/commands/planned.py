"""The plan of the config that is written for a file of a user's."""

import functools
import tempfile
from collections import Counter
from pathlib import Path

from semblance_faq.commands import train
from semblance_faq.commands.config import BANK, OwnFaq
from workflow.planning.config import load_files
from workflow.planning.plan import Plan
from workflow.planning.stages import jobs


@functools.cache
def planned(wordings: int = 0, **more: object) -> Plan:
    """Return the plan for a file of so many wordings; ``more`` are fields of OwnFaq."""
    own = OwnFaq("faq.csv", "my-faq", wordings, **more)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "config.yaml")
        path.write_text(train.as_yaml(train.config_of(own)), encoding="utf-8")
        return Plan(load_files([str(path)]))


def stages(plan: Plan) -> Counter:
    """Return the number of jobs of each stage."""
    return Counter(job.stage for job in jobs(plan))


def candidates(plan: Plan) -> list[str]:
    """Return the methods that the answerer chooses from."""
    return plan.config.answerers[BANK].methods
