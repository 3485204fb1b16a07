"""semblance try: a loss beside a method, from its file to the verdict."""

import contextlib
import importlib
import json
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from semblance.errors import InputError
from semblance.fetch import sources
from semblance.named_modules import LOSSES, folder_of
from semblance.reporting.ledger import Ledger
from semblance.reporting.table import Cell, Contrast
from semblance.strict_yaml import as_yaml
from semblance.training import probe
from tests.scripts.flags import start
from tests.shipped import merged
from workflow.checks.load import load_files
from workflow.config import signatures
from workflow.planning import modules
from workflow.planning.plan import Plan
from workflow.scripts import doubt

command = importlib.import_module("workflow.scripts.try")  # `try` is a word of Python

LOSS = '''"""SimCSE by another name."""
from semblance.settings import Positive
from semblance.training.batch import scaled_cosines


def loss(batch, *, scale: Positive = 20.0):
    logits = scaled_cosines(batch.queries, batch.positives, scale)
    return -logits.log_softmax(1).diagonal().mean()
'''
RUN = "workflow.run.command.run"
EDITED = LOSS.replace("mean()", "sum()")


@pytest.fixture
def loss(tmp_path, monkeypatch):
    """A user's file in an empty working folder, tried without a GPU and without a child process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", "state")
    monkeypatch.setattr(command, "visible_gpus", lambda: [])
    monkeypatch.setattr(signatures, "subprocess", SimpleNamespace(**vars(subprocess)))
    monkeypatch.setattr(signatures.subprocess, "run", in_process)
    monkeypatch.setattr(sources, "ask_all", lambda asked: [])
    file = Path("mine.py")
    file.write_text(LOSS)
    return file


def in_process(arguments, **_):
    """Run the probe in this process: a child would import torch anew, and most tests need it not."""
    name, *words = arguments[-4:]
    assert name == "semblance.training.probe"
    probe.function_of.cache_clear()
    try:
        probe.check(words[0], json.loads(words[1]), int(words[2]))
    except Exception as error:
        return subprocess.CompletedProcess(arguments, 1, f"{words[0]}:1: {error}\n")
    return subprocess.CompletedProcess(arguments, 0, "")


def prepared(args):
    with contextlib.ExitStack() as held:
        return command.prepare(args, held)


@pytest.fixture
def scores(monkeypatch):
    """The gain of each seed, and the trainings that were started: no test here trains."""
    started, gains = [], {}

    def scored(cost, records, cores):
        started.append(records)
        seeds = [int(record.split("seed-")[1].split("/")[0]) for record in records]
        ours = ["/mine" in record for record in records]
        points = [70 + (gains.get(s, 0) if own else 0) for s, own in zip(seeds, ours, strict=True)]
        both = list(zip(points[::2], points[1::2], strict=True))
        # Resampled pairs move the differences of all seeds by -.01, 0 or .01.
        return (
            both,
            [[a - b - 0.01, a - b, a - b + 0.01] for a, b in both],
            {"STS-B dev": [363, 1500]},
        )

    monkeypatch.setattr(command, "make", lambda *_: None)
    monkeypatch.setattr(command, "scored", scored)
    return gains, started


def test_a_loss_is_trained_as_its_control_is_but_for_the_loss(loss):
    args = command.parser().parse_args([str(loss), "--seeds", "3"])
    one = prepared(args)
    plan = Plan(load_files(one.layers))
    assert plan.config.seeds["try"] == [1, 2, 3]
    job = ("wiki", "minilm-3", one.method, 1)
    ours = json.loads(plan.train_settings(*job))
    control = json.loads(plan.train_settings("wiki", "minilm-3", "simcse", 1))
    assert ours.pop("loss") == "own" and control.pop("loss") == "contrastive"
    options = ours.pop("options")
    code = modules.of_training(plan.config, "minilm-3", plan.train_settings(*job))
    assert options["file"] in code  # an edit of the file makes its trainings stale
    assert options.pop("options") == control.pop("options") and ours == control
    assert Path(options["file"]).read_text() == LOSS
    assert not folder_of(LOSSES).joinpath("mine.py").exists()


def test_an_edited_loss_is_another_method_and_a_new_comment_makes_none(loss):
    digests = []
    for place, text in (
        ("as-it-is", LOSS),
        ("with-a-comment", f"{LOSS}# a comment\n"),
        ("edited", EDITED),
    ):
        file = Path(place, loss.name)  # the digest of a file is read once a process
        file.parent.mkdir()
        file.write_text(text)
        one = prepared(command.parser().parse_args([str(file)]))
        digests.append((one.method, one.digest(Plan(load_files(one.layers)))))
    first, with_a_comment, other = digests
    assert first == with_a_comment
    assert other[0] != first[0] and other[1] != first[1]


@pytest.mark.parametrize("teachers", [{"regulator_seeds": [5]}, {"regulators": ["simcse-mlp"]}])
def test_a_method_is_tried_as_it_is_and_other_teachers_make_another_try(loss, teachers):
    taught = {"recipe": "unsupervised", "label": "Taught", "loss": "ranking"}
    taught |= {"regulators": ["simcse"], "regulator_seeds": [10]}
    digests = []
    for more in ({}, {"label": "Another label"}, teachers):
        Path("mine.yaml").write_text(json.dumps({"methods": {"taught": taught | more}}))
        one = prepared(command.parser().parse_args(["taught", "mine.yaml"]))
        plan = Plan(load_files(one.layers))
        digests.append(one.digest(plan))
    assert digests[0] == digests[1] != digests[2]
    assert (one.corpus, one.base, one.method) == ("wiki1m", "bert-base", "taught")
    assert json.loads(plan.train_settings(*one.trainings(1)[0][1:]))["loss"] == "ranking"
    assert not Path("try-simcse/losses").exists()


TAUGHT = {"taught": {"recipe": "unsupervised", "loss": "ranking", "regulators": ["start"]}}
DECIDES = [
    {"bases": {"minilm-3": {"layers": 2}}},
    {"evaluate_sts": {"precision": "fp32"}},
    {"embed": {"precision": "fp32"}},
    {"methods": {"taught": {"regulators": ["minilm/start"]}}},
    {"corpora": {"wiki": {"limit": 900}}},
    {"instead": {"bert-base": "minilm-2-words"}},
]


@pytest.mark.parametrize("change", DECIDES, ids=str)
def test_what_decides_the_scores_of_a_try_makes_another_try(loss, change):
    """The base, its teachers' bases, the data and how scores are computed are none of its settings."""
    configs = [command.ROOT / path for path in command.WITHOUT_GPU]
    digests = []
    for more in ({}, change):
        Path("mine.yaml").write_text(as_yaml({"methods": TAUGHT}))
        Path("change.yaml").write_text(as_yaml(more))
        files = [str(path) for path in (*configs, "mine.yaml", "change.yaml")]
        one = prepared(command.parser().parse_args(["taught", *files]))
        digests.append(one.digest(Plan(load_files(one.layers))))
    assert digests[0] != digests[1]


