"""Write the demo corpora and their manifest: ``python demo/make_corpora.py [--out DIR] [--manifest FILE]``.

Every byte follows from the sources beside this file: the vocabulary is invented, choices come from seeded raw PCG64
streams, and the order is fixed. Run it after editing ``demo/generator`` and commit what changed.
"""

import argparse
import hashlib
from collections.abc import Sequence
from pathlib import Path

from generator import (
    health,
    library,
    nli,
    opinions,
    repair,
    sources,
    sts,
    threads,
    water,
    wiki,
)

HERE = Path(__file__).resolve().parent
TITLES = {
    "nli-simcse": "Hand-made triples in the layout of SimCSE's NLI file",
    "snli": "Hand-made SNLI",
    "multinli": "Hand-made MultiNLI",
    "anli": "Hand-made ANLI, three rounds",
    "qqp": "Hand-made questions in the layout of Quora's pairs",
    "flickr30k": "Hand-made captions in the layout of Flickr30k",
    "paranmt": "Hand-made paraphrases in the layout of ParaNMT",
    "wiki1m": "Hand-made encyclopaedic sentences",
    **{f"sts{n}": f"Hand-made STS 20{n}, as released" for n in range(12, 17)},
    "stsb": "Hand-made STS Benchmark",
    "sick": "Hand-made SICK",
    **{
        task: f"Hand-made {task.upper()}, as SentEval tokenises it"
        for task in ("mr", "cr", "subj", "mpqa", "sst2", "trec", "mrpc")
    },
    "cough": "Hand-made COUGH (a water office)",
    "faqir": "Hand-made FAQIR (a household)",
    "stackfaq": "Hand-made StackFAQ (web applications)",
    "covid": "Hand-made COVID FAQ tables (river cold)",
}
EXPECTED = {
    "nli-simcse": {"triples": 456},
    "snli": {"pairs": 220},
    "multinli": {"pairs": 117},
    "anli": {"train": 45},
    "qqp": {"train": 48, "pairs": 47, "duplicate": 29},
    "flickr30k": {"pairs": 100},
    "paranmt": {"pairs": 16},
    "wiki1m": {"sentences": 450},
    "sts12": {"pairs": 104},
    "sts13": {"pairs": 63},
    "sts14": {"pairs": 126},
    "sts15": {"pairs": 84},
    "sts16": {"pairs": 83},
    "stsb": {"train": 60, "dev": 60, "test": 80},
    "sick": {"train": 30, "dev": 30, "test": 80},
    "mr": {"label1": 24, "label0": 24},
    "cr": {"label1": 21, "label0": 14},
    "subj": {"label1": 20, "label0": 20},
    "mpqa": {"label1": 15, "label0": 18},
    "sst2": {"train": 24, "dev": 12, "test": 16},
    "trec": {"train": 42, "test": 18},
    "mrpc": {"train": 30, "test": 15},
    "cough": {"pairs": 70, "queries": 40, "judgements": 200},
    "faqir": {"pairs": 70, "queries": 48},
    "stackfaq": {"threads": 15, "pairs": 37, "queries": 135},
    "covid": {"pairs": 25},
}


def corpora() -> dict[str, dict[str, str]]:
    """Return the text of each data set's files: name -> path below demo/data -> text."""
    return {
        "nli-simcse": {"nli/nli_for_simcse.csv": nli.triples()},
        "snli": {"nli/snli_1.0/snli_1.0_train.jsonl": nli.snli()},
        "multinli": {"nli/multinli_1.0/multinli_1.0_train.jsonl": nli.multinli()},
        "anli": _below("anli", sources.anli()),
        "qqp": {"qqp/train.tsv": sources.quora()},
        "flickr30k": {"flickr30k/results_20130124.token": sources.captions()},
        "paranmt": {"paranmt/para-nmt-5m-processed.txt": sources.paraphrases()},
        "wiki1m": {"wiki/wiki1m_for_simcse.txt": wiki.sentences()},
        **{
            f"sts{n}": _below(f"sts-raw/STS{n}-en-test", sts.release(2000 + n))
            for n in range(12, 17)
        },
        "stsb": {
            f"stsb/sts-{split}.csv": sts.benchmark(split, count, seed)
            for split, count, seed in (("train", 60, 300), ("dev", 60, 301), ("test", 80, 302))
        },
        "sick": {
            f"sick/SICK_{split}.txt": sts.sick(count, seed, newline)
            for split, count, seed, newline in (
                ("train", 30, 310, "\n"),
                ("trial", 30, 311, "\n"),
                ("test_annotated", 80, 312, "\r\n"),
            )
        },
        **{task: _below("transfer", texts) for task, texts in opinions.files().items()},
        "cough": _below(
            "faq/cough",
            {
                "FAQ_Bank_eval.csv": water.bank(),
                "User_Query_Bank.csv": water.queries(),
                "Annotated_Relevance_Set.csv": water.judgements(),
            },
        ),
        "faqir": {"faq/faqir/FAQIRv1.0.xml": repair.faqir()},
        "stackfaq": {"faq/stackfaq/stackExchange-FAQ.xml": threads.stackfaq()},
        "covid": _below("faq/covid", health.covid()),
    }


def own_faq() -> dict[str, str]:
    """Return the user's own FAQ, which needs no manifest row: path below demo/data -> text."""
    return _below(
        "faq/own", {"library.jsonl": library.as_json_lines(), "library.csv": library.as_csv()}
    )


def _below(folder: str, files: dict[str, str]) -> dict[str, str]:
    return {f"{folder}/{name}": text for name, text in files.items()}


def manifest(sets: dict[str, dict[str, str]]) -> str:
    """Return the manifest as YAML: digest and size of each file, and the counts stated in EXPECTED."""
    lines = [
        "# Written by demo/make_corpora.py. Files are found below demo/data, the mirror of the demo.",
        "datasets:",
    ]
    for name, files in sets.items():
        counts = ", ".join(f"{key}: {count}" for key, count in EXPECTED[name].items())
        lines += [
            f"  {name}:",
            f'    title: "{TITLES[name]}"',
            '    licence: "CC0-1.0 (hand-made)"',
            '    homepage: ""',
            "    files:",
        ]
        for path, text in files.items():
            data = text.encode()
            digest = hashlib.sha256(data).hexdigest()
            lines.append(
                f"      - {{path: {path}, sha256: {digest!r}, size: {len(data)}, urls: []}}"
            )
        lines += ["    archives: []", f"    expected: {{{counts}}}"]
    return "\n".join(lines) + "\n"


def main(argv: Sequence[str] | None = None) -> None:
    """Write all files below ``--out`` and the manifest to ``--manifest``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=HERE / "data")
    parser.add_argument("--manifest", type=Path, default=HERE / "manifest.yaml")
    args = parser.parse_args(argv)
    sets = corpora()
    for path, text in [
        *(item for files in sets.values() for item in files.items()),
        *own_faq().items(),
    ]:
        target = args.out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
    args.manifest.write_bytes(manifest(sets).encode())


if __name__ == "__main__":
    main()
