"""Figures as drawings: ``figures`` has a module for each kind, found by name, with one function ``draw``."""

import atexit
import os
import shutil
import tempfile


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # and not a child that was forked from it
        shutil.rmtree(folder, ignore_errors=True)


if "MPLCONFIGDIR" not in os.environ:
    # matplotlib would keep its list of fonts in the user's home folder.
    os.environ["MPLCONFIGDIR"] = tempfile.mkdtemp(prefix="semblance-drawing-")
    atexit.register(_remove, os.environ["MPLCONFIGDIR"], os.getpid())
