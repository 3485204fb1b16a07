"""The stages, each a script: python -m workflow.scripts.NAME --help."""

import os

from workflow.fork_client import run_forked

run_forked()  # before the imports that it spares

from workflow.scripts.endings import guard_imports  # noqa: E402

guard_imports()
# NumPy's products would otherwise run with as many threads as Snakemake gave the job, or with all
# cores when a script is started by hand, and last digits would depend on --cores. torch has its own
# number, from the config.
os.environ |= {"OPENBLAS_NUM_THREADS": "1", "VECLIB_MAXIMUM_THREADS": "1"}
# A thread of OpenMP that waits for work spins. By default it spins so long that two trainings of two
# threads on two cores take 4 times as long together as one after the other; with this count 1.5
# times, and one alone takes no longer.
if "OMP_WAIT_POLICY" not in os.environ:
    os.environ.setdefault("GOMP_SPINCOUNT", "10000")