def test_the_settings_that_a_base_is_trained_with_make_another_try(loss):
    digests = []
    for steps in (1000, 10):
        pretrain = {"bases": {"minilm-2-words": {"pretrain": {"max_steps": steps}}}}
        instead = {"instead": {"bert-base": "minilm-2-words"}}
        Path("mine.yaml").write_text(as_yaml(pretrain | instead))
        configs = [str(command.ROOT / path) for path in command.WITHOUT_GPU]
        one = prepared(command.parser().parse_args([str(loss), *configs, "mine.yaml"]))
        digests.append(one.digest(Plan(load_files(one.layers))))
    assert digests[0] != digests[1]


@pytest.mark.parametrize(
    "control, texts",
    [("simcse", 2), ("simcse-sup", 3), ("simcse-sup-no-negatives", 2), ("simcse-plus-plus", 3)],
)
def test_a_loss_is_called_with_as_many_texts_as_its_control_gives(
    loss, monkeypatch, control, texts
):
    called = []
    monkeypatch.setattr(
        command, "check_own_loss", lambda file, given, count: called.append(count) or {}
    )
    family = str(command.ROOT / "configs/family.yaml")
    prepared(command.parser().parse_args([str(loss), family, "--against", control]))
    assert called == [texts]


def test_the_weights_of_a_control_stay_for_the_next_try(loss):
    Path("mine.yaml").write_text("keep: {models: final}\n")
    one = prepared(command.parser().parse_args([str(loss), "mine.yaml"]))
    assert load_files(one.layers).keep.models == "all"


