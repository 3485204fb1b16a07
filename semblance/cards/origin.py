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
    for path, node in _behind(record, records):
        if node is None:
            unread.add("/".join(path.parts[-3:]))
        elif _is_prepared(node):
            chosen = dev if path.is_relative_to(records.root / DEV) else data
            # Their records bear the names of the data sets.
            chosen |= {source.stem for source in node.sources}
            if chosen is data:
                own |= {link.place.name for link in node.links if not link.record}
    base = _base_of(record, records)
    return Origin(base, *(tuple(sorted(found)) for found in (data, dev, own, unread)))


def _behind(record: Path, records: Chain) -> Iterator[tuple[Path, Node | None]]:
    """Yield each record behind a model, up to those of prepared data and of downloaded bases.

    The record of a path that cannot be read is None.
    """
    seen = {record}
    waiting = [record]
    while waiting:
        path = waiting.pop()
        node = records.find(path)
        yield path, node
        if node is not None and not _is_prepared(node):
            waiting += node.sources - seen
            seen |= node.sources


def _is_prepared(node: Node) -> bool:
    return node.stage.startswith("prepare_")


def _base_of(record: Path, records: Chain) -> dict[str, Any]:
    """Return the settings of the base that a model starts from, be it through other models."""
    node = records.find(record)
    sources = map(records.find, sorted(node.sources) if node else ())
    by_stage = {source.stage: source for source in sources if source is not None}
    if base := by_stage.get("download_model"):
        return base.record.get("settings", {})
    start = by_stage.get("pretrain") or by_stage.get("train_initial")
    return _base_of(start.path, records) if start else {}
