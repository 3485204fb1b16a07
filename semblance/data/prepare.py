"""From raw files to prepared corpora, test sets and FAQ folds, with every expected count asserted."""

from dataclasses import dataclass
from pathlib import Path
from typing import Mapping, Sequence

import pyarrow as pa

from semblance.data import faq, folds, nli, sts, wiki
from semblance.data.corpus import number_sentences, write_corpus, write_parquet
from semblance.data.text import read_csv
from semblance.download.manifest import Dataset
from semblance.errors import InputError
from semblance.provenance import file_digest, read_sealed

STS_DATASETS = {f"sts{y}": y for y in range(12, 17)} | {f"sts{y}-raw": y for y in range(12, 17)}


@dataclass(frozen=True)
class CorpusSettings:
    """A training set: its kind, its datasets in the manifest, and a cap on its rows."""

    kind: str
    datasets: tuple[str, ...]
    limit: int | None = None


@dataclass(frozen=True)
class StsSettings:
    """The test sets' datasets and the text variant that labels their scores."""

    datasets: tuple[str, ...]
    protocol: str


@dataclass(frozen=True)
class BankSettings:
    """A FAQ bank: its format, where it comes from, and its split."""

    name: str
    kind: str
    folds: int
    seed: int
    dataset: str | None = None
    path: str | None = None


class Raw:
    """The raw files of a manifest's datasets below one folder, checked as they are opened."""

    def __init__(self, datasets: Mapping[str, Dataset], folder: str | Path):
        self.datasets, self.folder = datasets, Path(folder)
        self.inputs: dict[str, str] = {}

    def files(self, name: str) -> list[Path]:
        """Return a dataset's files after checking them against the manifest's and the download's digests."""
        if name not in self.datasets:
            raise InputError(
                f"dataset {name}",
                "is not in the manifest",
                f"known are {', '.join(sorted(self.datasets))}",
            )
        dataset = self.datasets[name]
        pinned = {f.path: f.sha256 for f in dataset.files}
        inside = {path for archive in dataset.archives for path in archive.members.values()}
        paths = sorted({*pinned, *inside})
        record = self.folder / "records" / f"{name}.json"
        downloaded = (
            read_sealed(record)["files"] if record.is_file() else {}
        )  # the only pin of some files
        for path in paths:
            full = self.folder / path
            if not full.is_file():
                raise InputError(full, "no such file", f"run the download of {name}")
            self.inputs[path] = found = file_digest(full)
            for expected in (pinned.get(path), downloaded.get(path, {}).get("sha256")):
                if expected not in (None, found):
                    raise InputError(
                        full,
                        f"damaged: expected sha256 {expected}, found {found}",
                        "delete it and run again",
                    )
        return [self.folder / path for path in paths]

    def file(self, name: str, ending: str = "") -> Path:
        """Return the one file of a dataset whose name ends so."""
        found = [f for f in self.files(name) if f.name.endswith(ending)]
        if len(found) != 1:
            raise InputError(
                f"dataset {name}", f"{len(found)} files end in {ending!r}, expected one"
            )
        return found[0]

    def check(self, name: str, **found: int) -> None:
        """Compare what was found with every count that the manifest states of a dataset."""
        for what, expected in self.datasets[name].expected.items():
            if what not in found:
                raise InputError(
                    f"manifest: {name}.expected.{what}",
                    "is a count that no reader makes",
                    f"known are {', '.join(found)}",
                )
            sts.check_count(f"{name}: {what}", found[what], expected, self.folder)


def triples(raw: Raw, settings: CorpusSettings, folder: Path) -> dict[str, int]:
    """Write the NLI corpus: ready-made triples, or built from SNLI and MultiNLI; return its counts."""
    rows: list[nli.Triple] = []
    pairs: list[nli.NliPair] = []
    for name in settings.datasets:
        if name in ("snli", "multinli"):
            read = nli.read_snli if name == "snli" else nli.read_multinli
            found, unlabelled = read(raw.file(name))
            raw.check(name, pairs=len(found), train=len(found) + unlabelled)
            pairs += found
        else:
            found = nli.read_triples(raw.file(name))
            raw.check(name, triples=len(found))
            rows += found
    rows += nli.build_triples(pairs)
    chosen = rows[: settings.limit]
    return _write(folder, [(t.query, t.positive, t.negative) for t in chosen])


def sentences(raw: Raw, settings: CorpusSettings, folder: Path) -> dict[str, int]:
    """Write a corpus of single sentences, each its own positive; return its counts."""
    lines: list[str] = []
    for name in settings.datasets:
        found = wiki.read_sentences(raw.file(name))
        raw.check(name, sentences=len(found))
        lines += found
    return _write(folder, [(s, s, None) for s in lines[: settings.limit]])


def _write(folder: Path, rows: Sequence[tuple]) -> dict[str, int]:
    texts, numbered = number_sentences(rows)
    write_corpus(folder, texts, numbered)
    return {"rows": len(rows), "sentences": len(texts)}


