"""The cards of the models that a run has trained: a README.md in the folder of each.

A card is no output of a training, and no stage reads it: other words make nothing stale.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from huggingface_hub import EvalResult, ModelCardData

from semblance import layout
from semblance.fetch.manifest import load_manifest
from semblance.files import write_text
from semblance.names import FAQ_DEV, STS_DEV
from semblance.provenance import Record, read_sealed
from workflow.config.inputs import DatasetBank, OfHub, TrainedHere
from workflow.config.model import Config
from workflow.planning.plan import Plan, Run
from workflow.planning.stages import jobs, record, weights

TASKS = {  # the kinds of tests, as cards name them
    "sts": "semantic-similarity",
    "transfer": "text-classification",
    "faq": "information-retrieval",
}
NO_TEST = {  # rows of scores.csv
    "task": [STS_DEV, "training"],
    "protocol": [FAQ_DEV],
    "aggregation": ["dev", "ceiling", "subset"],
}
LANGUAGE = "en"  # of the data sets of our manifests; that of a user's own file is not known
BESIDE_SETTINGS = ("steps", "device")  # of the record of a training
TEXT = """---
{facts}
---

# {method} on {corpus}, from {base}, seed {seed}

Trained by Semblance. Beside this folder, `record.json` names the files that it was trained from by
their digests, and `dev.csv` has its dev scores.

{sections}
"""


def write_cards(config: Config) -> None:
    """Write the card of each model that a run has trained and not deleted since.

    It says what is known by then: a model without tests has no scores. InputError for a damaged
    manifest or record.
    """
    plan = Plan(config)
    datasets = load_manifest(config.manifest)
    licences = {name: dataset.licence for name, dataset in datasets.items()}
    judged = _rows_of(Path(config.output, layout.TABLES, "claims.csv"))
    for job in jobs(plan):
        model = Path(weights(plan, job))
        if job.base and job.name and model.is_file():  # trained from a base, by a method
            run, made = Run(*job[1:]), read_sealed(record(plan, job))
            facts = _facts(plan, run, made, licences)
            sections = [*_training(made, facts), *_verdicts(plan, run, judged)]
            text = TEXT.format(facts=facts, sections="\n".join(sections), **run._asdict())
            write_text(model.with_name("README.md"), text)


def _facts(plan: Plan, run: Run, made: Record, licences: Mapping[str, str]) -> ModelCardData:
    """Return the head of a card, for programs."""
    base = plan.config.origin(run.base)
    datasets = dict.fromkeys(_datasets(plan, run))
    return ModelCardData(
        base_model=base.hub if isinstance(base, OfHub) else run.base,
        language=LANGUAGE if datasets else None,
        license="other",
        license_name="terms-of-base-and-data",  # a short name, as the hub wants it
        licences={run.base: base.licence or "none stated"} | {n: licences[n] for n in datasets},
        datasets=list(datasets) or None,
        library_name="sentence-transformers",
        pipeline_tag="sentence-similarity",
        dev_score=made.get("training", {}).get("best"),
        model_name="/".join(map(str, run)),
        eval_results=list(_results(plan, run)) or None,
    )


def _training(made: Record, facts: ModelCardData) -> Iterator[str]:
    """Yield how a model was trained, and under which terms what it was trained from stands."""
    yield from ("## Training", "")
    said = made["settings"] | {key: made[key] for key in BESIDE_SETTINGS if key in made}
    yield from (f"- {key.replace('_', ' ')}: {value}" for key, value in said.items())
    if facts.dev_score is not None:
        yield f"- dev score: {facts.dev_score:.4f}, at step {made['training']['best_step']}"
    yield from ("", "## Terms of the base and of the data", "")
    yield from (f"- {name}: {licence}" for name, licence in facts.licences.items())


def _datasets(plan: Plan, run: Run) -> Iterator[str]:
    """Yield the data sets of the manifest that a model has learnt from, those of its base included."""
    base, corpora = plan.config.bases[run.base], plan.config.corpora
    if isinstance(base, TrainedHere):
        yield from corpora[base.corpus].datasets
    if not plan.is_faq(run.corpus):
        yield from corpora[run.corpus].datasets
    elif isinstance(bank := plan.banks[plan.bank_of(run.corpus)], DatasetBank):
        yield bank.dataset


def _results(plan: Plan, run: Run) -> Iterator[EvalResult]:
    """Yield each test score of a model, a share of 1."""
    for kind, folder in layout.SCORES_OF.items():
        place = layout.place(plan.out, folder, **run._asdict())
        for row in _rows_of(Path(place, layout.SCORE_FILE)):
            if not any(row[column] in values for column, values in NO_TEST.items()):
                yield EvalResult(
                    task_type=TASKS[kind],
                    dataset_type=row["task"],
                    dataset_name=row["task"],
                    dataset_config=row["protocol"],
                    metric_type=row["metric"],
                    metric_name=f"{row['metric']}, {row['aggregation']}",
                    metric_value=float(row["value"]),
                )


def _verdicts(plan: Plan, run: Run, judged: Iterable[Mapping[str, str]]) -> list[str]:
    """Return a line for each claim on a model's method that was judged on its base and corpus."""
    corpus = plan.bank_of(run.corpus) if plan.is_faq(run.corpus) else run.corpus
    lines = []
    for claim in judged:
        # As "+1*rcl-4 -1*nli/continued".
        methods = re.split("[ */]", f"{claim['rows']} {claim['rivals']}")
        here = run.base == claim["base"] and corpus in claim["corpus"].split()
        if here and run.method in methods:
            note = " (on a stand-in)" if claim["stand_in"] == "True" else ""
            lines.append(f"- {claim['says']}: {claim['verdict']}{note}")
    title = "## Verdicts on claims of this method, over all its seeds"
    return ["", title, "", *lines] if lines else []


def _rows_of(file: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file; none where it is not there."""
    if not file.is_file():
        return []
    with open(file, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))
