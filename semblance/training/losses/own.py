"""A loss from a file of your own, which may lie anywhere: ``options: {file: PATH, options: {...}}``.

The code of the file counts in what is made again, as that of a module of this folder does.
"""

import functools
import importlib.util
import sys
from collections.abc import Callable

from torch import Tensor

from semblance.errors import InputError
from semblance.training.batch import Batch


def loss(batch: Batch, *, file: str, options: dict | None = None) -> Tensor:
    """Return what the function ``loss`` of a file returns of a batch and of its own options."""
    return function_of(file)(batch, **(options or {}))


@functools.cache
def function_of(file: str) -> Callable[..., Tensor]:
    """Import a file, once a process, and return its function ``loss``."""
    spec = importlib.util.spec_from_file_location("own_loss", file)
    if spec is None or spec.loader is None:
        raise InputError(file, "is no Python file", "name it NAME.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # a dataclass looks for its module there
    spec.loader.exec_module(module)
    return module.loss
