"""From a file to a run: what is refused before anything is written, and how a failed run ends."""

import os
import re
import sys
from pathlib import Path

import pytest
import yaml

from semblance.data.faq import Faq, FaqPair
from semblance.errors import InputError
from semblance.strict_yaml import read_yaml
from semblance_faq.commands import cli as faq
from semblance_faq.commands import train as training
from semblance_faq.commands.config import OwnFaq
from workflow.scripts import endings
from workflow.scripts.endings import BAD_INPUT, INTERRUPTED, RUN_FAILED


@pytest.fixture
def file(tmp_path, monkeypatch) -> str:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"question {i},answer {i}\n" for i in range(9))
    Path("my.csv").write_text("question,answer\n" + rows)
    return "my.csv"


def status_of_training(file: str, *options: str) -> int:
    """Train on a file, with results in the folder y; return the exit status."""
    try:
        endings.run(lambda: faq.main(["train", file, "--output", "y", *options]))
    except SystemExit as ended:
        return ended.code
    return 0


@pytest.mark.parametrize(
    "snakemake, status",
    [
        *((failed, RUN_FAILED) for failed in (1, -15)),
        *((kept, kept) for kept in (BAD_INPUT, INTERRUPTED, 75)),
    ],
)
def test_a_failed_run_has_a_status_that_is_no_verdict(file, monkeypatch, snakemake, status):
    monkeypatch.setattr(training, "run_workflow", lambda *_: snakemake)
    assert status_of_training(file) == status != faq.NOT_BETTER


def test_the_config_is_written_once_and_a_changed_one_is_never_overwritten(file):
    own, _ = training.read_faq(file, "my-faq")
    path = training.write_config(own, file)
    before = path.read_text()
    assert path.name == "my-faq.yaml" and yaml.safe_load(before)["output"] == "my-faq"
    assert "semblance faq train my.csv\n" in before
    assert training.write_config(own, file) == path and path.read_text() == before
    path.write_text(before.replace("epochs: 10", "epochs: 20"))
    with pytest.raises(InputError, match="another config of this name is there"):
        training.write_config(own, file)
    assert "epochs: 20" in path.read_text()


def test_the_run_is_snakemakes_with_the_written_config(file, monkeypatch):
    from workflow.run import command

    given = []
    monkeypatch.setattr(command, "run", lambda arguments: given.append(arguments) or 0)
    assert training.run_workflow(Path("y.yaml"), "2") == 0
    assert given[0][:4] == ["--cores", "2", "--configfile", "y.yaml"]
    assert training.run_workflow(Path("y.yaml"), "2", "there") == 0
    assert f"mirror={Path('there').absolute()}" in given[1] and "--config" not in given[0]


def test_a_failed_run_from_a_base_that_is_not_installed_says_how_to_fetch_it(
    file, monkeypatch, capsys
):
    monkeypatch.setattr(training, "run_workflow", lambda *_: 1)
    advice = "semblance fetch y.yaml --mirror FOLDER; then train here with --mirror FOLDER"
    for base, is_said in (("minilm", False), ("e5-small", True)):
        assert status_of_training(file, "--base", base) == RUN_FAILED
        assert (advice in capsys.readouterr().err) == is_said
        Path("y.yaml").unlink()


@pytest.mark.parametrize(
    "output, name",
    [
        *((output, "y") for output in ("./y", "y/", ".//y", "x/../y")),
        ("~/y", "{home}/y"),
        ("1e5", "1e5"),  # to YAML a number
    ],
)
def test_usual_ways_to_name_a_folder_are_one_name_which_the_config_has(
    file, monkeypatch, output, name
):
    monkeypatch.setenv("HOME", str(Path.cwd()))
    name = name.format(home=Path.cwd())
    own, _ = training.read_faq(file, output)
    assert own.output == name
    path = training.write_config(own, file)
    assert path == Path(f"{name}.yaml") and read_yaml(path)["output"] == name


