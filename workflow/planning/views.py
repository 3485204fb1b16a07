"""What each view takes that changes texts, read from its source."""

import functools
from inspect import Signature
from typing import Any

from semblance import settings
from semblance.errors import InputError
from semblance.named_modules import VIEWS, module_file
from workflow.planning.signatures import read_signature


def check_options(name: str, options: dict[str, Any], where: str) -> None:
    """Raise InputError, with the key, unless the view changes texts and takes these options."""
    change = _signature_of_change(name)
    if change is not None:
        settings.check_keywords(change, options, where)
    elif options:
        raise InputError(where, f"view {name!r} changes no text", "remove these options")


@functools.cache
def _signature_of_change(name: str) -> Signature | None:
    return read_signature(module_file(VIEWS, name, "views"), "change")
