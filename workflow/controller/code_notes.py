"""Which modules a digest of code covers, noted below the output folder.

A record holds one digest of all code that its stage ran. With the notes, a later start can say in
which file the code has changed since.
"""

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path

from semblance.code_digest import code_digest, module_digests
from semblance.errors import InputError
from semblance.files import write_text
from semblance.provenance import read_object

NOTES = "logs/code.json"  # below the output folder
DIGITS = 12  # of the digest of a module
MOST = 200  # digests of code that are kept, the latest ones

_stages: dict[str, tuple[str, ...]] = {}  # the digests of this process: of which modules


def digest(*modules: str) -> str:
    """Return the digest of all code that modules run, and remember which modules they are."""
    found = code_digest(*modules)
    _stages[found] = modules
    return found


def parts(out: str | Path) -> dict[str, dict[str, str]]:
    """Return each known digest of code with its modules and the beginnings of their digests."""
    known = _noted(out)
    for code, modules in _stages.items():
        found = module_digests(*modules)
        known.pop(code, None)  # so that it becomes the last one
        known[code] = {name: text[:DIGITS] for name, text in sorted(found.items())}
    return known


def note(out: str | Path) -> None:
    """Note what the digests of this process cover, beside those of before."""
    latest = dict(list(parts(out).items())[-MOST:])
    write_text(Path(out, NOTES), json.dumps(latest, indent=2) + "\n")  # their order is their age


def _noted(out: str | Path) -> dict[str, dict[str, str]]:
    """Return the notes of earlier starts; none if they are missing or damaged."""
    with contextlib.suppress(InputError, OSError):
        found = read_object(Path(out, NOTES))
        return {
            code: dict(modules) for code, modules in found.items() if isinstance(modules, Mapping)
        }
    return {}