def scored_pairs(raw: Raw, settings: StsSettings, target: Path) -> dict[str, int]:
    """Write every task's test pairs and STS-B's dev pairs as one Parquet file; return the counts."""
    pairs: list[sts.ScoredPair] = []
    for name in settings.datasets:
        files = raw.files(name)
        if name in STS_DATASETS:
            if name.endswith("-raw") != (settings.protocol == "raw"):
                raise InputError(
                    "config.sts.datasets",
                    f"{name} is not of protocol {settings.protocol!r}",
                    "texts of two releases are never mixed under one label",
                )
            found = sts.read_sts_year(files[0].parent, STS_DATASETS[name])
            raw.check(name, pairs=len(found))
            pairs += found
        elif name == "stsb":
            pairs += _split(
                raw,
                name,
                sts.read_stsb,
                {"train": "train", "dev": "dev", "test": "test"},
                "sts-{}.csv",
            )
        elif name == "sick":
            parts = {"train": "train", "dev": "trial", "test": "test_annotated"}
            pairs += _split(raw, name, sts.read_sick, parts, "SICK_{}.txt")
        else:
            raise InputError("config.sts.datasets", f"{name!r} is no STS dataset")
    table = {
        c: [getattr(p, c) for p in pairs]
        for c in ("task", "subset", "index", "sentence1", "sentence2", "score")
    }
    write_parquet(pa.table(table), target)
    return {task: table["task"].count(task) for task in dict.fromkeys(table["task"])}


def _split(raw: Raw, name: str, read, parts: dict[str, str], pattern: str) -> list[sts.ScoredPair]:
    """Read and count all three parts; keep the test pairs, and STS-B's dev pairs as task stsb-dev."""
    kept: list[sts.ScoredPair] = []
    counts: dict[str, int] = {}
    for part, word in parts.items():
        found = read(raw.file(name, pattern.format(word)))
        counts[part] = len(found)
        if part == "test":
            kept += found
        elif part == "dev" and name == "stsb":
            kept += [
                sts.ScoredPair("stsb-dev", p.subset, p.index, p.sentence1, p.sentence2, p.score)
                for p in found
            ]
    raw.check(name, **counts, trial=counts["dev"])  # SICK's own name for its dev part
    return kept


def read_bank(raw: Raw, settings: BankSettings) -> faq.Faq:
    """Read a FAQ bank in its own format and assert its counts."""
    if settings.path:
        raw.inputs[settings.path] = file_digest(settings.path)
        return faq.read_own(settings.path)
    name, counts = settings.dataset or settings.name, {}
    if settings.kind == "cough":
        counts["judgements"] = sum(
            1 for _ in read_csv(raw.file(name, "Annotated_Relevance_Set.csv"), ("Query_index",))
        )
        bank = faq.read_cough(
            raw.file(name, "FAQ_Bank_eval.csv"),
            raw.file(name, "User_Query_Bank.csv"),
            raw.file(name, "Annotated_Relevance_Set.csv"),
        )
    elif settings.kind == "covid":
        files = raw.files(name)
        similarity = [f for f in files if "similarity" in f.name]
        bank = faq.read_covid(
            [f for f in files if f not in similarity], similarity[0] if similarity else None
        )
    else:
        bank = (faq.read_faqir if settings.kind == "faqir" else faq.read_stackfaq)(
            raw.file(name, ".xml")
        )
    groups = len({p.group for p in bank.pairs})
    raw.check(
        name,
        pairs=len(bank.pairs),
        answers=len(bank.pairs),
        queries=len(bank.queries),
        threads=groups,
        templates=len({q.group for q in bank.queries}),
        **counts,
    )
    return bank


def faq_folds(bank: faq.Faq, settings: BankSettings, folder: Path, corpora: Path) -> dict[str, int]:
    """Write a bank's answers and questions with their parts, and each fold's training corpus.

    ``pairs``: each pair asks its own question, one answer is right. ``annotated``: the users' own
    queries, every judged answer is right; a query without a right one cannot be scored and is left
    out. A pair and a query of one group share their part, so that no fold tests what it trained on.
    """
    answers, number = faq.unique_answers(bank)
    groups = [p.group for p in bank.pairs] + [q.group for q in bank.queries]
    parts = folds.split_groups(groups, settings.folds, settings.seed)
    questions = [
        _question("pairs", p.id, p.question, part, [number[p.id]])
        for p, part in zip(bank.pairs, parts)
    ]
    for query, part in zip(bank.queries, parts[len(bank.pairs) :]):
        if query.relevant:
            questions.append(
                _question(
                    "annotated",
                    query.id,
                    query.text,
                    part,
                    sorted({number[r] for r in query.relevant}),
                )
            )
    folder.mkdir(parents=True, exist_ok=True)
    write_parquet(pa.table({"text": answers}), folder / "answers.parquet")
    write_parquet(pa.Table.from_pylist(questions), folder / "questions.parquet")
    for k, fold in enumerate(folds.rotate(parts[: len(bank.pairs)], settings.folds)):
        rows = dict.fromkeys(
            (bank.pairs[i].question, answers[number[bank.pairs[i].id]], None) for i in fold.train
        )
        _write(corpora / f"{settings.name}-{k}", list(rows))
    counts = {p: sum(q["protocol"] == p for q in questions) for p in ("pairs", "annotated")}
    return {"pairs": len(bank.pairs), "answers": len(answers), "queries": len(bank.queries)} | {
        f"questions, {p}": n for p, n in counts.items()
    }


def _question(protocol: str, identity: str, text: str, part: int, relevant: list[int]) -> dict:
    return {"protocol": protocol, "id": identity, "text": text, "part": part, "relevant": relevant}
