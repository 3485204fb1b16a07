"""How fast work goes: the shipped estimates, and one factor of this machine from finished jobs.

The factor lies in one small file below the output folder, so that rules need not read records.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from semblance.provenance import read_object, write_json
from semblance.settings import decode
from semblance.strict_yaml import read_yaml

SHIPPED = Path(__file__).parents[1] / "rates.yaml"
FACTOR = "logs/factor.json"  # below the output folder


@dataclass(frozen=True)
class Factor:
    """How many times as long as by rates.yaml jobs take here, by ``n`` of them; 1 before any."""

    value: float = 1.0
    n: int = 0


def shipped() -> dict[str, Any]:
    """Return the content of rates.yaml."""
    return read_yaml(SHIPPED)


def kept_factor(out: str | Path) -> Factor:
    """Return the factor kept for an output folder, if there is one."""
    path = Path(out, FACTOR)
    if not path.is_file():
        return Factor()
    return decode(Factor, read_object(path), str(path))


def keep_factor(out: str | Path, factor: Factor) -> None:
    """Keep a factor for the rules."""
    write_json(Path(out, FACTOR), asdict(factor))
