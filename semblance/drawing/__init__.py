"""Figures as drawings: a module for each kind, found by name, with one function ``draw``."""

import atexit
import os
import shutil
import tempfile

if "MPLCONFIGDIR" not in os.environ:
    # matplotlib would keep its list of fonts in the user's home folder.
    _folder = tempfile.mkdtemp(prefix="semblance-drawing-")
    os.environ["MPLCONFIGDIR"] = _folder
    atexit.register(shutil.rmtree, _folder, ignore_errors=True)
