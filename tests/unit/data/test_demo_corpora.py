"""The demo corpora are what their generator writes, and what their manifest says of them."""

import csv
import hashlib
import json
import math
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import yaml

DEMO = Path(__file__).resolve().parents[3] / "demo"
DATA = DEMO / "data"
MANIFEST = yaml.safe_load((DEMO / "manifest.yaml").read_text(encoding="utf-8"))["datasets"]
STS = {"sts12": 5, "sts13": 3, "sts14": 6, "sts15": 5, "sts16": 5}  # subsets of each year


def _read(path: str) -> str:
    return (DATA / path).read_bytes().decode("utf-8")


def _lines(path: str) -> list[str]:
    return _read(path).splitlines()


def _rows(path: str, delimiter: str = ",") -> list[dict[str, str]]:
    with open(DATA / path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def _xml(path: str) -> ElementTree.Element:
    return ElementTree.fromstring(_read(path))


def _labelled(path: str) -> int:
    return sum(json.loads(line)["gold_label"] != "-" for line in _lines(path))


def _scored(name: str) -> int:
    paths = [row["path"] for row in MANIFEST[name]["files"] if ".gs." in row["path"]]
    return sum(line.strip() != "" for path in paths for line in _lines(path))


def _covid_pairs() -> int:
    tables = (
        ("faq/covid/deepset_faq_covidbert.csv", ","),
        ("faq/covid/deepset_faq_200322_16.tsv", "\t"),
        ("faq/covid/deepset_faq_200327.tsv", "\t"),
    )
    return len(
        {
            (row["question"], row["answer"])
            for path, delimiter in tables
            for row in _rows(path, delimiter)
            if row["lang"] == "en"
        }
    )


def _transfer_counts() -> dict[str, dict[str, int]]:
    counts = {}
    for task, files in {
        "mr": ("MR/rt-polarity.pos", "MR/rt-polarity.neg"),
        "cr": ("CR/custrev.pos", "CR/custrev.neg"),
        "subj": ("SUBJ/subj.objective", "SUBJ/subj.subjective"),
        "mpqa": ("MPQA/mpqa.pos", "MPQA/mpqa.neg"),
    }.items():
        ones, zeros = (len(_lines(f"transfer/{file}")) for file in files)
        counts[task] = {"label1": ones, "label0": zeros}
    for task, header, files in (
        ("sst2", 0, {p: f"SST/binary/sentiment-{p}" for p in ("train", "dev", "test")}),
        ("trec", 0, {"train": "TREC/train_5500.label", "test": "TREC/TREC_10.label"}),
        ("mrpc", 1, {p: f"MRPC/msr_paraphrase_{p}.txt" for p in ("train", "test")}),
    ):
        counts[task] = {p: len(_lines(f"transfer/{f}")) - header for p, f in files.items()}
    return counts


def _question_counts() -> dict[str, int]:
    rows = _rows("qqp/train.tsv", "\t")
    asked = [row for row in rows if row["question1"] and row["question2"]]
    duplicates = [row for row in asked if row["is_duplicate"] == "1"]
    return {"train": len(rows), "pairs": len(asked), "duplicate": len(duplicates)}


def _caption_pairs() -> int:
    images = [line.split("#")[0] for line in _lines("flickr30k/results_20130124.token")]
    return sum(math.comb(images.count(image), 2) for image in set(images))


def _counts() -> dict[str, dict[str, int]]:
    """Count every data set without the project's parsers."""
    faqir, threads = _xml("faq/faqir/FAQIRv1.0.xml"), _xml("faq/stackfaq/stackExchange-FAQ.xml")
    cough = "faq/cough/"
    return {
        "nli-simcse": {"triples": len(_rows("nli/nli_for_simcse.csv"))},
        "snli": {"pairs": _labelled("nli/snli_1.0/snli_1.0_train.jsonl")},
        "multinli": {"pairs": _labelled("nli/multinli_1.0/multinli_1.0_train.jsonl")},
        "anli": {"train": sum(len(_lines(f"anli/R{n}/train.jsonl")) for n in (1, 2, 3))},
        "qqp": _question_counts(),
        "flickr30k": {"pairs": _caption_pairs()},
        "paranmt": {"pairs": len(_lines("paranmt/para-nmt-5m-processed.txt"))},
        "wiki1m": {"sentences": len(_lines("wiki/wiki1m_for_simcse.txt"))},
        **{name: {"pairs": _scored(name)} for name in STS},
        "stsb": {split: len(_lines(f"stsb/sts-{split}.csv")) for split in ("train", "dev", "test")},
        "sick": {
            split: len(_lines(f"sick/SICK_{name}.txt")) - 1
            for split, name in (("train", "train"), ("dev", "trial"), ("test", "test_annotated"))
        },
        **_transfer_counts(),
        "cough": {
            "pairs": len(_rows(cough + "FAQ_Bank_eval.csv")),
            "queries": len(_rows(cough + "User_Query_Bank.csv")),
            "judgements": len(_rows(cough + "Annotated_Relevance_Set.csv")),
        },
        "faqir": {
            "pairs": len(faqir.findall("KB/Pairs/qaPair")),
            "queries": len(faqir.findall("queries/Query")),
        },
        "stackfaq": {
            "threads": len(threads.findall("qapair")),
            "pairs": len(threads.findall("qapair/answer")),
            "queries": sum(node.text.strip() != "*" for node in threads.findall("qapair/rephr")),
        },
        "covid": {"pairs": _covid_pairs()},
    }


def test_the_generator_reproduces_every_file_byte_for_byte(tmp_path):
    command = [
        sys.executable,
        str(DEMO / "make_corpora.py"),
        "--out",
        str(tmp_path / "data"),
        "--manifest",
        str(tmp_path / "manifest.yaml"),
    ]
    subprocess.run(command, check=True, env={"PYTHONHASHSEED": "7", "PYTHONDONTWRITEBYTECODE": "1"})
    made = {
        str(p.relative_to(tmp_path / "data")): p.read_bytes()
        for p in (tmp_path / "data").rglob("*")
        if p.is_file()
    }
    kept = {str(p.relative_to(DATA)): p.read_bytes() for p in DATA.rglob("*") if p.is_file()}
    assert sorted(made) == sorted(kept)
    assert [path for path in made if made[path] != kept[path]] == []
    assert (tmp_path / "manifest.yaml").read_bytes() == (DEMO / "manifest.yaml").read_bytes()


def test_the_manifest_lists_every_file_but_the_users_own():
    listed = [row["path"] for entry in MANIFEST.values() for row in entry["files"]]
    found = {p.relative_to(DATA).as_posix() for p in DATA.rglob("*") if p.is_file()}
    assert len(listed) == len(set(listed))
    assert found - set(listed) == {"faq/own/library.csv", "faq/own/library.jsonl"}
    assert set(listed) <= found


@pytest.mark.parametrize("name", MANIFEST)
def test_each_file_has_the_digest_and_size_of_the_manifest(name):
    for row in MANIFEST[name]["files"]:
        data = (DATA / row["path"]).read_bytes()
        assert (hashlib.sha256(data).hexdigest(), len(data)) == (row["sha256"], row["size"]), row[
            "path"
        ]


def test_each_data_set_has_the_counts_of_the_manifest():
    assert _counts() == {name: entry["expected"] for name, entry in MANIFEST.items()}


def test_the_corpora_stay_below_530_kb():
    assert sum(p.stat().st_size for p in DATA.rglob("*") if p.is_file()) < 530_000


@pytest.mark.parametrize("name", STS)
def test_each_sts_subset_has_one_gold_line_a_pair(name):
    inputs = [row["path"] for row in MANIFEST[name]["files"] if ".input." in row["path"]]
    columns = {"sts16": 4}.get(name, 2)
    assert len(inputs) == STS[name]
    for path in inputs:
        rows = [line.split("\t") for line in _lines(path)]
        assert {len(row) for row in rows} == {columns}, path
        assert len(rows) == len(_lines(path.replace(".input.", ".gs."))) >= 20, path


def test_only_2015_and_2016_have_blank_gold_lines():
    blank = {
        name
        for name in STS
        for row in MANIFEST[name]["files"]
        if ".gs." in row["path"] and "" in _lines(row["path"])
    }
    assert blank == {"sts15", "sts16"}


def test_cough_labels_follow_from_the_raw_scores():
    rows = _rows("faq/cough/Annotated_Relevance_Set.csv")
    bank = {row["index"] for row in _rows("faq/cough/FAQ_Bank_eval.csv")}
    queries = {row["index"]: row["query"] for row in _rows("faq/cough/User_Query_Bank.csv")}
    for row in rows:
        grades = json.loads(row["Raw_score"])
        assert float(row["Average"]) == pytest.approx(sum(grades) / len(grades), abs=1e-8)
        assert (row["Label (mean score > 3 as positive)"] == "positive") == (
            sum(grades) > 3 * len(grades)
        )
        assert row["FAQ_index"] in bank and queries[row["Query_index"]] == row["Query"]
    assert len({(row["Query_index"], row["FAQ_index"]) for row in rows}) == len(rows)
    assert max(map(int, queries)) >= len(queries), "the indexes of the queries have gaps"


def test_every_faqir_template_has_a_relevant_pair():
    root = _xml("faq/faqir/FAQIRv1.0.xml")
    known = {node.text for node in root.findall("KB/Pairs/qaPair/Id")}
    lists = root.findall("relCandidates/IRCandidateList")
    assert {node.text for node in root.findall("queries/Query/QueryGroupID")} == {
        each.findtext("grpId") for each in lists
    }
    for each in lists:
        assert "1" in [
            node.text for node in each.findall("candidates/IRCandidate/Annotations/Annotation/Val")
        ]
        assert {node.text for node in each.findall("candidates/IRCandidate/Id")} <= known


@pytest.mark.parametrize(
    "path", ["nli/nli_for_simcse.csv", "faq/cough/FAQ_Bank_eval.csv", "faq/own/library.csv"]
)
def test_words_that_look_like_missing_values_stand_as_whole_cells(path):
    cells = {cell for row in _rows(path) for cell in row.values()}
    assert cells & {"null", "NA", "n/a"}


def test_premises_repeat_as_in_the_original_file():
    premises = [row["sent0"] for row in _rows("nli/nli_for_simcse.csv")]
    assert 0.3 * len(premises) < len(set(premises)) < 0.7 * len(premises)


def test_benchmark_rows_have_seven_or_nine_columns():
    lengths = {
        len(line.split("\t"))
        for split in ("train", "dev", "test")
        for line in _lines(f"stsb/sts-{split}.csv")
    }
    assert lengths == {7, 9}
