"""What finished jobs used, out of their records and benchmarks, and the rates that follow from it."""

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from semblance.download.manifest import Dataset, load_manifest
from semblance.errors import InputError
from semblance.layout import pattern
from semblance.provenance import read_object
from workflow.costing.model import MODEL_STAGES, TRAININGS, Cost
from workflow.costing.rates import ANY, Learned, Rate, Shipped, Text, shipped, write
from workflow.planning.config import laid_over, load
from workflow.planning.stages import STAGES, Job, finished_job, log

MAPPINGS = (
    "outputs",
    "counts",
    "environment",
    "settings",
    "training",
)  # in a record, where they are there at all
OF_A_FOLD = 1.8  # distinct sentences of a row: the folds' records do not count them
LEAST_WORK = 0.5  # of a job's time that is taken for work, however long its start should have taken


class Used(NamedTuple):
    """What one finished job used; ``memory`` (MB) is None where no benchmark saw it."""

    job: Job
    seconds: float
    memory: float | None
    record: dict[str, Any]
    path: Path

    def disk(self) -> float:
        """Return the MB of the outputs that are there."""
        files = [self.path.parent / name for name in self.record.get("outputs", {})]
        return sum(f.stat().st_size for f in files if f.is_file()) / 1e6


def read(out: str | Path) -> list[Used]:
    """Return what each finished job of an output folder used; what is damaged or no record is left out."""
    root = Path(out)
    places = dict.fromkeys(pattern(stage.record) for stage in STAGES.values())
    found = [_used(root, path) for place in places for path in sorted(root.glob(place))]
    return [used for used in found if used]


def _used(root: Path, path: Path) -> Used | None:
    try:
        record = read_object(path)
    except InputError:
        return None
    seconds, job = (
        record.get("seconds"),
        finished_job(str(record.get("stage")), path.relative_to(root)),
    )
    plain = all(isinstance(record.get(key, {}), dict) for key in MAPPINGS)
    if job is None or not plain or type(seconds) not in (int, float) or seconds < 0:
        return None
    wall, memory = _benchmark(root / f"{log(job)}.tsv")
    return Used(job, max(seconds, wall), memory, record, path)


def _benchmark(path: Path) -> tuple[float, float | None]:
    """Return (seconds, peak MB) of a benchmark of Snakemake's; (0, None) where there is none."""
    try:
        row = next(csv.DictReader(path.open(encoding="utf-8"), delimiter="\t"))
        return float(row["s"]), float(row["max_rss"])
    except (OSError, StopIteration, KeyError, TypeError, ValueError):
        return 0.0, None


def costs(overlays: Iterable[str | Path], output: str | None = None) -> tuple[Cost, Cost]:
    """Return the costs of config files laid over ``config.yaml``: by the estimates, and by what was learned.

    What was learned, from the config's output folder (or ``output``) and the others below results/, is
    written into that output folder for the rules to ask for. Raises InputError as the config's reader does.
    """
    config = load(laid_over(["config.yaml", *overlays]) | ({"output": output} if output else {}))
    manifest, given = load_manifest(config["manifest"]), shipped()
    found = learn(config, manifest, given, folders(config["output"]))
    if found.rates or found.texts:
        write(config["output"], found)
    estimate = Cost(config, manifest, given, Learned(texts=found.texts, banks=found.banks))
    return estimate, Cost(config, manifest, given, found)


def folders(out: str | Path) -> list[Path]:
    """Return an output folder, then the others of the project: results/ and those in it."""
    own, results = Path(out), Path("results")
    others = [results, *sorted(results.iterdir())] if results.is_dir() else []
    return [own, *(f for f in others if (f / "models").is_dir() and f.resolve() != own.resolve())]


