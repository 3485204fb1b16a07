"""A user's loss is called once on random vectors: what is wrong with it is one line with its place."""

import json
from pathlib import Path

import pytest
import torch

from semblance.provenance import ROOT
from semblance.training import probe
from semblance.training.batch import Batch
from semblance.training.losses import own
from tests.scripts.flags import python

GOOD = "def loss(batch, *, scale: float = 1.0):\n    return scale * {}\n"
WRONG = {
    "def loss(x, y, scale):\n    return x\n": "1: TypeError: loss() missing 1 required positional argument",
    "import nothing_there\n": "1: ModuleNotFoundError: No module named 'nothing_there'",
    "X = 1\n": "1: KeyError: 'loss'",
    "import torch\n\n" + GOOD.format("torch.ones(1)"): "3: no gradient reaches the vectors",
    GOOD.format("batch.queries.detach().sum()"): "1: no gradient reaches the vectors",
    GOOD.format("(0 * batch.queries).sum()"): "1: no gradient reaches the vectors",
    GOOD.format("batch.queries"): "1: the loss is a Tensor [4, 32], not one number",
    GOOD.format("batch.queries.sum().item()"): "1: the loss is a float [], not one number",
    GOOD.format("batch.queries.sum() / 0"): "1: the loss of random vectors is",
    GOOD.format("(0 * batch.queries).sqrt().sum()"): "1: the gradient of random vectors is not",
    GOOD.format("batch.negatives.sum()"): "2: AttributeError: 'NoneType' object has no attribute",
    "import torch\n\n@torch.no_grad()\n" + GOOD.format("batch.queries.sum()"): "3: no gradient",
    "def loss(batch, *, scale):\n    raise SystemExit('stop\\nhere')\n": "2: SystemExit: stop here",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_the_last_line_with_its_place(tmp_path, monkeypatch, capsys, text):
    monkeypatch.chdir(tmp_path)
    probe.function_of.cache_clear()
    file = Path("mine.py")
    file.write_text(f"{text}print('words of its own')\n")
    with pytest.raises(SystemExit) as caught:
        probe.main(str(file), '{"scale": 2.0}', "2")
    assert caught.value.code == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith(f"{file}:{WRONG[text]}")


@pytest.mark.parametrize("texts, fields", [(2, ("queries", "positives")), (3, ("negatives",))])
def test_a_loss_is_called_with_the_texts_of_a_row(tmp_path, capsys, texts, fields):
    file = tmp_path / "mine.py"
    used = " + ".join(f"(batch.{name} ** 2).sum()" for name in fields)
    file.write_text(GOOD.format(f"({used})"))
    probe.main(str(file), json.dumps({"scale": 2.0}), str(texts))
    assert capsys.readouterr().out == ""


def test_a_child_process_says_it_and_leaves_the_working_folder_alone(tmp_path):
    Path(tmp_path, "mine.py").write_text(GOOD.format("batch.queries"))
    environment = {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    words = ("-P", "-m", probe.__name__, "mine.py", "{}", "2")
    done = python(*words, cwd=tmp_path, env=environment)
    assert done.returncode == 1 and list(tmp_path.iterdir()) == [tmp_path / "mine.py"]
    last = done.stdout.splitlines()[-1]
    assert last == "mine.py:1: the loss is a Tensor [4, 32], not one number in a tensor"


def test_a_loss_of_ones_own_is_what_its_file_returns_of_its_options(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(GOOD.format("batch.queries.sum()"))
    batch = Batch(torch.full((2, 3), 0.5), torch.zeros(2, 3))
    assert own.loss(batch, file=str(file)) == 3.0
    assert own.loss(batch, file=str(file), options={"scale": 2.0}) == 6.0
