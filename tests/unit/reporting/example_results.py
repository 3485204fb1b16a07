"""A whole results folder in small, for tests: made-up numbers, but every file and record by the real writers."""

from itertools import product
from pathlib import Path

import numpy as np

from semblance.evaluation import faq as faq_scores
from semblance.evaluation import sts
from semblance.evaluation.faq import FaqRun
from semblance.evaluation.metrics import accuracy_at, average_precision
from semblance.evaluation.scored import Evaluation, Target
from semblance.evaluation.sts import StsRun
from semblance.provenance import (
    canonical,
    checked,
    file_digest,
    outputs_digest,
    read_sealed,
    text_digest,
    write_record,
    write_sealed,
)
from semblance.reporting.layouts import find_layout
from semblance.reporting.published import PAPERS
from tests.example_settings import COMPUTE
from tests.scripts.flags import flags
from workflow.scripts import collect_scores, compare_published, judge_claims, render_table

SUBSETS = (("sts12", "MSRpar"), ("sts12", "MSRvid"), ("stsb", ""), ("stsb-dev", ""))
SEEDS = (1, 2, 3)
NOISE = {"start": 2.0, "simcse": 1.0, "rcl": 0.4}
WEIGHTS = "model/model.safetensors"
METHODS = ["simcse", "rcl"]
RUNS = [(corpus, method) for corpus in ("nli", "bank-0", "bank-1") for method in METHODS]
DEVICE = "cpu, 1 threads"
SCORE = {"subset": "", "aggregation": "all"}
TABLES = {
    "t_sts": ("sts", ["start", "simcse", "rcl", "lost"]),
    "t_regulators": ("regulators", ["start", "simcse", "rcl"]),
    "t_seeds": ("seeds", ["simcse", "rcl"]),
    "t_dev": ("dev", ["simcse", "rcl"]),
    "t_faq": ("faq", ["start", "simcse", "rcl"]),
}


def build(project: Path) -> Path:
    """Fill ``project/resources`` and ``project/results``; return the latter."""
    results, resources, rng = project / "results", project / "resources", np.random.default_rng(0)
    _prepared(results, resources)
    for corpus, method in RUNS:
        for seed in SEEDS:
            _model(results, resources, corpus, method, seed)
            _scored(results, resources, corpus, method, seed, rng)
    _scored(results, resources, "none", "start", 0, rng)
    for fold in (0, 1):
        _scored(results, resources, f"bank-{fold}", "start", 0, rng)
    collect(results)
    for name in TABLES:
        render(results, name)
    compare(results)
    return results


def made(record: Path, stage: str, files: dict[str, str], **facts) -> None:
    """Write files beside a record, and the record."""
    for name, content in files.items():
        (record.parent / name).parent.mkdir(parents=True, exist_ok=True)
        (record.parent / name).write_text(content)
    write_record(record, stage, outputs=files, started=0.0, **facts)


def outputs(record: Path) -> str:
    """Return the digest of all that a record vouches for, as trainings name it."""
    return text_digest(canonical(checked(record)["outputs"]))


def _made_from(
    record: Path, stage: str, files: dict[str, str], read: dict[str, tuple[Path, str]], **facts
) -> None:
    """Write files and their record. ``read``: by role, a record and its output; empty: all."""
    inputs = {
        role: checked(source)["outputs"][name] if name else outputs(source)
        for role, (source, name) in read.items()
    }
    records = {role: read_sealed(source) for role, (source, _) in read.items()}
    made(record, stage, files, inputs=inputs, records=records, **facts)


def _prepared(results: Path, resources: Path) -> None:
    data = resources / "data"
    (data / "records").mkdir(parents=True)
    (data / "raw.txt").write_text("raw\n")
    files = {"raw.txt": {"sha256": file_digest(data / "raw.txt"), "size": 4}}
    write_sealed(data / "records" / "raw.json", {"dataset": "raw", "files": files})
    base = resources / "models/tiny/record.json"
    files = {WEIGHTS: "base", "model/tokenizer.json": "{}"}
    facts = {"inputs": {"weights": "0" * 64}, "settings": {"folder": "tiny"}}
    made(base, "download_model", files, **facts)
    texts = {"settings": {"protocol": "senteval"}}
    _of_raw(data, results / "sts/record.json", "prepare_sts", {"pairs.parquet": "pairs"}, **texts)
    dev = results / "dev/sts/record.json"
    _of_raw(data, dev, "prepare_dev", {"pairs.parquet": "dev pairs"}, **texts)
    for place, questions in (("dev/bank-0", "dev 0"), ("dev/bank-1", "dev 1"), ("faq/bank", "q")):
        files = {"answers.parquet": "a", "questions.parquet": questions}
        _of_raw(data, results / place / "record.json", "prepare_faq", files)
    for corpus in ("nli", "bank-0", "bank-1"):
        record = results / f"corpora/{corpus}/record.json"
        files = {"sentences.arrow": f"sentences of {corpus}", "rows.arrow": "r"}
        _of_raw(data, record, "prepare_nli", files)
        read = {
            "sentences": (record, "sentences.arrow"),
            "tokenizer": (base, "model/tokenizer.json"),
        }
        tokens = results / f"tokens/tiny/{corpus}/record.json"
        _made_from(tokens, "tokenise", {"tokens.arrow": corpus}, read)


