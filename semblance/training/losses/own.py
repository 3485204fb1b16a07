"""A loss from a file of your own, which may lie anywhere: ``options: {file: PATH, options: {...}}``.

The code of the file counts in what is made again, as that of a module of this folder does.
"""

import functools
import runpy
from collections.abc import Callable

from torch import Tensor

from semblance.training.batch import Batch


def loss(batch: Batch, *, file: str, options: dict | None = None) -> Tensor:
    """Return what the function ``loss`` of a file returns of a batch and of its own options."""
    return function_of(file)(batch, **(options or {}))


@functools.cache
def function_of(file: str) -> Callable[..., Tensor]:
    """Run a file, once a process, and return its function ``loss``."""
    return runpy.run_path(file)["loss"]
