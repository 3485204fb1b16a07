"""How fast work goes and how long texts are: the shipped estimates, and what finished jobs have shown.

What was learned lies in one small file below the logs, so that the rules can ask without reading records.
"""

import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

from semblance.errors import InputError
from semblance.provenance import read_object, write_json
from semblance.settings import decode
from semblance.strict_yaml import read_yaml

SHIPPED = Path(__file__).parents[1] / "rates.yaml"
LEARNED = "logs/rates.json"  # below the output folder
ANY = "*"  # stands for any base


@dataclass(frozen=True)
class Rate:
    """Units of work a second, the number of finished jobs behind it (0: an estimate), and of which base."""

    rate: float
    n: int = 0
    base: str = ANY


@dataclass(frozen=True)
class Text:
    """Tokens of a sentence, and distinct sentences of a row."""

    tokens: float
    sentences: float


@dataclass(frozen=True)
class Shipped:
    """``rates.yaml``: estimates by device class (gpu, cpu) and stage; texts by kind of corpus."""

    start: dict[str, float]
    bf16: dict[str, float]
    rates: dict[str, dict[str, float]]
    texts: dict[str, Text]


@dataclass(frozen=True)
class Learned:
    """What the records of finished jobs say: rates by CLASS/STAGE/BASE, texts by corpus, sizes of banks."""

    rates: dict[str, Rate] = field(default_factory=dict)
    texts: dict[str, Text] = field(default_factory=dict)
    banks: dict[str, dict[str, int]] = field(default_factory=dict)
    devices: dict[str, int] = field(
        default_factory=dict
    )  # name -> finished jobs whose record names it


def shipped() -> Shipped:
    """Return the estimates that come with the project."""
    return decode(Shipped, read_yaml(SHIPPED), str(SHIPPED))


def learned(out: str | Path) -> Learned:
    """Return what was learned for an output folder; nothing where nothing was, or where the file is damaged."""
    path = Path(out, LEARNED)
    if not path.is_file():
        return Learned()
    try:
        found = decode(Learned, read_object(path), str(path))
        if all(rate.rate > 0 for rate in found.rates.values()):
            return found
        raise InputError(path, "a rate that is not above 0")
    except InputError as error:  # a hint must not stop a run
        print(
            f"warning: {error}; the shipped estimates are used, `make plan` writes it anew",
            file=sys.stderr,
        )
        return Learned()


def write(out: str | Path, found: Learned) -> None:
    """Keep what was learned, for the rules."""
    write_json(Path(out, LEARNED), asdict(found))


def rate(given: Shipped, found: Learned, device: str, stage: str, base: str) -> Rate:
    """Return the rate of a stage on a device class: measured on this base, else on any, else estimated."""
    for name in (base, ANY):
        if f"{device}/{stage}/{name}" in found.rates:
            return found.rates[f"{device}/{stage}/{name}"]
    return Rate(given.rates[device][stage])