@pytest.mark.parametrize(
    "text, said",
    [
        (r"print(b'\xff'.decode('latin-1')); import sys; sys.stdout.buffer.write(b'\xff\n')", None),
        ("print('hello: x', flush=True); import os; os._exit(3)", "mine.py: it ended the process"),
    ],
    ids=["bytes that are not UTF-8", "an exit without a word"],
)
def test_what_a_loss_prints_is_no_error_of_it(tmp_path, monkeypatch, text, said):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(f"{text}\n{LOSS}")
    if said is None:
        assert signatures.check_own_loss(Path("mine.py"), {"scale": 20.0}, 2) == {"scale": 20.0}
        return
    with pytest.raises(InputError, match=said):
        signatures.check_own_loss(Path("mine.py"), {"scale": 20.0}, 2)


def test_a_method_keeps_its_whole_name_in_the_ledger(loss):
    one = prepared(command.parser().parse_args(["simcse-dropout-0.0"]))
    assert (one.loss, one.method) == ("simcse-dropout-0.0", "simcse-dropout-0.0")


def test_ours_instead_of_theirs_holds_for_a_try(loss):
    instead = {"bert-base": "bert-large", "wiki1m": "nli"}
    Path("mine.yaml").write_text(json.dumps({"instead": instead}))
    one = prepared(command.parser().parse_args([str(loss), "mine.yaml"]))
    assert (one.corpus, one.base) == ("nli", "bert-large")
    [row] = Plan(load_files(one.layers)).config.tables["try"].rows
    assert (row.corpora, row.bases) == (["nli"], ["bert-large"])


REFUSED = [
    ("broken.py", "def loss(batch) return", r"broken.py:1: not Python"),
    ("empty.py", "", "no function `loss`"),
    ("My Loss.py", LOSS, "is no NAME.py"),
    ("loss.txt", LOSS, "is no NAME.py"),
    ("types.py", LOSS.replace(": Positive", ": float | strin"), "types.py:6: an option's type"),
    ("needs.py", LOSS.replace("= 20.0)", "= 20.0, tau: float)"), "options.tau: missing key"),
    ("nan.py", LOSS.replace("mean()", "mean() * float('nan')"), "nan.py:1: .* is nan"),
]


@pytest.mark.parametrize("name, text, said", REFUSED)
def test_what_is_no_loss_is_refused_in_one_line(loss, name, text, said):
    file = loss.rename(name)
    file.write_text(text)
    with pytest.raises(InputError, match=said) as caught:
        signatures.check_own_loss(file, {"scale": 20.0}, 2)
    assert "\n" not in str(caught.value)


def test_a_broken_loss_writes_no_config_and_starts_no_run(loss, monkeypatch):
    monkeypatch.setattr(command, "make", lambda *_: pytest.fail("it started"))
    broken = Path("broken_by_arguments.py")
    broken.write_text("def loss(x, y):\n    return x\n")
    with pytest.raises(InputError, match="arguments.py:1: .* missing 1 required positional"):
        command.main([str(broken)])
    assert not [*Path().glob("*.yaml"), *Path().glob("try-*")]


