"""Every malformed file is refused at its line and leaves no trace; no valid one is refused."""

import gzip
import json
from pathlib import Path

import pytest

from semblance.data import text, wiki
from semblance.provenance import file_digest
from tests.files import contents
from tests.hostile.bounds import refusal
from tests.hostile.formats import FORMATS, Format
from tests.hostile.malformed import Case, cases, oddities
from tests.scripts.flags import flags
from workflow.scripts import (
    endings,
    prepare_faq,
    prepare_nli,
    prepare_pairs,
    prepare_sts,
    prepare_wiki,
)

CASES = cases()


def names_the_line(message: str, case: Case, folder: Path) -> bool:
    """Tell whether the message starts with the damaged file and one of its lines."""
    start = f"{folder / case.target}:"
    line = message.removeprefix(start).partition(":")[0]
    return message.startswith(start) and line.isdigit() and int(line) in case.lines


def test_there_are_at_least_three_hundred_cases_and_none_twice():
    assert len({str(case) for case in CASES}) == len(CASES) >= 300


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_malformed_file_is_refused_at_its_line_and_nothing_is_written(
    case, tmp_path, monkeypatch
):
    folder = case.write(tmp_path / "input")
    monkeypatch.chdir(tmp_path)
    before = contents(tmp_path)
    message = refusal(case.format.load, folder, case.target)
    assert names_the_line(message, case, folder), message
    assert contents(tmp_path) == before


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_the_plain_file_is_read_and_harmless_differences_change_nothing(form, tmp_path):
    plain = form.load(Case(form, "", form.sample.encode(), form.target).write(tmp_path / "plain"))
    assert plain
    for number, (name, content) in enumerate(oddities(form).items()):
        folder = Case(form, name, content, form.target).write(tmp_path / str(number))
        assert form.load(folder) == plain, name


def test_a_line_longer_than_the_limit_is_refused_before_it_is_decompressed(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "MAX_LINE", 1000)
    path = tmp_path / "w.txt.gz"
    path.write_bytes(gzip.compress(b"a sentence\n" + b"a" * 100_000_000))  # 100 kB on the disk
    assert f"{path}:2: a line of more than 1000 bytes" in refusal(wiki.read_sentences, path)


# Through the scripts: the same, as one line, with exit status 2 and no output

BANK = {"name": "bank", "folds": 3, "seed": 0}
STAGES = {  # format: (script, settings; a bank of one's own names its file instead of a dataset)
    "snli": (prepare_nli, {"kind": "nli", "datasets": ["snli"]}),
    "snli, tabs": (prepare_nli, {"kind": "nli", "datasets": ["snli"]}),
    "triples": (prepare_nli, {"kind": "nli", "datasets": ["nli-simcse"]}),
    "anli": (prepare_nli, {"kind": "nli", "datasets": ["anli"]}),
    "captions": (prepare_pairs, {"kind": "pairs", "format": "captions", "datasets": ["flickr30k"]}),
    "paraphrases": (prepare_pairs, {"kind": "pairs", "format": "paranmt", "datasets": ["paranmt"]}),
    "wiki": (prepare_wiki, {"kind": "wiki", "datasets": ["wiki1m"]}),
    "sts": (prepare_sts, {"datasets": ["sts12"], "protocol": "senteval"}),
    "sts, sentences": (prepare_sts, {"datasets": ["sts12"], "protocol": "senteval"}),
    "sts, raw": (prepare_sts, {"datasets": ["sts16"], "protocol": "senteval"}),
    "faqir": (prepare_faq, BANK | {"kind": "faqir", "dataset": "faqir"}),
    "stackfaq": (prepare_faq, BANK | {"kind": "stackfaq", "dataset": "stackfaq"}),
    "covid, tabs": (prepare_faq, BANK | {"kind": "covid", "dataset": "covid"}),
    "own csv": (prepare_faq, BANK | {"kind": "own", "dataset": "own"}),
    "own jsonl": (prepare_faq, BANK | {"kind": "own", "dataset": "own"}),
}
THROUGH_SCRIPTS = [case for case in CASES if case.format.name in STAGES]


def manifest(folder: Path, name: str, form: Format, target: str) -> Path:
    """Pin a dataset as it is, so that the parser, not the digest, meets the damage."""
    paths = form.files if len(form.files) > 1 else [target]
    digests = {path: file_digest(folder / "data" / path) for path in paths}
    files = [{"path": p, "sha256": digests[p], "size": None, "urls": []} for p in paths]
    words = {"title": "t", "licence": "l", "homepage": None, "archives": [], "expected": {}}
    content = {"datasets": {name: words | {"files": files}}}
    (folder / "manifest.yaml").write_text(json.dumps(content))
    return folder / "manifest.yaml"


def arguments(case: Case, folder: Path) -> list[str]:
    """Return the command line of the script that reads a case."""
    script, settings = STAGES[case.format.name]
    dataset = settings.get("dataset") or settings["datasets"][0]
    if dataset == "own":
        settings = settings | {"path": str(folder / "data" / case.target)}
    pinned = manifest(folder, dataset, case.format, case.target)
    places = {"data": folder / "data", "output": folder / "out/record.json"}
    if script is prepare_faq:
        places |= {"corpora": folder / "out/corpora", "dev": folder / "out/dev"}
    return flags(settings=settings, manifest=pinned, **places)


@pytest.mark.parametrize("case", THROUGH_SCRIPTS[::5], ids=str)
def test_a_script_reports_a_malformed_file_in_one_line_and_leaves_no_output(case, tmp_path, capsys):
    case.write(tmp_path / "data")
    command = arguments(case, tmp_path)
    before = contents(tmp_path)
    with pytest.raises(SystemExit) as caught:
        endings.run(lambda: STAGES[case.format.name][0].main(command))
    error = capsys.readouterr().err
    assert caught.value.code == 2
    assert error.startswith("error: ") and error.count("\n") == 1 and case.target in error, error
    assert contents(tmp_path) == before
