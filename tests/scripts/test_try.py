"""semblance try: a loss beside a method, from its file to the answer."""

import importlib
import shutil
from pathlib import Path

import numpy as np
import pytest
import yaml

from semblance import named_modules
from semblance.errors import InputError
from semblance.named_modules import LOSSES
from semblance.provenance import ROOT
from semblance.reporting.table import Cell, Row, Table
from workflow.planning.config import load_files
from workflow.planning.plan import Plan

command = importlib.import_module("workflow.scripts.try")  # `try` is a word of Python

LOSS = '''"""SimCSE by another name."""
from semblance.settings import Positive


def loss(batch, *, scale: Positive = 20.0):
    return batch
'''
RUN = "workflow.controller.command.run"
CPU = [str(ROOT / path) for path in command.WITHOUT_GPU]


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """The folder of the losses, in a copy of the modules found by name: no other test sees the link."""
    copy = tmp_path / "root"
    shutil.copytree(ROOT / "semblance", copy / "semblance", ignore=shutil.ignore_patterns("*.pyc"))
    monkeypatch.setattr(named_modules, "ROOT", copy)
    monkeypatch.chdir(tmp_path)
    return copy.joinpath(*LOSSES.split("."))


@pytest.fixture
def loss(tmp_path):
    """A user's file."""
    file = tmp_path / "loss_of_the_test.py"
    file.write_text(LOSS)
    return file


def table(ours, control, margin=0.5):
    """A table of the start, a control and a loss, with an average for each seed."""

    def row(label, values):
        cell = Cell({str(seed): value for seed, value in enumerate(values)})
        seeds = tuple(range(len(values)))
        return Row(label, "wiki", "b", label, seeds, "senteval", {"Average": cell}, {})

    rows = (row("MiniLM", [70.0]), row("SimCSE", control), row("loss_of_the_test", ours))
    return Table("try", "a title", "sts", ("Average",), rows, margin=margin)


def test_a_loss_is_trained_as_its_control_is_but_for_the_loss(loss, place):
    name = command.check_loss(loss)
    command.link_loss(loss)
    command.link_loss(loss)
    assert place.joinpath(loss.name).resolve() == loss and command.check_loss(loss) == name
    args = command.parser().parse_args([str(loss)])
    config = Path("own.yaml")
    config.write_text(yaml.safe_dump(command.config_of(name, CPU, "out", 3, args)))
    plan = Plan(load_files([*CPU, str(config)]))
    assert plan.config.seeds["try"] == [1, 2, 3]
    ours, control = (
        yaml.safe_load(plan.train_settings("wiki", "minilm-3", method, 1))
        for method in (name, "simcse")
    )
    assert ours.pop("loss") == name and control.pop("loss") == "contrastive"
    assert ours == control
    loss.write_text(LOSS.replace("20.0", "10.0"))  # what is edited is what is trained
    assert "10.0" in place.joinpath(loss.name).read_text()


NONE = "no function `loss`"
REFUSED = [
    ("broken.py", "def loss(batch) return", "broken.py:1: not Python"),
    ("empty.py", "", NONE),
    ("My Loss.py", LOSS, "is no NAME.py"),
    ("loss.txt", LOSS, "is no NAME.py"),
    ("contrastive.py", LOSS, "is another loss of this name"),
    ("teachers.py", "def loss(batch, regulators): ...", "reads the vectors of other models"),
]


@pytest.mark.parametrize("name, text, said", REFUSED)
def test_what_is_no_loss_is_refused_in_one_line_and_not_linked(tmp_path, place, name, text, said):
    file = tmp_path / name
    file.write_text(text)
    before = sorted(place.iterdir())
    with pytest.raises(InputError, match=said) as caught:
        command.check_loss(file)
    assert "\n" not in str(caught.value) and sorted(place.iterdir()) == before
    with pytest.raises(InputError, match="no such file"):
        command.check_loss(tmp_path / "absent.py")