@pytest.mark.parametrize(
    "flags, said",
    [
        (["--against", "rcl-2"], "--against: 'rcl-2' is no method .* without teachers"),
        (["--against", "start"], "--against: 'start' is no method that is trained"),
        (["there.yaml", "--against", "odd"], "--against: 'odd' is no method that is trained"),
        (["--output", "there"], "there.yaml: is there already"),  # not written by try
        (["--seeds", "1"], "--seeds: 1 is not from 2 to 30"),
        (["--open"], "--open: this loss is not kept"),
    ],
)
def test_what_cannot_be_tried_is_refused_in_one_line(loss, flags, said):
    Path("there.yaml").write_text(written := "methods: {odd: {recipe: nobody}}\n")
    with pytest.raises(InputError, match=said):
        command.main([str(loss), *flags])
    assert Path("there.yaml").read_text() == written


def test_a_method_is_not_tried_beside_itself(loss):
    with pytest.raises(InputError, match="^simcse: is what it would be compared with"):
        command.main(["simcse"])


def test_without_its_data_a_try_names_them_before_the_price(loss, monkeypatch, capsys):
    monkeypatch.setattr(RUN, lambda arguments: pytest.fail("it started"))
    answers = [sources.Found("stsb", "a", sources.State.FAILED), sources.Found("sick", "b", "have")]
    monkeypatch.setattr(sources, "ask_all", lambda asked: answers)
    Path("empty").mkdir()
    with pytest.raises(
        InputError, match=r"--mirror: 1 of \d+ files cannot be had here: stsb; name a"
    ):
        command.main([str(loss), "--mirror", "empty"])
    assert "core-hours" not in capsys.readouterr().err


def test_more_than_the_budget_is_not_started(loss, monkeypatch):
    monkeypatch.setattr(RUN, lambda arguments: pytest.fail("it started"))
    with pytest.raises(InputError, match=r"--budget: [\d.]+ h are more than 0.01 h"):
        command.main([str(loss), "--budget", "0.01h"])


def test_the_first_training_of_the_loss_goes_first_and_a_failure_ends_the_try(loss, monkeypatch):
    def snakemake(arguments):
        seen.extend(arguments)
        return 1

    seen = []
    monkeypatch.setattr(RUN, snakemake)
    with pytest.raises(SystemExit) as caught:
        command.main([str(loss), "--seeds", "2"])
    assert caught.value.code == 1 and not Path("state").exists()
    first = seen[seen.index("--prioritize") + 1]
    assert first.startswith("try-simcse/models/wiki/minilm-3/mine-") and "/seed-1/" in first
    assert "--keep-going" not in seen
    # The other scheduler warns where jobs are prioritised: findings/snakemake_prioritize_has_no_solution.sh
    assert seen[seen.index("--scheduler") + 1] == "greedy"


def verdicts(capsys):
    """The lines that were printed, and the ledger."""
    return capsys.readouterr().out.splitlines(), Ledger(Path("state/semblance/tries.jsonl"))


@pytest.mark.parametrize(
    "gain, said",
    [
        ({}, r"DISCARD: mine \S+ points \[.*\] beside simcse, 5 seeds on these 363 pairs"),
        ({1: 9.0, 2: -9.0, 3: 7.0}, r"OPEN: mine \+1.40 points \["),
    ],
)
def test_simcse_by_another_name_is_not_kept_however_much_seeds_differ(
    loss, scores, capsys, gain, said
):
    gains, _ = scores
    gains.update(gain)
    command.main([str(loss)])
    lines, ledger = verdicts(capsys)
    assert re.match(said, lines[0])
    assert lines[-2].endswith("STS-B dev 363 of 1,500; they cause an error of 0.01")
    assert lines[-1] == "look 1 of state/semblance/tries.jsonl, where 1 control was tried"
    undecided = [line for line in lines if "seeds like these would not decide it; 5 more" in line]
    assert len(undecided) == bool(gain)
    assert [len(look.scores) for look in ledger.looks] == [5]