def _of_raw(data: Path, record: Path, stage: str, files: dict[str, str], **facts) -> None:
    """Write files that were made from the raw file, and their record."""
    inputs = {"raw.txt": file_digest(data / "raw.txt")}
    records = {"raw.txt": read_sealed(data / "records/raw.json")}
    made(record, stage, files, inputs=inputs, records=records, **facts)


def _model(results: Path, resources: Path, corpus: str, method: str, seed: int) -> None:
    tokens = results / f"tokens/tiny/{corpus}/record.json"
    read = {
        "base": (resources / "models/tiny/record.json", ""),
        "tokens": (tokens, ""),
        "corpus": (results / f"corpora/{corpus}/record.json", ""),
    }
    if (corpus, method) == ("nli", "rcl"):
        entropy = results / f"models/nli/tiny/entropy-0.01/seed-{seed}/record.json"
        files = {WEIGHTS: f"entropy {seed}", "dev.csv": "step,dev\n"}
        settings = {"seed": seed, "options": {"phi": 0.01}}
        _made_from(entropy, "train_entropy", files, read, settings=settings)
        place = f"embeddings/nli/tiny/entropy-0.01/seed-{seed}/record.json"
        frozen = {"model": (entropy, WEIGHTS), "tokens": (tokens, "tokens.arrow")}
        _made_from(results / place, "embed", {"embeddings.npy": f"frozen {seed}"}, frozen)
        read[f"results/{place}"] = (results / place, "embeddings.npy")
    dev = "sts" if corpus == "nli" else corpus
    read["dev"] = (results / f"dev/{dev}/record.json", "")
    _made_from(
        results / f"models/{corpus}/tiny/{method}/seed-{seed}/record.json",
        "train",
        {WEIGHTS: f"{corpus} {method} {seed}", "dev.csv": "step,dev\n"},
        read,
        device=DEVICE,
        settings={"seed": seed, "learning_rate": 3e-5},
        steps=7,
        training={"step": 7, "best_step": 5, "best": 0.5},
    )


def _scored(
    results: Path, resources: Path, corpus: str, method: str, seed: int, rng: np.random.Generator
) -> None:
    run = (corpus, "tiny", method, str(seed))
    model = resources / "models/tiny"
    if method != "start":
        model = results / f"models/{corpus}/tiny/{method}/seed-{seed}"
    tests, corpora = ("faq", corpus) if corpus.startswith("bank-") else ("sts", "sts")
    data = results / ("faq/bank/record.json" if tests == "faq" else "sts/record.json")
    read = {
        "weights": checked(model / "record.json"),
        "data": checked(data),
        "dev": checked(results / f"dev/{corpora}/record.json"),
    }
    if tests == "faq":
        asked = FaqRun(*run, "bank", int(corpus[-1]), ("pairs", "annotated"))
        predictions = _ranks(rng)
        shared = {"fold": corpus[-1], "task": "bank"}
        rows = [shared | row for row in faq_scores.score_rows(predictions)]
    else:
        asked = StsRun(*run)
        predictions = _similarities(NOISE[method], rng)
        rows = [*sts.score_rows(predictions), _alignment(predictions)]
        if method != "start":  # the steps that the record of ``_model`` has
            rows.append(SCORE | {"task": "training", "metric": "steps", "value": 7.0, "n": 1})
        rows = [{"fold": "", "protocol": "senteval"} | row for row in rows]
    for row in rows:
        if "dev" in (row["protocol"], row["task"].removeprefix("stsb-")):
            row["data"] = outputs_digest(read["dev"])
    facts = {"weights": read["weights"]["outputs"][WEIGHTS], "data": outputs(data)}
    facts |= {"precision": "fp32", "code": "c0", "environment": "e0"}
    record = results / "scores" / tests / "/".join(run[:3]) / f"seed-{seed}" / "record.json"
    record.parent.mkdir(parents=True, exist_ok=True)
    evaluation = Evaluation(Target(record, COMPUTE, facts["code"]), read, facts, DEVICE)
    evaluation.write(f"evaluate_{tests}", asked, rows, predictions)


def _alignment(predictions: dict[str, np.ndarray]) -> dict[str, object]:
    """Return a score row of alignment, which is measured on the near pairs of STS-B."""
    near = (predictions["task"] == "stsb") & (predictions["gold"] > 4)
    return SCORE | {"task": "stsb", "metric": "alignment", "value": 0.25, "n": int(near.sum())}