@pytest.mark.parametrize(
    "name, flags, said",
    [
        ("mine.py", ["--against", "rcl-2"], "--against: 'rcl-2' reads the vectors of other"),
        ("mine.py", ["--against", "start"], "--against: 'start' is no method with a training"),
        ("simcse.py", [], "simcse.py: a method has this name"),
        ("mine.py", ["--output", "there"], "there.yaml: is there already"),  # not written by try
    ],
)
def test_what_is_refused_leaves_no_link_and_writes_no_config(loss, place, name, flags, said):
    loss = loss.rename(name)
    there = Path("there.yaml")
    there.write_text("seeds: {}\n")
    with pytest.raises(InputError, match=said):
        command.main([str(loss), *flags])
    assert not place.joinpath(name).exists()
    assert list(Path().glob("*.yaml")) == [there] and there.read_text() == "seeds: {}\n"


def test_an_installed_package_links_no_loss_into_its_code(loss, place, tmp_path, monkeypatch):
    monkeypatch.setattr(command, "ROOT", tmp_path)  # without a checkout's tests
    with pytest.raises(InputError, match="this package is installed, .*; use a checkout"):
        command.main([str(loss)])
    assert not (place / loss.name).exists() and not list(tmp_path.glob("*.yaml"))


NOISE = np.array([0.1, -0.1, 0.05, -0.05, 0.0])


@pytest.mark.parametrize(
    "shift, word",
    [(0.0, "equal to"), (1.0, "better than"), (-3.0, "worse than")],
)
def test_the_answer_is_what_the_interval_over_the_seeds_shows(shift, word):
    control = 70 + np.arange(5.0)
    for at_any_time in (False, True):
        answer = command.answer_of(table(control + shift + NOISE, control), at_any_time)
        assert answer.word == word and answer.is_decided and answer.n == 5
        assert answer.line().startswith(f"loss_of_the_test is {word} SimCSE: ")
        assert answer.low < shift < answer.high
    wide = command.answer_of(table(control + 20 * NOISE, control), False)
    assert wide.word == "not shown to differ from" and not wide.is_decided
    assert "with 80 % power they could have shown" in wide.line()


def test_seeds_are_added_until_the_answer_is_decided(loss, monkeypatch, capsys):
    control = 70 + np.arange(5.0)
    noisy = control + 20 * NOISE
    few = [table(noisy[:n], control[:n]) for n in (2, 3)]
    left = iter([*few, table(control + NOISE, control), None])
    monkeypatch.setattr(command, "visible_gpus", lambda: [])
    monkeypatch.setattr(command, "run", lambda layers, output, args: next(left))
    command.main([str(loss), "--seeds", "2", "--until-decided"])
    assert next(left) is None  # all tables were made, and no more
    seeds = yaml.safe_load(Path("try-loss_of_the_test.yaml").read_text())["seeds"]
    assert seeds["try"] == [1, 2, 3, 4]
    *_, answer, row, place = capsys.readouterr().out.splitlines()
    assert answer.startswith("loss_of_the_test is equal to SimCSE")
    assert row.split("&")[0].strip() == r"loss\_of\_the\_test" and row.endswith(r"\\")
    assert place == "the table: try-loss_of_the_test/tables/try.md"


def test_more_than_the_budget_is_not_started(loss, monkeypatch):
    monkeypatch.setattr(command, "visible_gpus", lambda: [])
    monkeypatch.setattr(RUN, lambda arguments: pytest.fail("it started"))
    with pytest.raises(InputError, match=r"--budget: [\d.]+ h are more than 0.01 h"):
        command.main([str(loss), "--budget", "0.01h"])


def test_the_budget_counts_all_seeds_together(loss, monkeypatch):
    """Each seed is priced by itself, and together they are more than the budget."""
    monkeypatch.setattr(command, "visible_gpus", lambda: [])
    started = []
    monkeypatch.setattr(RUN, lambda arguments: started.append(arguments) or 0)
    control = 70 + np.arange(5.0)
    undecided = table(control + 20 * NOISE, control)
    monkeypatch.setattr(command, "read_tables", lambda paths: [undecided])
    with pytest.raises(InputError, match="--budget"):
        command.main([str(loss), "--seeds", "2", "--until-decided", "--budget", "0.6h"])
    assert 1 <= len(started) < command.MOST_SEEDS