@pytest.mark.parametrize("name", ["a<b>.csv", "a{b}.csv", "a\udcff.csv"])
def test_a_file_that_no_config_can_name_is_refused_by_its_own_name(file, name):
    os.rename(file, name)
    with pytest.raises(InputError, match="no config can name this file") as caught:
        training.read_faq(name, "y")
    assert str(caught.value).startswith("a") and not Path("y.yaml").exists()


@pytest.mark.parametrize(
    "option, value, said",
    [
        *(("cores", cores, "--cores") for cores in ("abc", "0", "-1", "1.5")),
        *(("precision", share, "not between 0 and 1") for share in ("1.5", "0", "1", "nan")),
    ],
)
def test_an_option_of_another_range_is_refused_before_anything_is_written(
    file, capsys, option, value, said
):
    assert status_of_training(file, f"--{option}={value}") == BAD_INPUT
    assert said in capsys.readouterr().err and not Path("y.yaml").exists()


@pytest.mark.parametrize("output", ["", ".", "y/../..", "my faq", "ü", "-y", "y\n"])
def test_an_output_that_no_config_can_name_is_refused_with_advice(file, output):
    advice = "letters from a to z, digits and the characters _ - . and /"
    with pytest.raises(InputError, match=advice):
        training.read_faq(file, output)


def test_a_config_that_the_planning_refuses_is_not_written(file):
    with pytest.raises(InputError):
        training.write_config(OwnFaq(file, "workflow", 0, precision=2.0), file)
    assert not Path("workflow.yaml").exists()


def lines_of(rows: str) -> tuple[OwnFaq, list[str]]:
    """What is told of a FAQ with these rows, without what was recognised in the file."""
    Path("my.csv").write_text("question,answer,queries\n" + rows)
    own, lines = training.read_faq("my.csv", "y")
    return own, [line for line in lines if line.startswith(("test:", "not tested:"))]


def test_a_faq_with_fewer_answers_than_folds_is_refused_before_anything_is_written(file):
    rows = "".join(f"question {i},answer {i % 4}\n" for i in range(40))
    Path(file).write_text("question,answer\n" + rows)
    assert status_of_training(file) == BAD_INPUT and not Path("y.yaml").exists()


@pytest.mark.parametrize(
    "count, queries, wordings",
    [(24, "wording {}", 24), (24, "wording {0}|Question {0}?", 24), (9, "w {0}|v {0}", 18)],
)
def test_too_few_wordings_are_said_to_be_untested(file, count, queries, wordings):
    """A wording that is a question of the FAQ does not count as one."""
    rows = "".join(f"question {i},answer {i},{queries.format(i)}\n" for i in range(count))
    own, lines = lines_of(rows)
    assert own.wordings == wordings and not own.holds_out_wordings
    untested = f"not tested: {wordings} wordings of users; the models train on them, and 25 are"
    assert lines == [
        f"test: the {count} questions of the FAQ, each held out once",
        f"{untested} needed to hold some out",
    ]


def test_enough_wordings_are_said_to_be_the_test(file):
    own, lines = lines_of("".join(f"question {i},answer {i},wording {i}\n" for i in range(25)))
    assert own.holds_out_wordings and lines == ["test: 25 wordings of users, each held out once"]


def test_questions_that_share_an_answer_are_reported(file):
    rows = "".join(f"question {i},answer {i % 6},\n" for i in range(60))
    _, lines = lines_of(rows)
    # Ten questions of each answer lie in all five folds, by any split that is even.
    assert lines[1] == (
        "test: all questions of one answer are held out together; otherwise 60 of them would have"
        " their answer in training"
    )


@pytest.mark.parametrize("speed, taken", [(2.4, True), (1, False), (0.5, False)])
def test_bf16_is_taken_where_the_processor_is_faster_in_it(file, monkeypatch, speed, taken):
    monkeypatch.setattr(training, "bf16_here", lambda: speed)
    own, _ = lines_of("".join(f"question {i},answer {i},\n" for i in range(9)))
    assert own.bf16 is taken