def test_what_these_pairs_alone_show_is_open_and_a_line_says_so(loss, scores, capsys, monkeypatch):
    """Resampled pairs move all seeds by -1.22, 0 or 1.22: more than the gain of half a point."""
    gains, _ = scores
    gains.update({seed: 0.5 + seed / 100 for seed in range(1, 8)})
    as_it_is = command.scored

    def scored(cost, records, cores):
        both, _, pairs = as_it_is(cost, records, cores)
        return both, [[a - b - 1.2247, a - b, a - b + 1.2247] for a, b in both], pairs

    monkeypatch.setattr(command, "scored", scored)
    command.main([str(loss), "--seeds", "7"])
    lines, _ = verdicts(capsys)
    assert lines[0].startswith("OPEN: mine +0.54 points [−")
    assert any(
        line.startswith("above 0 on these pairs; on others it is not shown") for line in lines
    )
    assert any(line.endswith("they cause an error of 1.22") for line in lines)


def test_more_seeds_go_on_from_those_that_are_there(loss, scores, capsys):
    gains, started = scores
    gains.update({1: 1.0, 2: 1.1, 3: 0.9, 4: 1.05, 5: 0.95, 6: 1.0, 7: 1.02})
    command.main([str(loss), "--seeds", "3"])
    lines, _ = verdicts(capsys)
    assert lines[0].startswith("OPEN: ")
    assert any("like these would decide it: --seeds " in line for line in lines)
    command.main([str(loss), "--seeds", "7"])
    lines, ledger = verdicts(capsys)
    assert lines[0].startswith("KEEP: mine +1.00 points [+") and "7 seeds" in lines[0]
    assert [len(records) for records in started] == [2 * 3, 2 * 4]
    assert [len(look.scores) for look in ledger.looks] == [3, 7]
    assert Path("try-simcse/tries.jsonl").read_bytes() == ledger.path.read_bytes()
    command.main([str(loss), "--seeds", "7"])  # nothing is missing: the same is said again
    again, ledger = verdicts(capsys)
    assert again == lines and len(ledger.looks) == 2 and len(started) == 2


BUDGETS = {  # what differs from the first try, and the share of the budget that is spent by both
    "nothing but the folder": ([], {}, "10%"),
    "the control's name": (["copy.yaml", "--against", "copied"], {}, "10%"),
    "the control's temperature": (
        ["copy.yaml", "--against", "copied"],
        {"options": {"scale": 10.0}},
        "5%",
    ),
    "the ledger": (["--ledger", "other.jsonl"], {}, "5%"),
}


@pytest.mark.parametrize("flags, settings, spent", BUDGETS.values(), ids=BUDGETS)
def test_the_budget_is_that_of_the_settings_of_the_control(
    loss, scores, capsys, flags, settings, spent
):
    copied = {"methods": {"copied": merged("config.yaml")["methods"]["simcse"] | settings}}
    minilm = [str(command.ROOT / path) for path in command.WITHOUT_GPU]
    Path("copy.yaml").write_text(as_yaml(copied))
    command.main([str(loss), *minilm])
    Path("other.py").write_text(EDITED)
    command.main(["other.py", *minilm, *flags, "--output", "second"])
    lines = capsys.readouterr().out.splitlines()
    said = [line for line in lines if "of the error budget" in line][-1]
    assert f" {spent} of the error budget" in said
    is_new = flags and settings
    assert lines[-1].endswith("2 controls were tried" if is_new else "1 control was tried")


