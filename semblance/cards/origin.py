"""What a model was made from: its base and the data sets behind it, found along the records."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from semblance import layout
from semblance.audit.chain import Chain

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
        if not records.is_readable(path):
            unread.add("/".join(path.parts[-3:]))
            continue
        if not _is_prepared(path, records):
            continue
        chosen = dev if _is_dev(path, records.root) else data
        chosen |= _data_sets(records.read(path))
        if chosen is data:
            own |= {file.name for file in records.user_files(path)}
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
        if records.is_readable(path) and not _is_prepared(path, records):
            waiting += records.sources(path)


def _stage(path: Path, records: Chain) -> str:
    return str(records.read(path).get("stage", ""))


def _is_prepared(path: Path, records: Chain) -> bool:
    return _stage(path, records).startswith("prepare_")


def _is_dev(path: Path, root: Path) -> bool:
    return path.is_relative_to(root) and path.relative_to(root).parts[0] == DEV


def _data_sets(record: dict[str, Any]) -> set[str]:
    """Return the data sets that prepared data were made from: their records bear their names."""
    folder = PurePosixPath(layout.RAW_RECORD).parent
    names = (PurePosixPath(name) for name in record.get("records", {}))
    return {name.stem for name in names if name.parent == folder}


def _base_of(record: Path, records: Chain) -> dict[str, Any] | None:
    """Return the settings of the base that a model starts from, be it through other models."""
    readable = [path for path in records.sources(record) if records.is_readable(path)]
    for path in readable:
        if _stage(path, records) == "download_model":
            return records.read(path).get("settings", {})
    for path in readable:
        if _stage(path, records) in ("pretrain", "train_initial"):
            return _base_of(path, records)
    return None
