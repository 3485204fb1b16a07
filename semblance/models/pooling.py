"""Poolings found by name: what each of them reads, by the names of its parameters.

A module of ``models/poolings`` has one function, ``pool(last, packed)``. It maps the outputs of the
last layer, (T, d), to sentence vectors, (n, d), in packed order. A pooling that reads more has more
parameters, and gets what their names stand for:

- ``embeddings``: the outputs of the embedding layer, (T, d);
- ``first``: the outputs of the first layer, (T, d);
- ``pooler``: the checkpoint's own linear layer, which it has trained for its [CLS];
- ``masks``: the flat position of each sentence's mask token, (n,). The encoder puts this token at
  the end of each sentence, before the last special one.
"""

import inspect
from collections.abc import Callable

from torch import Tensor

from semblance.errors import InputError
from semblance.named_modules import POOLINGS, load_module

Pool = Callable[..., Tensor]
ALWAYS = ("last", "packed")
MORE = ("embeddings", "first", "pooler", "masks")


def find_pooling(name: str, where: str = "pooling") -> tuple[Pool, frozenset[str]]:
    """Return the function of a pooling, and which of MORE it reads.

    Raises InputError at ``where`` for a name without a module, and for one that reads anything else.
    """
    function = load_module(POOLINGS, name, where).pool
    parameters = tuple(inspect.signature(function).parameters)
    more = frozenset(parameters[len(ALWAYS) :])
    if parameters[: len(ALWAYS)] != ALWAYS or not more <= set(MORE):
        problem = f"pooling {name!r} reads {', '.join(parameters)}"
        known = f"{', '.join(ALWAYS)}, and any of {', '.join(MORE)}"
        raise InputError(where, problem, f"a pooling reads {known}")
    return function, more
