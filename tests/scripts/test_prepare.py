"""The prepare and base scripts on the demo's corpora: every format becomes what the trainings read."""

import hashlib
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from semblance.data.corpus import read_rows, read_sentences
from semblance.data.protocol import senteval_text
from semblance.data.tokens import read_tokens
from semblance.evaluation.prepared import read_bank
from semblance.models import folder as model_folder
from semblance.provenance import checked, input_digests, read_sealed
from tests.dag.tiny import ROOT, write_base
from tests.local_http import running
from tests.scripts.flags import flags
from workflow.scripts import (
    download_model,
    prepare_dev,
    prepare_faq,
    prepare_nli,
    prepare_sts,
    prepare_wiki,
    tokenise,
)

server = pytest.fixture(running)
SHARED = {"manifest": ROOT / "demo/manifest.yaml", "data": ROOT / "demo/data"}


def prepare(script, settings: dict, out: Path, **more: Path) -> Path:
    """Run a prepare script in this process; return the folder it wrote."""
    given = SHARED | {"settings": settings, "output": out / "record.json"} | more
    script.main(flags(**given))
    checked(out / "record.json")
    return out


def test_ready_made_triples_keep_their_texts(tmp_path):
    out = prepare(prepare_nli, {"kind": "nli", "datasets": ["nli-simcse"]}, tmp_path / "nli")
    sentences, rows = read_sentences(out), read_rows(out)
    lines = (ROOT / "demo/data/nli/nli_for_simcse.csv").read_text().splitlines()
    assert len(rows.query) == 456 == len(lines) - 1 and len(set(sentences)) == len(sentences)
    assert {"null", "NA", "n/a"} <= set(sentences)
    first = [sentences[column[0]] for column in rows]
    assert ",".join(first) == lines[1].replace('"', "")


def test_the_rounds_of_anli_join_ready_made_triples(tmp_path):
    settings = {"kind": "nli", "datasets": ["nli-simcse", "anli"]}
    rows = read_rows(prepare(prepare_nli, settings, tmp_path / "nli"))
    contexts = 4 + 5 + 6  # of three rounds, one hypothesis of each label a context
    assert len(rows.query) == 456 + contexts


def test_a_limit_takes_the_first_rows(tmp_path):
    settings = {"kind": "wiki", "datasets": ["wiki1m"], "limit": 7}
    out = prepare(prepare_wiki, settings, tmp_path / "wiki")
    lines = (ROOT / "demo/data/wiki/wiki1m_for_simcse.txt").read_text().splitlines()
    assert read_sentences(out) == lines[:7]


def pairs(script, out: Path, **settings) -> list[dict]:
    """Return the pairs that a prepare script writes."""
    return pq.read_table(prepare(script, settings, out) / "pairs.parquet").to_pylist()


SENTENCES = ("sentence1", "sentence2")


TEST = {"sts16": 83, "stsb": 80, "sickr": 80}


@pytest.mark.parametrize(
    "script, settings, counts, part",
    [
        (prepare_sts, {"datasets": ["sts16", "stsb", "sick"]}, TEST, "test"),
        (prepare_dev, {"dataset": "stsb"}, {"stsb-dev": 60}, "dev"),
    ],
)
def test_raw_pairs_are_those_of_the_release_and_by_senteval_they_are_tokenised(
    tmp_path, script, settings, counts, part
):
    raw = pairs(script, tmp_path / "raw", **settings, protocol="raw")
    senteval = pairs(script, tmp_path / "senteval", **settings, protocol="senteval")
    assert Counter(pair["task"] for pair in raw) == counts and raw != senteval
    lines = (ROOT / f"demo/data/stsb/sts-{part}.csv").read_text().splitlines()
    found = [tuple(pair[name] for name in SENTENCES) for pair in raw if "stsb" in pair["task"]]
    assert found == [tuple(line.split("\t")[5:7]) for line in lines]
    for released, tokenised in zip(raw, senteval, strict=True):
        lower = released["task"] != "sickr"
        for name in SENTENCES:
            assert tokenised.pop(name) == senteval_text(released.pop(name), lower=lower)
        assert tokenised == released


def test_the_dev_pairs_of_sick_are_read_apart_from_its_test_pairs_and_keep_their_case(tmp_path):
    found = pairs(prepare_dev, tmp_path, dataset="sick", protocol="senteval")
    assert list(input_digests(checked(tmp_path / "record.json"))) == ["sick/SICK_trial.txt"]
    assert {pair["task"] for pair in found} == {"stsb-dev"}
    assert all(pair["sentence1"][0].isupper() for pair in found)