def learn(
    config: dict, manifest: Mapping[str, Dataset], given: Shipped, folders: Iterable[str | Path]
) -> Learned:
    """Return the rates and texts that the finished jobs of some output folders show, the config's own first.

    The other folders fill in what the own one has not measured, as far as their records tell the work:
    trainings and embeddings. Their dev sets are taken to be as large as the config's.
    """
    own: dict[str, list[float]] = defaultdict(list)
    others: dict[str, list[float]] = defaultdict(list)
    devices: dict[str, int] = defaultdict(int)
    facts = [_facts(read(folder)) for folder in folders]
    for i, (found, finished) in enumerate(facts):
        cost = Cost(config, manifest, given, found)
        for used in finished:
            if "device" in used.record:
                devices[str(used.record["device"])] += 1
            for key, speed in _speeds(cost, used, own=i == 0):
                (others if i else own)[key].append(speed)
    rates = {
        key: Rate(median(values), len(values), key.rpartition("/")[2])
        for key, values in (others | own).items()
    }
    first = facts[0][0] if facts else Learned()
    return Learned(dict(sorted(rates.items())), first.texts, first.banks, dict(devices))


def _facts(finished: list[Used]) -> tuple[Learned, list[Used]]:
    """Return how long the prepared texts are and how large the banks, with the jobs themselves."""
    records = {u.job: u.record for u in finished}
    prepared = {
        j.corpus or j.name: r.get("counts", {})
        for j, r in records.items()
        if j.stage.startswith("prepare_")
    }
    per_row = {
        name: counts["sentences"] / counts["rows"]
        for name, counts in prepared.items()
        if counts.get("rows")
    }
    texts = {
        j.corpus: Text(r["tokens"] / r["sentences"], per_row.get(j.corpus, OF_A_FOLD))
        for j, r in records.items()
        if j.stage == "tokenise" and r.get("sentences") and r.get("tokens")
    }
    banks = {
        j.name: {k: prepared[j.name][k] for k in ("pairs", "queries") if k in prepared[j.name]}
        for j in records
        if j.stage == "prepare_faq"
    }
    return Learned(texts=texts, banks=banks), finished


def _speeds(cost: Cost, used: Used, own: bool) -> Iterator[tuple[str, float]]:
    """Yield (CLASS/STAGE/BASE, units of work a second) of one job, for its base and for any."""
    work = work_done(cost, used, own)
    device = device_class(used, cost)
    start = cost.given.start[device if used.job.stage in MODEL_STAGES else "light"]
    expected = work / cost.given.rates[device][used.job.stage]
    if (
        expected > start
    ):  # else it tells how long starting takes; judged by the estimate, lest only slow ones count
        for base in dict.fromkeys((used.job.base if used.job.stage in MODEL_STAGES else ANY, ANY)):
            yield (
                f"{device}/{used.job.stage}/{base}",
                work / max(used.seconds - start, LEAST_WORK * used.seconds),
            )


def device_class(used: Used, cost: Cost) -> str:
    """Return the class of device that a finished job ran on, as its record says."""
    if used.job.stage not in MODEL_STAGES:
        return "cpu"
    if "device" in used.record:
        return "cpu" if str(used.record["device"]).startswith("cpu") else "gpu"
    without_cuda = str(used.record.get("environment", {}).get("torch", "")).endswith("+cpu")
    return "cpu" if without_cuda else cost.device


def work_done(cost: Cost, used: Used, own: bool) -> float:
    """Return the units of work that a finished job did, by its own record; 0 where that cannot be told."""
    job, record = used.job, used.record
    try:
        if job.stage in TRAININGS:
            settings = record["settings"] | {
                "batch_size": record["batch_size"]
            }  # the size that the corpus could fill
            return cost.training(job, settings, record["training"]["step"])
        if job.stage == "embed":
            return cost.embedding(
                job, record.get("settings", {}), record["sentences"], record["max_length"]
            )
        return cost.work(job) if own else 0.0
    except (
        KeyError,
        TypeError,
    ):  # a corpus or base that this config does not know, or a record of another version
        return 0.0