def test_the_test_sets_open_once_for_a_kept_loss_and_it_is_written_down(
    loss, scores, monkeypatch, capsys
):
    gains, _ = scores
    gains.update({seed: 1 + seed / 100 for seed in range(1, 6)})
    opened = []

    def read(paths):
        opened.append(paths)
        cell = Cell(dict.fromkeys("12345", 72.0), contrast=Contrast(1.0, 0.75, 1.25))
        return [SimpleNamespace(rows=[SimpleNamespace(cells={"Average": cell})])]

    monkeypatch.setattr("semblance.reporting.table.read_tables", read)
    command.main([str(loss)])
    assert "the test sets are closed: --open opens them, once" in verdicts(capsys)[0]
    with pytest.raises(InputError, match="kept with 5 seeds; give --seeds 5"):
        command.main([str(loss), "--open", "--seeds", "6"])
    for _ in range(2):
        command.main([str(loss), "--open"])
        lines, ledger = verdicts(capsys)
        assert "on the test sets: +1.00 points [+0.75, +1.25], 95 % interval over 5 seeds" in lines
    assert len(opened) == 1 and [bool(look.opened) for look in ledger.looks] == [False, True]


@pytest.mark.parametrize("further, word", [(0.6, "KEEP"), (-0.6, "OPEN")])
def test_a_stranger_doubts_a_kept_loss_and_both_entries_stay(loss, scores, capsys, further, word):
    """From the folder alone: its ledger, its config in full, the copy of the loss."""
    gains, started = scores
    gains.update({1: 0.6, 2: 0.65, 3: 0.6, 4: 0.55, 5: 0.6})
    gains.update(dict.fromkeys(range(6, 11), further))
    command.main([str(loss)])
    Path("other.py").write_text(EDITED)
    command.main(["other.py"])  # so that the folder's config is of another try of the same control
    config = command.over_project([*command.WITHOUT_GPU, "try-simcse.yaml"])
    Path("try-simcse/config.json").write_text(json.dumps(config))
    Path("try-simcse").rename("theirs")
    doubt.main(["theirs", "--ledger", "mine.jsonl"])
    started.pop(1)
    looks = Ledger(Path("mine.jsonl")).looks
    assert [(len(look.scores), look.verdict["word"]) for look in looks] == [(5, "KEEP"), (10, word)]
    assert looks[0].digest == looks[1].digest and looks[1].doubted == 5
    assert len(started[1]) == 2 * 5 and started[1][0].startswith(
        "doubt-mine/models/wiki/minilm-3/mine-"
    )
    assert Path("doubt-mine/losses", f"{looks[0].settings['method']}.py").read_text() == LOSS
    said = capsys.readouterr().out.splitlines()
    shown = "+0.60" if further > 0 else "−0.60"
    assert f"the 5 new seeds alone, by which nothing was chosen: {shown} points" in said


def test_a_doubt_with_another_control_is_refused(loss, scores):
    gains, _ = scores
    gains.update({seed: 0.6 + seed / 100 for seed in range(1, 6)})
    command.main([str(loss)])
    Path("short.yaml").write_text("recipes: {unsupervised: {max_steps: 9}}\n")
    config = command.over_project([*command.WITHOUT_GPU, "try-simcse.yaml", "short.yaml"])
    Path("try-simcse/config.json").write_text(json.dumps(config))
    with pytest.raises(InputError, match="config.json: simcse has other settings here than in the"):
        doubt.main(["try-simcse"])


def test_what_is_not_kept_cannot_be_doubted(loss, scores):
    command.main([str(loss)])
    with pytest.raises(InputError, match="try-simcse/tries.jsonl: no try is kept there"):
        doubt.main(["try-simcse"])


def test_a_second_try_beside_a_running_one_is_refused_before_it_writes(loss):
    ours = command.parser().parse_args([str(loss), "--seeds", "3"])
    with contextlib.ExitStack() as held:
        one = command.prepare(ours, held)
        before = Path("try-simcse.yaml").read_bytes()
        other = start("try", str(loss), "--seeds", "4", stderr=subprocess.PIPE)
        said = other.communicate()[1]
        assert other.returncode and "another process writes here" in said
        assert Path(one.layers[-1]).read_bytes() == before