BANKS = {
    "faqir": ({"dataset": "faqir"}, 70),
    "cough": ({"dataset": "cough"}, 70),
    "stackfaq": ({"dataset": "stackfaq"}, 37),
    "covid": ({"dataset": "covid"}, 25),
    "own": ({"path": str(ROOT / "demo/data/faq/own/library.jsonl")}, None),
    "own-csv": ({"path": str(ROOT / "demo/data/faq/own/library.csv")}, None),
}


def prepare_bank(folder: Path, **settings) -> Path:
    """Prepare a bank in three folds, its corpora and dev questions beside it."""
    settings |= {"name": "bank", "folds": 3, "seed": 0}
    folders = {"corpora": folder / "corpora", "dev": folder / "dev"}
    return prepare(prepare_faq, settings, folder / "faq", **folders)


@pytest.mark.parametrize("name", BANKS)
def test_every_bank_becomes_folds_that_never_train_on_a_tested_question(tmp_path, name):
    source, pairs = BANKS[name]
    out = prepare_bank(tmp_path, kind=name.partition("-")[0], **source)
    bank = read_bank(out)
    asked = [q for q in bank.questions if q.protocol == "pairs"]
    assert pairs is None or len(asked) == pairs
    assert {q.part for q in asked} == {0, 1, 2} and all(len(q.relevant) == 1 for q in asked)
    for fold in range(3):
        corpus = tmp_path / f"corpora/bank-{fold}"
        sentences, rows = read_sentences(corpus), read_rows(corpus)
        trained = {sentences[i] for i in rows.query}
        assert trained.isdisjoint(q.text for q in asked if q.part == fold)
        dev = read_bank(tmp_path / f"dev/bank-{fold}")
        assert dev.answers == bank.answers
        assert list(dev.questions) == [q for q in asked if q.part == (fold + 1) % 3]
        # of 3 parts: 1 test, 1 dev, 1 train
        assert trained == {q.text for q in asked if q.part == (fold + 2) % 3}


def test_the_dirt_of_an_own_faq_is_reported_and_counted_in_the_record(tmp_path, capsys):
    faq = tmp_path / "f.csv"
    entries = "".join(f"q{n};a{n}\n" for n in range(5))
    faq.write_bytes(f"Frage;Antwort\n{entries}\nq0;a0\nGröße?;a1\n".encode("cp1252"))
    asked = tmp_path / "asked.csv"
    asked.write_text("query,id\nw,2\nw,3\n")
    out = prepare_bank(tmp_path, kind="own", path=str(faq), queries_path=str(asked))
    told = capsys.readouterr().err
    assert f"{faq}: empty rows: 1 (skipped): line 7\n" in told
    assert "line 8 (as 2)" in told and "cp1252" in told and "question from 'Frage'" in told
    record = read_sealed(out / "record.json")
    counts = record["counts"]
    assert counts["pairs"] == 6 and counts["queries"] == 1
    assert counts["empty rows"] == 1 and counts["duplicate rows"] == 1
    assert {str(faq), str(asked)} <= set(input_digests(record))
    assert next(q for q in read_bank(out).questions if q.text == "w").relevant == (0, 1)


def test_a_base_comes_from_a_hub_and_tokenises_a_corpus(server, tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)  # of whoever tests
    write_base(tmp_path / "raw")
    raw = [path for path in (tmp_path / "raw").rglob("*") if path.is_file()]
    files = {str(path.relative_to(tmp_path / "raw")): path.read_bytes() for path in raw}
    server.serve_hub("someone/tiny", "a" * 40, files, large=("model.safetensors",))
    settings = {"hub": "someone/tiny", "revision": "a" * 40, "pooling": "cls", "max_length": 64}
    record = tmp_path / "base/record.json"
    download_model.main(flags(settings=settings | {"layers": 1}, hub=server.url, output=record))
    source = read_sealed(record)["source"]
    assert source["hub"] == "someone/tiny" and source["commit"] == "a" * 40
    assert source["files"]["model.safetensors"] == {
        "sha256": hashlib.sha256(files["model.safetensors"]).hexdigest(),
        "size": len(files["model.safetensors"]),
    }
    encoder = model_folder.load(record.parent / "model")
    assert len(encoder.layers) == 1 and encoder.pooling == "cls"
    corpus = prepare(prepare_wiki, {"kind": "wiki", "datasets": ["wiki1m"]}, tmp_path / "wiki")
    output = tmp_path / "tokens/record.json"
    tokenise.main(flags(corpus=corpus / "record.json", base=record, output=output))
    tokens = read_tokens(tmp_path / "tokens/tokens.arrow")
    assert len(tokens.offsets) - 1 == len(read_sentences(corpus)) == 450
    assert set(tokens.ids[tokens.offsets[:-1]].tolist()) == {2}
    assert set(tokens.ids[tokens.offsets[1:] - 1].tolist()) == {3}
    assert encoder.eval().encode(tokens, 64).shape == (450, 16)