@pytest.mark.parametrize(
    "count, precision, said", [(43, 0.9, True), (44, 0.9, False), (29, 0.85, False)]
)
def test_a_precision_that_no_test_could_show_is_said_before_the_run(file, count, precision, said):
    rows = "".join(f"question {i},answer {i}\n" for i in range(count))
    Path(file).write_text("question,answer\n" + rows)
    _, lines = training.read_faq(file, "y", precision=precision)
    expected = (
        "promise: 43 questions cannot show a precision of 0.9; 44 all answered rightly could. At most"
        " --precision 0.89"
    )
    assert [line for line in lines if line.startswith("promise")] == [expected] * said


@pytest.mark.parametrize("better, required, status", [(0, 0, 0), (1, 0, 0), (0, 1, 1), (1, 1, 0)])
def test_a_finished_run_fails_only_where_better_is_required_and_not_shown(
    file, monkeypatch, better, required, status
):
    monkeypatch.setattr(training, "run_workflow", lambda *_: 0)
    monkeypatch.setattr(training, "result_of", lambda output: ("summary", bool(better)))
    assert status_of_training(file, *["--require-better"] * required) == status


GERMAN = (
    ("Wie kann ich mein Passwort zurücksetzen?", "Klicken Sie auf Passwort vergessen."),
    ("Kann ich ein Buch verlängern?", "Ja, zweimal, wenn es niemand vorgemerkt hat."),
    ("Wie hoch sind die Mahngebühren?", "Zwanzig Cent am Tag für jedes Buch."),
)
ENGLISH = (
    ("How do I reset my password?", "Click on forgotten password."),
    ("Can I renew a book?", "Yes, twice, if nobody has reserved it."),
    ("How high are the fines?", "Twenty cents a day for each book."),
)


@pytest.mark.parametrize(
    "pairs, base, said",
    [
        (GERMAN, "minilm", True),
        (GERMAN, "bge-small", True),
        (GERMAN, "multilingual-e5-small", False),
        (GERMAN, "a-base-of-the-users", False),
        (ENGLISH, "minilm", False),
        ((("1+1?", "2"), ("2+2?", "4")), "minilm", False),  # no word tells a language
    ],
)
def test_a_file_in_another_language_than_the_base_reads_is_said_before_the_run(pairs, base, said):
    bank = Faq("f", tuple(FaqPair(q, q, a, q) for q, a in pairs), ())
    lines = list(training.language_lines(bank, base))
    assert len(lines) == said
    if said:
        assert (
            f"vocabulary of {base}, which reads English" in lines[0]
            and "--base multilingual-e5-small" in lines[0]
        )


def test_the_estimate_of_a_run_shrinks_with_the_cores_and_names_time_memory_and_disk(file):
    own, _ = training.read_faq(file, "out")
    config = training.write_config(own, file)
    (line, hours), (_, shorter) = (training.estimate(config, cores) for cores in ("1", "2"))
    assert re.fullmatch(r"estimate: .+ on 1 idle core.*; .+B of memory, .+B of disk", line)
    assert shorter == pytest.approx(hours / 2) and hours > 0


@pytest.mark.parametrize(
    "answer, started", [("y\n", True), ("n\n", False), ("\n", False), ("", False)]
)
def test_a_run_of_more_than_an_hour_starts_on_a_terminal_only_after_a_yes(
    file, monkeypatch, capsys, answer, started
):
    runs = []
    monkeypatch.setattr(training, "estimate", lambda *_: ("estimate: 2 h", 2.0))
    monkeypatch.setattr(training, "run_workflow", lambda *given: runs.append(given) or 1)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(sys.stdin, "readline", lambda: answer)
    assert status_of_training(file) == (RUN_FAILED if started else INTERRUPTED)
    assert bool(runs) == started
    assert ("semblance run y.yaml" in capsys.readouterr().err) == (not started)
