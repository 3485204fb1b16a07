"""The options that a config may give a loss are those of its function, read without importing it."""

import importlib
import inspect

import pytest

from semblance import named_modules
from semblance.errors import InputError
from semblance.named_modules import LOSSES, module_names
from workflow.planning import losses

NAMES = ("contrastive", "entropy", "regulators")


def options_of(signature):
    """Return each option's annotation, and whether a call may leave it out."""
    return {
        p.name: (p.annotation, p.default is not inspect.Parameter.empty)
        for p in signature.parameters.values()
        if p.kind is inspect.Parameter.KEYWORD_ONLY
    }


@pytest.mark.parametrize("name", module_names(LOSSES))
def test_the_options_read_from_the_source_are_those_of_the_function(name):
    function = importlib.import_module(f"semblance.training.losses.{name}").loss
    expected = options_of(inspect.signature(function, eval_str=True))
    assert options_of(losses.signature(name)) == expected


@pytest.mark.parametrize("name", module_names(LOSSES))
def test_a_loss_takes_a_batch_and_perhaps_regulators(name):
    function = importlib.import_module(f"semblance.training.losses.{name}").loss
    parameters = inspect.signature(function).parameters.values()
    tensors = [p.name for p in parameters if p.kind is not inspect.Parameter.KEYWORD_ONLY]
    assert tensors in (["batch"], ["batch", "regulators"])
    assert losses.reads_regulators(name) == (len(tensors) == 2)


def test_the_losses_of_the_papers_are_found():
    assert set(NAMES) <= set(module_names(LOSSES))
    assert [losses.reads_regulators(name) for name in NAMES] == [False, False, True]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of losses of its own."""
    made = tmp_path.joinpath(*LOSSES.split("."))
    made.mkdir(parents=True)
    monkeypatch.setattr(named_modules, "ROOT", tmp_path)
    losses.signature.cache_clear()
    yield made
    losses.signature.cache_clear()


def test_a_new_loss_may_define_types_of_its_own(folder):
    (folder / "margin.py").write_text(
        "import torch\n"
        "from semblance.settings import Above, AtMost\n"
        "Margin = Annotated[float, Above(0), AtMost(2)]\n"
        "DEFAULT = torch.tensor(1.0)\n"
        "@torch.no_grad()\n"
        "def loss(batch: Batch, *, margin: Margin = DEFAULT, side: Literal['a', 'b'],"
        " shift: float | None = None, bare=1) -> Tensor:\n"
        "    return torch.relu(DEFAULT)\n"
    )
    assert module_names(LOSSES) == ["margin"]
    losses.check_options("margin", {"side": "a"}, "options")
    losses.check_options("margin", {"side": "b", "margin": 2, "shift": -1, "bare": []}, "options")
    for values, key in (
        ({"side": "c"}, "side"),
        ({"margin": 1}, "side"),
        ({"side": "a", "margin": 3}, "margin"),
    ):
        with pytest.raises(InputError, match=f"^options.{key}: "):
            losses.check_options("margin", values, "options")


@pytest.mark.parametrize(
    "text,problem",
    [
        ("def los(batch): pass\n", "no function `loss`"),
        ("def loss(batch, *, a: Thing = 1): pass\n", "cannot be read: Thing"),
        ("def loss(batch, *, a: open('x') = 1): pass\n", "cannot be read: open"),
        ("def loss(batch, *, a: Literal[x()] = 1): pass\n", "cannot be read: x"),
        ("def loss(batch:\n", "not Python"),
    ],
)
def test_a_loss_that_cannot_be_read_is_named_by_its_file(folder, text, problem):
    (folder / "wrong.py").write_text(text)
    with pytest.raises(InputError, match=problem) as caught:
        losses.check_options("wrong", {}, "options")
    assert str(caught.value).startswith(str(folder / "wrong.py"))
