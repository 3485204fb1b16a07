"""Every malformed file is refused at its line, none crashes or leaves a trace, and no valid one is refused."""

import gzip
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from semblance.data import text, wiki
from semblance.errors import InputError
from semblance.provenance import file_digest
from tests.hostile.formats import FORMATS
from tests.hostile.malformed import Case, cases, oddities
from workflow.scripts import (
    endings,
    prepare_faq,
    prepare_nli,
    prepare_pairs,
    prepare_sts,
    prepare_wiki,
)

ROOT = Path(__file__).resolve().parents[2]
CASES = cases()


def snapshot(folder: Path) -> dict[str, bytes]:
    """Return all that lies below a folder."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def names_the_line(message: str, case: Case, folder: Path) -> bool:
    """Tell whether the message starts with the damaged file and one of its lines."""
    start = f"{folder / case.target}:"
    line = message.removeprefix(start).partition(":")[0]
    return message.startswith(start) and line.isdigit() and int(line) in case.lines


def test_there_are_at_least_three_hundred_cases_and_none_twice():
    assert len({str(case) for case in CASES}) == len(CASES) >= 300


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_the_undamaged_samples_are_read(form, tmp_path):
    for name, content in form.files.items():
        (tmp_path / name).write_text(content)
    assert form.load(tmp_path)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_malformed_file_is_refused_at_its_line_and_nothing_is_written(
    case, tmp_path, monkeypatch
):
    folder = case.write(tmp_path / "input")
    monkeypatch.chdir(tmp_path)
    before = snapshot(tmp_path)
    with pytest.raises(InputError) as caught:
        case.format.load(folder, case.target)
    message = str(caught.value)
    assert names_the_line(message, case, folder) and "\n" not in message and len(message) < 2000, (
        message[:500]
    )
    assert snapshot(tmp_path) == before


ODDITIES = [(form, name) for form in FORMATS for name in oddities(form)]


@pytest.mark.parametrize("form, name", ODDITIES, ids=lambda value: getattr(value, "name", value))
def test_harmless_differences_read_like_the_plain_file(form, name, tmp_path):
    read = []
    for place, content in (("plain", form.sample.encode()), ("odd", oddities(form)[name])):
        Case(form, name, content, form.target).write(tmp_path / place)
        read.append(form.load(tmp_path / place))
    assert read[0] == read[1]


def test_a_line_longer_than_the_limit_is_refused_before_it_is_decompressed(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "MAX_LINE", 1000)
    path = tmp_path / "w.txt.gz"
    path.write_bytes(gzip.compress(b"a sentence\n" + b"a" * 100_000_000))  # 100 kB on the disk
    with pytest.raises(InputError, match=rf"{path}:2: a line of more than 1000 bytes"):
        wiki.read_sentences(path)


# Through the scripts: the same, as one line, with exit status 2 and no output


def manifest(folder: Path, name: str, paths: list[str]) -> Path:
    """Write a manifest that pins one dataset as it is, so that the parser, not the digest, meets the damage."""
    digests = {path: file_digest(folder / "data" / path) for path in paths}
    files = [{"path": p, "sha256": digests[p], "size": None, "urls": []} for p in paths]
    dataset = {
        "title": "t",
        "licence": "l",
        "homepage": None,
        "files": files,
        "archives": [],
        "expected": {},
    }
    (folder / "manifest.yaml").write_text(json.dumps({"datasets": {name: dataset}}))
    return folder / "manifest.yaml"


def command(case: Case, folder: Path) -> tuple[ModuleType, list[str]]:
    """Return the script that reads a case, and its command line."""
    out, form = folder / "out", case.format
    paths = [case.target] if len(form.files) == 1 else list(form.files)
    kind, dataset, script = STAGES[form.name]
    settings = {
        "prepare_nli": {"kind": kind, "datasets": [dataset]},
        "prepare_wiki": {"kind": kind, "datasets": [dataset]},
        "prepare_pairs": {"kind": "pairs", "format": kind, "datasets": [dataset]},
        "prepare_sts": {
            "datasets": [dataset],
            "protocol": "senteval",
        },
        "prepare_faq": {"name": "bank", "kind": kind, "folds": 3, "seed": 0, "dataset": dataset},
    }[script.__name__.split(".")[-1]]
    if kind == "own":
        settings["path"] = str(folder / "data" / case.target)
    folders = ["--corpora", str(out / "corpora"), "--dev", str(out / "dev")]
    corpora = folders if script is prepare_faq else []
    return script, [
        "--settings",
        json.dumps(settings),
        "--manifest",
        str(manifest(folder, dataset, paths)),
        "--data",
        str(folder / "data"),
        *corpora,
        "--output",
        str(out / "record.json"),
    ]


STAGES = {
    "snli": ("nli", "snli", prepare_nli),
    "snli, tabs": ("nli", "snli", prepare_nli),
    "triples": ("nli", "nli-simcse", prepare_nli),
    "anli": ("nli", "anli", prepare_nli),
    "captions": ("captions", "flickr30k", prepare_pairs),
    "paraphrases": ("paranmt", "paranmt", prepare_pairs),
    "wiki": ("wiki", "wiki1m", prepare_wiki),
    "sts": ("", "sts12", prepare_sts),
    "sts, sentences": ("", "sts12", prepare_sts),
    "sts, raw": ("", "sts16", prepare_sts),
    "faqir": ("faqir", "faqir", prepare_faq),
    "stackfaq": ("stackfaq", "stackfaq", prepare_faq),
    "covid, tabs": ("covid", "covid", prepare_faq),
    "own csv": ("own", "own", prepare_faq),
    "own jsonl": ("own", "own", prepare_faq),
}
THROUGH_SCRIPTS = [case for case in CASES if case.format.name in STAGES]


@pytest.mark.parametrize("case", THROUGH_SCRIPTS[::5], ids=str)
def test_a_script_reports_a_malformed_file_in_one_line_and_leaves_no_output(case, tmp_path, capsys):
    case.write(tmp_path / "data")
    script, arguments = command(case, tmp_path)
    before = snapshot(tmp_path)
    with pytest.raises(SystemExit) as caught:
        endings.run(lambda: script.main(arguments))
    told = capsys.readouterr().err
    assert (
        caught.value.code == 2
        and told.startswith("error: ")
        and told.count("\n") == 1
        and case.target in told
    ), told[:500]
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("case", THROUGH_SCRIPTS[::90], ids=str)
def test_the_program_itself_exits_with_status_2_and_no_traceback(case, tmp_path):
    case.write(tmp_path / "data")
    script, arguments = command(case, tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", script.__name__, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert (
        done.returncode == 2 and done.stderr.count("\n") == 1 and "Traceback" not in done.stderr
    ), done.stderr[-1000:]
    left = {path.name for path in (tmp_path / "out").glob("*")}
    assert left <= {".writer"}  # names the process that may write there
