"""What a paper used for a printed row: base model, data, method, as workflow/published.yaml says.

A score of ours is compared with a printed one only if it was made from the same things.
"""

from dataclasses import asdict, dataclass, field
from typing import Any

from semblance.errors import InputError

Names = tuple[str, ...]


@dataclass(frozen=True)
class Base:
    """A base model: a repository of a hub, and its commit and its weights' digest where known.

    None: the paper does not say it. No base of ours counts as a model without ``hub`` and digest.
    """

    hub: str | None = None
    pooling: str | None = None
    revision: str | None = None
    weights_sha256: str | None = None
    max_length: int | None = None


@dataclass(frozen=True)
class Uses:
    """What a table, or one of its rows, says that it used; names are those of ``Used``.

    ``dev`` is the data set that chooses which state of a training is kept. ``limit``: how many rows
    of the corpus; without it all. ``grid``: the method, of several settings, out of which the paper
    chose ``method`` on dev.
    """

    base: str | None = None
    corpus: str | None = None
    limit: int | None = None
    tests: str | None = None
    dev: str | None = None
    method: str | None = None
    grid: str | None = None
    folds: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Used:
    """All that the papers used, by name.

    ``datasets``: the content of each data set, as a digest of its files' checksums. ``corpora``:
    lists of data sets, any one of which will do; ``labels``: of a corpus of labelled pairs, the
    labels of the pairs that it takes. ``methods``: settings of a training, where None
    means that a setting is not there, and a list that any of its values will do.
    """

    bases: dict[str, Base] = field(default_factory=dict)
    datasets: dict[str, str] = field(default_factory=dict)
    corpora: dict[str, tuple[Names, ...]] = field(default_factory=dict)
    labels: dict[str, Names] = field(default_factory=dict)
    tests: dict[str, Names] = field(default_factory=dict)
    methods: dict[str, dict[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Source:
    """What one printed row was made from.

    ``tests`` are the data sets of its scores; empty where the corpus, a FAQ bank, has its own.
    ``limit``: how many rows of the corpus; None: all. ``grid``: the settings out of which it was
    chosen; empty where the paper names none.
    """

    base: str
    corpus: str
    method: str
    tests: Names = ()
    dev: str | None = None
    folds: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    grid: dict[str, Any] = field(default_factory=dict)
    limit: int | None = None


def source_of(used: Used, table: Uses, row: Uses, where: str) -> Source:
    """Return what a row used: what it says itself, and what its table says of all its rows.

    Raises InputError for a missing part and for a name that ``used`` does not explain.
    """
    said = asdict(table) | {key: value for key, value in asdict(row).items() if value}
    settings = table.settings | row.settings
    for key, names in (
        ("base", used.bases),
        ("corpus", used.corpora),
        ("method", used.methods),
        ("tests", used.tests),
        ("grid", used.methods),
    ):
        if said[key] is None and key in ("base", "corpus", "method"):
            advice = "say in `uses` or `rows_use` what the paper used"
            raise InputError(f"{where}: {key}", "is not stated", advice)
        if said[key] is not None and said[key] not in names:
            problem = f"no {said[key]!r} under `used`"
            raise InputError(f"{where}: {key}", problem, f"known are {', '.join(names)}")
    return Source(
        base=said["base"],
        corpus=said["corpus"],
        method=said["method"],
        tests=used.tests.get(said["tests"], ()),
        dev=said["dev"],
        folds=said["folds"],
        settings=used.methods[said["method"]] | settings,
        grid=used.methods[said["grid"]] | settings if said["grid"] else {},
        limit=said["limit"],
    )
