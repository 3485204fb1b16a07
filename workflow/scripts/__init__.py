"""The stages, each a script: python -m workflow.scripts.NAME --help."""

import os

from workflow.scripts.endings import guard_imports

guard_imports()
# NumPy's products would otherwise run with as many threads as Snakemake gave the job, or with all
# cores when a script is started by hand, and last digits would depend on --cores. torch has its own
# number, from the config.
os.environ |= {"OPENBLAS_NUM_THREADS": "1", "VECLIB_MAXIMUM_THREADS": "1"}
