"""What a model was made from: its base and the data sets behind it, found along the records."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semblance import layout
from semblance.audit.chain import Chain, Node

DEV = layout.STS_DEV_DATA.partition("/")[0]  # the folder of the data that choose a checkpoint


@dataclass(frozen=True)
class Origin:
    """What a model was made from.

    ``base`` are the settings of its base. ``data`` names the data sets of its corpora and those of
    all models that it learned from; ``dev`` those that chose a checkpoint. ``own`` are the user's
    own files, ``unread`` the records that could not be read.
    """

    base: dict[str, Any]
    data: tuple[str, ...]
    dev: tuple[str, ...]
    own: tuple[str, ...]
    unread: tuple[str, ...]


def origin_of(record: Path, records: Chain) -> Origin:
    """Return what the model of a record was made from."""
    data: set[str] = set()
    dev: set[str] = set()
    own: set[str] = set()
    unread: set[str] = set()
    for path in _behind(record, records):
        node = records.find(path)
        if node is None:
            unread.add("/".join(path.parts[-3:]))
            continue
        if not _is_prepared(node):
            continue
        chosen = dev if path.is_relative_to(records.root / DEV) else data
        # Their records bear the names of the data sets.
        chosen |= {link.place.stem for link in node.links if link.place and link.record}
        if chosen is data:
            own |= {link.place.name for link in node.links if link.place and not link.record}
    base = _base_of(record, records) or {}
    return Origin(base, *(tuple(sorted(found)) for found in (data, dev, own, unread)))


def _behind(record: Path, records: Chain) -> Iterator[Path]:
    """Yield each record behind a model, up to those of prepared data and of downloaded bases."""
    seen: set[Path] = set()
    waiting = [record]
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        yield path
        node = records.find(path)
        if node is not None and not _is_prepared(node):
            waiting += _sources(node)


def _sources(node: Node) -> list[Path]:
    """Return the records that a record was made from, those that are missing included."""
    return sorted({link.place for link in node.links if link.place and link.record})


def _is_prepared(node: Node) -> bool:
    return node.stage.startswith("prepare_")


def _base_of(record: Path, records: Chain) -> dict[str, Any] | None:
    """Return the settings of the base that a model starts from, be it through other models."""
    node = records.find(record)
    sources = list(filter(None, map(records.find, _sources(node) if node else [])))
    for source in sources:
        if source.stage == "download_model":
            return source.record.get("settings", {})
    for source in sources:
        if source.stage in ("pretrain", "train_initial"):
            return _base_of(source.path, records)
    return None
