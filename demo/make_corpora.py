"""Write the demo corpora and their manifest: ``python demo/make_corpora.py [--out DIR] [--manifest FILE]``.

Every byte follows from the sources beside this file: the vocabulary is invented, choices come from seeded raw PCG64
streams, and the order is fixed. Run it after editing ``demo/generator`` and commit what changed.
"""

import argparse
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from generator import health, library, nli, opinions, repair, sources, sts, threads, water, wiki

HERE = Path(__file__).resolve().parent
STS = {12: 104, 13: 63, 14: 126, 15: 84, 16: 83}  # year: pairs
TRANSFER = {
    "mr": {"label1": 24, "label0": 24},
    "cr": {"label1": 21, "label0": 14},
    "subj": {"label1": 20, "label0": 20},
    "mpqa": {"label1": 15, "label0": 18},
    "sst2": {"train": 24, "dev": 12, "test": 16},
    "trec": {"train": 42, "test": 18},
    "mrpc": {"train": 30, "test": 15},
}


@dataclass(frozen=True)
class Corpus:
    """A data set: its title, its files (path below demo/data: text), and the counts of its rows."""

    title: str
    files: dict[str, str]
    expected: dict[str, int]


def corpus(title: str, files: dict[str, str], **expected: int) -> Corpus:
    return Corpus(f"Hand-made {title}", files, expected)


def corpora() -> dict[str, Corpus]:
    """Return each data set by its name."""
    captions = {"flickr30k/results_20130124.token": sources.captions()}
    paraphrases = {"paranmt/para-nmt-5m-processed.txt": sources.paraphrases()}
    return {
        "nli-simcse": corpus(
            "triples in the layout of SimCSE's NLI file",
            {"nli/nli_for_simcse.csv": nli.triples()},
            triples=456,
        ),
        "snli": corpus("SNLI", {"nli/snli_1.0/snli_1.0_train.jsonl": nli.snli()}, pairs=220),
        "multinli": corpus(
            "MultiNLI", {"nli/multinli_1.0/multinli_1.0_train.jsonl": nli.multinli()}, pairs=117
        ),
        "anli": corpus("ANLI, three rounds", _below("anli", sources.anli()), train=45),
        "qqp": corpus(
            "questions in the layout of Quora's pairs",
            {"qqp/train.tsv": sources.quora()},
            **{"train": 48, "pairs": 47, "duplicate": 29},
        ),
        "flickr30k": corpus("captions in the layout of Flickr30k", captions, pairs=100),
        "paranmt": corpus("paraphrases in the layout of ParaNMT", paraphrases, pairs=16),
        "wiki1m": corpus(
            "encyclopaedic sentences",
            {"wiki/wiki1m_for_simcse.txt": wiki.sentences()},
            sentences=450,
        ),
        **{f"sts{year}": _sts(year, pairs) for year, pairs in STS.items()},
        "stsb": corpus("STS Benchmark", _stsb(), train=60, dev=60, test=80),
        "sick": corpus("SICK", _sick(), train=30, dev=30, test=80),
        **_transfer(),
        **_faq_banks(),
    }


def _sts(year: int, pairs: int) -> Corpus:
    files = _below(f"sts-raw/STS{year}-en-test", sts.release(2000 + year))
    return corpus(f"STS 20{year}, as released", files, pairs=pairs)


def _stsb() -> dict[str, str]:
    splits = (("train", 60, 300), ("dev", 60, 301), ("test", 80, 302))
    return {f"stsb/sts-{split}.csv": sts.benchmark(split, *more) for split, *more in splits}


def _sick() -> dict[str, str]:
    splits = (
        *(("train", 30, 310, "\n"), ("trial", 30, 311, "\n")),
        ("test_annotated", 80, 312, "\r\n"),
    )
    return {f"sick/SICK_{split}.txt": sts.sick(*more) for split, *more in splits}


def _transfer() -> dict[str, Corpus]:
    found = {}
    for task, texts in opinions.files().items():
        title = f"{task.upper()}, as SentEval tokenises it"
        found[task] = corpus(title, _below("transfer", texts), **TRANSFER[task])
    return found


def _faq_banks() -> dict[str, Corpus]:
    cough = {
        "FAQ_Bank_eval.csv": water.bank(),
        "User_Query_Bank.csv": water.queries(),
        "Annotated_Relevance_Set.csv": water.judgements(),
    }
    faqir = {"faq/faqir/FAQIRv1.0.xml": repair.faqir()}
    stackfaq = {"faq/stackfaq/stackExchange-FAQ.xml": threads.stackfaq()}
    covid = _below("faq/covid", health.covid())
    counts = {"pairs": 70, "queries": 40, "judgements": 200}
    return {
        "cough": corpus("COUGH (a water office)", _below("faq/cough", cough), **counts),
        "faqir": corpus("FAQIR (a household)", faqir, pairs=70, queries=48),
        "stackfaq": corpus(
            "StackFAQ (web applications)", stackfaq, threads=15, pairs=37, queries=135
        ),
        "covid": corpus("COVID FAQ tables (river cold)", covid, pairs=25),
    }


def own_faq() -> dict[str, str]:
    """Return the user's own FAQ, which needs no manifest row: path below demo/data -> text."""
    return _below(
        "faq/own", {"library.jsonl": library.as_json_lines(), "library.csv": library.as_csv()}
    )


def _below(folder: str, files: dict[str, str]) -> dict[str, str]:
    return {f"{folder}/{name}": text for name, text in files.items()}


def manifest(sets: dict[str, Corpus]) -> str:
    """Return the manifest as YAML: digest and size of each file, and the stated counts."""
    lines = [
        "# Written by demo/make_corpora.py. Files are found below demo/data, the mirror of the demo.",
        "datasets:",
    ]
    for name, data in sets.items():
        counts = ", ".join(f"{key}: {count}" for key, count in data.expected.items())
        lines += [
            f"  {name}:",
            f'    title: "{data.title}"',
            '    licence: "CC0-1.0 (hand-made)"',
            '    homepage: ""',
            "    files:",
        ]
        for path, text in data.files.items():
            content = text.encode()
            pin = f"sha256: {hashlib.sha256(content).hexdigest()!r}, size: {len(content)}"
            lines.append(f"      - {{path: {path}, {pin}, urls: []}}")
        lines += ["    archives: []", f"    expected: {{{counts}}}"]
    return "\n".join(lines) + "\n"


def main(argv: Sequence[str] | None = None) -> None:
    """Write all files below ``--out`` and the manifest to ``--manifest``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=HERE / "data")
    parser.add_argument("--manifest", type=Path, default=HERE / "manifest.yaml")
    args = parser.parse_args(argv)
    sets = corpora()
    for files in (*(data.files for data in sets.values()), own_faq()):
        for path, text in files.items():
            target = args.out / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode())
    args.manifest.write_bytes(manifest(sets).encode())


if __name__ == "__main__":
    main()
