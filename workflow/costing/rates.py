"""How fast work goes: the shipped estimates, and what finished jobs have shown.

What was learned lies in one small file below the output folder, so that rules need not read records.
"""

import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from semblance.errors import InputError
from semblance.provenance import read_object, write_json
from semblance.settings import decode
from semblance.strict_yaml import read_yaml

SHIPPED = Path(__file__).parents[1] / "rates.yaml"
LEARNED = "logs/rates.json"  # below the output folder


@dataclass(frozen=True)
class Rate:
    """Units of work a second, as the median of ``n`` finished jobs; an estimate has ``n`` 0."""

    rate: float
    n: int = 0


def shipped() -> dict[str, Any]:
    """Return the content of rates.yaml."""
    return read_yaml(SHIPPED)


def learned(out: str | Path) -> dict[str, Rate]:
    """Return the rates learned for an output folder; a damaged file is no more than a warning."""
    path = Path(out, LEARNED)
    if not path.is_file():
        return {}
    try:
        found = {k: decode(Rate, v, f"{path}: {k}") for k, v in read_object(path).items()}
        if any(rate.rate <= 0 for rate in found.values()):
            raise InputError(path, "a rate is not above 0")
    except InputError as error:
        print(f"warning: {error}; the estimates of {SHIPPED.name} are used", file=sys.stderr)
        return {}
    return found


def beside(out: str | Path) -> dict[str, Rate]:
    """Return the rates learned for the output folders beside one, of the most jobs where several.

    They lie in the same working folder, so the same machine most likely made them.
    """
    found: dict[str, Rate] = {}
    for path in sorted(Path(out).parent.glob(f"*/{LEARNED}")):
        folder = path.parents[1]
        if folder.name != Path(out).name:
            for key, rate in learned(folder).items():
                found[key] = max(found.get(key, rate), rate, key=lambda known: known.n)
    return found


def update(out: str | Path, found: dict[str, Rate]) -> dict[str, Rate]:
    """Keep newly learned rates beside those of before, for the rules; return all of them."""
    known = learned(out) | found
    if found:
        write_json(Path(out, LEARNED), {key: asdict(rate) for key, rate in known.items()})
    return known
