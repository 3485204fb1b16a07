"""``semblance faq`` as a user starts it: answers, exit statuses, and errors in one line."""

import json
import os
import subprocess
import sys

import pytest

from faq.tests.example_faq import ENTRIES, write_example
from semblance_faq.answer.folder import Threshold
from tests.dag.tiny import ROOT, write_model
from tests.scripts.flags import python
from workflow.scripts import faq as program
from workflow.scripts.endings import CLOSED

KNOWN = ENTRIES[2].question
UNKNOWN = "xyzzy"
HEAVY = set("torch transformers scipy pandas snakemake pyarrow pydantic starlette".split())


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Two answerers: one that ranks by words, which starts without torch, and one by vectors."""
    place = tmp_path_factory.mktemp("faq")
    model = write_model(place / "base")
    write_example(place / "words", model, ranking="words", threshold=Threshold(0.1, 0.9, 0.5))
    write_example(place / "vectors", model)
    return place


def faq(*arguments: object, given: bytes = b"") -> subprocess.CompletedProcess:
    command = ["-m", "semblance", "faq", *map(str, arguments)]
    return python(*command, input=given, text=False, timeout=300)


def one_error(done: subprocess.CompletedProcess) -> str:
    """The one line of a command that was refused."""
    assert done.returncode == 2 and done.stdout == b""
    [line] = done.stderr.decode().splitlines()
    assert line.startswith("error: ")
    return line


def test_without_an_answer_the_status_is_3_and_the_ranking_comes_only_if_asked(folders):
    done = faq("ask", "--model", folders / "words", UNKNOWN)
    assert done.returncode == 3
    assert done.stdout.startswith(b"No answer") and KNOWN.encode() not in done.stdout
    done = faq("ask", "--model", folders / "words", UNKNOWN, "--top", 5)
    assert done.returncode == 3 and KNOWN.encode() in done.stdout


def test_questions_of_the_standard_input_are_answered_one_a_line(folders):
    given = f"{KNOWN}\n\n{UNKNOWN}\n{KNOWN}".encode()
    done = faq("ask", "--model", folders / "words", "--json", "--top", 1, given=given)
    assert done.returncode == 3  # one of them has no answer
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["question"] for each in found] == [KNOWN, UNKNOWN, KNOWN]
    assert [each["known"] for each in found] == [True, False, True]
    assert [len(each["answers"]) for each in found] == [1, 0, 1]


def test_a_malformed_line_ends_in_one_error_after_the_answers_before_it(folders):
    given = KNOWN.encode() + b"\n\xff\n"
    done = faq("ask", "--model", folders / "words", "--json", given=given)
    assert done.returncode == 2 and len(done.stdout.splitlines()) == 1
    assert done.stderr.startswith(b"error: stdin:2: not UTF-8")


def test_what_is_wrong_is_reported_in_one_line(tmp_path):
    assert "no answerer" in one_error(faq("ask", "--model", tmp_path, "a"))
    assert "no port" in one_error(faq("serve", "--model", tmp_path, "--port", 70_000))
    assert "no answerer" in one_error(faq("check", tmp_path))


def test_a_reader_that_leaves_ends_the_session_quietly(folders):
    command = f"{sys.executable} -m semblance faq ask --model {folders}/words | head -n 1"
    given = (KNOWN + "\n").encode() * 200
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=ROOT, input=given, capture_output=True
    )
    assert done.returncode == CLOSED and done.stderr == b""


def test_an_answer_by_vectors_has_status_0_and_needs_none_of_the_slow_libraries(folders):
    program = (
        "import sys; from semblance_faq.commands import cli as faq; faq.main(sys.argv[1:]); "
        "print('LOADED', *sys.modules)"
    )
    arguments = ["ask", "--model", folders / "vectors", KNOWN]
    path = os.environ | {"PYTHONPATH": str(ROOT / "faq")}
    done = python("-c", program, *arguments, timeout=300, env=path)
    assert done.returncode == 0, done.stderr
    text, _, loaded = done.stdout.rpartition("LOADED")
    assert KNOWN in text and ENTRIES[2].answer in text and "score" in text
    assert not set(loaded.split()) & HEAVY


def test_a_folder_is_checked_and_a_damaged_one_has_status_1(folders, tmp_path):
    done = faq("check", folders / "vectors")
    assert done.returncode == 0 and b"as its record says" in done.stdout
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-r", str(folders / "vectors"), str(copy)], check=True)
    with (copy / "entries.jsonl").open("a") as stream:
        stream.write("\n")
    done = faq("check", copy)
    assert done.returncode == 1 and b"problem: " in done.stdout and b"entries.jsonl" in done.stdout
    done = faq("check", copy, "--json")
    assert done.returncode == 1 and "entries.jsonl" in json.loads(done.stdout)["problems"][0]


@pytest.mark.parametrize(
    "words", [[], *([name] for name in ("train", "ask", "serve", "update", "check"))]
)
def test_each_help_has_an_example_that_its_parser_reads(words, capsys):
    with pytest.raises(SystemExit):
        program.parser().parse_args([*words, "--help"])
    shown = capsys.readouterr().out
    name = " ".join([program.parser().prog, *words])
    example = next(line for line in shown.splitlines() if line.startswith(f"  {name} "))
    assert example and "\nexample" in shown
