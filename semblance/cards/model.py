"""A trained model as its card shows it: names, weights, origin, scores, what its data allow."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semblance.cards.licences import Standing, common_hub_name, common_standing
from semblance.cards.origin import Origin
from semblance.cards.scores import Place, Score
from semblance.cards.settings import CardSettings, Described
from semblance.cards.text import one_line
from semblance.errors import InputError
from semblance.provenance import read_json, read_object

OWN = Described("the user's own file", "", None)
NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]")
MODULES = "modules.json"
POOLING = "Pooling"


@dataclass(frozen=True)
class Model:
    """One trained model; ``record`` is that of its training, ``folder`` what a library loads.

    ``folds`` says how it was tested on the folds of its bank.
    """

    place: Place
    folder: Path
    record: dict[str, Any]
    weights: str
    origin: Origin
    scores: tuple[Score, ...]
    settings: CardSettings
    folds: tuple[str, ...] = ()

    @property
    def revision(self) -> str:
        """The name of these weights among all versions of the model, made from their digest."""
        return revision_of(self.weights)

    @property
    def name(self) -> str:
        """A name that a hub accepts."""
        named = NOT_IN_NAMES.sub("-", "-".join(self.place[:3]))
        return f"{named.strip('.-')}-seed-{self.place.seed}"

    @property
    def data(self) -> dict[str, Described]:
        """Each data set and own file that the weights were learned from."""
        known = {name: self._described(name) for name in self.origin.data}
        return known | dict.fromkeys((*self.origin.own, *self.origin.unread), OWN)

    @property
    def dev(self) -> dict[str, Described]:
        """Each data set that chose the checkpoint."""
        return {name: self._described(name) for name in self.origin.dev}

    def _described(self, name: str) -> Described:
        return self.settings.data.get(name, Described(name, ""))

    @property
    def licences(self) -> list[str]:
        """The stated licence of each of its data sets."""
        return [described.licence for described in self.data.values()]

    @property
    def standing(self) -> Standing:
        """What its data allow."""
        return common_standing(self.licences)

    @property
    def licence(self) -> str:
        """The hub's name of the licence of its data."""
        return common_hub_name(self.licences)

    @property
    def base(self) -> str | None:
        """The hub's name of its base; None of a base from elsewhere."""
        hub = self.origin.base.get("hub")
        if isinstance(hub, str) and hub:
            return one_line(hub)
        return None

    @property
    def pooling(self) -> str:
        """The pooling, as sentence-transformers names it; of several modules, their kinds."""
        return pooling_of(self.folder)


def revision_of(weights: str) -> str:
    """Return the name of weights among all versions of a model, made from their sha256."""
    return f"weights-{weights[:16]}"


def pooling_of(folder: Path) -> str:
    """Return the pooling that a model folder states; InputError if its files state none."""
    listing = read_json(folder / MODULES)
    try:
        kinds = {entry["type"].rpartition(".")[2]: entry["path"] for entry in listing}
        if POOLING not in kinds:
            return ", ".join(kinds)
        config = read_object(folder / kinds[POOLING] / "config.json")
    except (TypeError, KeyError, AttributeError):
        raise InputError(folder / MODULES, "no list of modules", "train it again") from None
    chosen = [name for name, value in config.items() if value is True]
    return ", ".join(chosen) or str(config.get("pooling_mode", ""))
