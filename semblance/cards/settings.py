"""What the cards of a run need to know besides its records."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Described:
    """A data set as the manifest describes it."""

    title: str
    licence: str
    homepage: str | None = None


@dataclass(frozen=True)
class CardSettings:
    """``data``: each data set of the config. ``original``: the STS tasks whose files are released ones."""

    data: dict[str, Described]
    original: tuple[str, ...] = ()
