"""Call a user's loss once on random vectors, in a process of its own, before anything costs time.

    python -m semblance.training.probe FILE OPTIONS TEXTS

OPTIONS are JSON, TEXTS is how many vectors of a row a loss gets: two, or three. The last line of the
output says what is wrong, as ``FILE:LINE: what``, and the exit status is 1.
"""

import inspect
import json
import os
import sys
import traceback

import torch
from torch import Tensor

from semblance.training.batch import Batch
from semblance.training.losses.own import function_of

ROWS, WIDTH = 4, 32


class Wrong(Exception):
    """What is wrong with the value of a loss, which itself raised nothing."""


def check(file: str, options: dict, texts: int) -> None:
    """Raise Wrong, or what the file raises, unless its loss can train a model."""
    # float32, (B, d) each: queries, positives and, of three, hard negatives.
    views = [torch.randn(ROWS, WIDTH, requires_grad=True) for _ in range(texts)]
    value = function_of(file)(Batch(*views), **options)
    if not isinstance(value, Tensor) or value.numel() != 1:
        shape = list(getattr(value, "shape", ()))
        raise Wrong(f"the loss is a {type(value).__name__} {shape}, not one number in a tensor")
    if not value.isfinite():
        raise Wrong(f"the loss of random vectors is {value.item()}")
    if value.requires_grad:
        value.sum().backward()
    reached = [view.grad for view in views if view.grad is not None]
    gradients = torch.stack(reached) if reached else torch.zeros(1)
    if not gradients.isfinite().all():
        raise Wrong("the gradient of random vectors is not finite")
    if not gradients.any():
        raise Wrong("no gradient reaches the vectors: the loss ignores its input, or detaches it")


def line_of(file: str, error: Exception | SystemExit) -> int:
    """Return the line of a file where an error arose; of none in it, that of its function ``loss``."""
    frames = traceback.extract_tb(error.__traceback__)
    path = os.path.abspath(file)
    lines = [frame.lineno for frame in frames if os.path.abspath(frame.filename) == path]
    if lines or isinstance(error, KeyError):  # without a function ``loss``
        return [1, *lines][-1]
    code = getattr(inspect.unwrap(function_of(file)), "__code__", None)  # below its decorators
    return code.co_firstlineno if code else 1


def main(file: str, options: str, texts: str) -> None:
    """Check a file; print what is wrong with it as the last line, and exit with status 1."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    try:
        check(file, json.loads(options), int(texts))
    except (Exception, SystemExit) as error:
        words = " ".join(str(error).split()) or type(error).__name__
        kind = "" if isinstance(error, Wrong) else f"{type(error).__name__}: "
        print(f"\n{file}:{line_of(file, error)}: {kind}{words}", flush=True)
        sys.exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