def _similarities(noise: float, rng: np.random.Generator) -> dict[str, np.ndarray]:
    gold = np.random.default_rng(1)  # the same for every run
    parts = []
    for task, subset in SUBSETS:
        scores = gold.integers(0, 11, 40) / 2
        similarities = np.tanh(scores / 5 + noise * rng.normal(size=40) - 0.5)
        parts.append([[task] * 40, [subset] * 40, range(40), scores, similarities])
    names = ("task", "subset", "index", "gold", "similarity")
    columns = map(np.concatenate, zip(*parts, strict=True))
    return dict(zip(names, columns, strict=True))


def _ranks(rng: np.random.Generator) -> dict[str, list]:
    counts = [1] * 30 + rng.integers(1, 4, 20).tolist() + [1] * 10
    ranks = [np.sort(rng.choice(np.arange(1, 12), size=n, replace=False)) for n in counts]
    return {
        "protocol": ["pairs"] * 30 + ["annotated"] * 20 + ["dev"] * 10,
        "query": [f"q{i}" for i in range(60)],
        "group": [f"g{i // 2}" for i in range(60)],
        "best": [list(range(1, n + 1)) for n in counts],
        "ranks": [r.tolist() for r in ranks],
        **{f"acc@{k}": [accuracy_at(r, k) for r in ranks] for k in (1, 3, 5)},
        "ap": [average_precision(r) for r in ranks],
    }


def settings(name: str) -> dict:
    """Return the settings of one of the tables."""
    layout, methods = TABLES[name]
    rows = [
        {"label": m, "corpus": "nli", "base": "tiny", "method": m, "seeds": list(SEEDS)}
        for m in methods
    ]
    for row in rows:
        if (layout, row["method"]) == ("sts", "rcl"):
            row["published"] = "rcl/3/RCL"
    shape = find_layout(layout)
    found = {"name": name, "title": "T", "layout": layout, "rows": rows, "draws": 50}
    found["tasks"] = ["sts12", "stsb"] if shape.tasks is None else list(shape.tasks)
    found["control"] = next(method for method in methods if method != "start")
    if shape.over_folds:
        found |= {"dataset": "bank", "folds": 2, "protocols": ["pairs", "annotated"]}
    return found


def collect(results: Path) -> None:
    """Write the long CSV of all scores."""
    tables = results / "tables"
    root = results / "scores"
    runs: dict[str, list[int]] = {}
    for path in sorted(root.glob("*/*/*/*/seed-*/scores.csv")):
        run = str(path.parents[1].relative_to(root))
        runs.setdefault(run, []).append(int(path.parent.name.removeprefix("seed-")))
    made = {"output": tables / "scores.csv", "record": tables / "records/scores.json"}
    collect_scores.main(flags(root=root, runs=runs, **made))


def runs_of(results: Path, name: str) -> dict[str, list[int]]:
    """Return the runs of one of the tables that have scores, with their seeds."""
    layout, methods = TABLES[name]
    tests = find_layout(layout).tests
    corpora = [f"{tests}/none", f"{tests}/nli"]
    if find_layout(layout).over_folds:
        corpora = ["faq/bank-0", "faq/bank-1"]
    found: dict[str, list[int]] = {}
    for corpus, method, seed in product(corpora, methods, (0, *SEEDS)):
        run = f"{corpus}/tiny/{method}"
        if (results / "scores" / run / f"seed-{seed}" / "scores.csv").is_file():
            found.setdefault(run, []).append(seed)
    return found


def render(results: Path, name: str, **changes: object) -> None:
    """Render one of the tables; some flags may have other values."""
    given = {"settings": settings(name), "runs": runs_of(results, name)}
    render_other(results, name, **given | changes)


def render_other(results: Path, name: str, **given: object) -> None:
    """Render a table of these settings and runs as its rule does."""
    tables = results / "tables"
    ends = {"csv": "csv", "markdown": "md", "latex": "tex"}
    files = {form: tables / f"{name}.{end}" for form, end in ends.items()}
    files |= {"json": tables / f"json/{name}.json", "record": tables / f"records/{name}.json"}
    render_table.main(flags(**files, results=results, papers=PAPERS, **given))


def compare(results: Path) -> None:
    """Write the pages that are made from all tables: the comparison and the claims."""
    tables = results / "tables"
    records = [tables / f"records/{name}.json" for name in TABLES]

    def page(name: str, **forms: str) -> list[str]:
        """Return what each of the programs is given."""
        forms = {form: tables / f"{name}.{end}" for form, end in forms.items()}
        return flags(tables=records, record=tables / f"records/{name}.json", **forms)

    papers = flags(papers=PAPERS)
    compare_published.main([*papers, *page("published", output="md")])
    judge_claims.main([*papers, *page("claims", csv="csv", markdown="md")])
