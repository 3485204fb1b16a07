"""The workflow. What is a distribution of its own beside it can be imported, too."""

import glob
import os
import sys

_ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
_FILES = glob.glob(os.path.join(glob.escape(_ROOT), "*", "pyproject.toml"))
sys.path += sorted(map(os.path.dirname, _FILES))
