"""The options that a config may give a loss, a view or a dropout, read without importing it."""

import dataclasses
import inspect
import typing

import pytest

from semblance import named_modules
from semblance.errors import InputError
from semblance.named_modules import DROPOUTS, LOSSES, VIEWS, load_module, module_names
from workflow.config.signatures import (
    check_dropout,
    check_loss,
    check_view,
    module_file,
    options_type,
    read_signature,
    reads_regulators,
)

READ = [(LOSSES, name, "loss") for name in module_names(LOSSES)]
READ += [(VIEWS, name, "change") for name in module_names(VIEWS)]


def options_of(signature):
    """Return each option's annotation, and whether a call may leave it out."""
    return {
        p.name: (p.annotation, p.default is not inspect.Parameter.empty)
        for p in signature.parameters.values()
        if p.kind is inspect.Parameter.KEYWORD_ONLY
    }


@pytest.mark.parametrize("package, name, function", READ)
def test_the_options_read_from_the_source_are_those_of_the_function(package, name, function):
    imported = getattr(load_module(package, name, ""), function, None)
    found = read_signature(module_file(package, name, ""), function)
    if imported is None:  # of a view that changes no text
        assert found is None
    else:
        assert options_of(found) == options_of(inspect.signature(imported, eval_str=True))


@pytest.mark.parametrize("name", module_names(LOSSES))
def test_a_loss_takes_a_batch_and_perhaps_regulators(name):
    function = load_module(LOSSES, name, "").loss
    parameters = inspect.signature(function).parameters.values()
    tensors = [p.name for p in parameters if p.kind is not inspect.Parameter.KEYWORD_ONLY]
    assert tensors in (["batch"], ["batch", "regulators"])
    assert reads_regulators(name) == (len(tensors) == 2)


def fields(kind):
    """The name, the type and whether a default exists, of each field of a dataclass."""
    hints = typing.get_type_hints(kind, include_extras=True)
    missing = dataclasses.MISSING
    return [(f.name, hints[f.name], f.default is missing) for f in dataclasses.fields(kind)]


@pytest.mark.parametrize("name", module_names(DROPOUTS))
def test_the_options_read_from_the_source_are_those_of_a_dropout(name):
    expected = load_module(DROPOUTS, name, "here").Options
    found = options_type(module_file(DROPOUTS, name, "here"))
    if dataclasses.is_dataclass(expected):
        assert fields(found) == fields(expected)
    else:
        assert found == expected


@pytest.mark.parametrize(
    "check, key",
    [
        (lambda: check_view("crop", {"part": 0.1}, "x"), "x.part"),
        (lambda: check_view("crop", {}, "x"), "x.share"),
        (lambda: check_view("crop", {"share": 1.1}, "x"), "x.share"),
        (lambda: check_view("delete", {"words": 0}, "x"), "x.words"),
        (lambda: check_view("twice", {"share": 0.1}, "x"), "x"),
        (lambda: check_dropout({"nobody": 0.1}, "x"), "x.nobody"),
        (lambda: check_dropout({"hidden": 0.1, "attention": 0.95}, "x"), "x.attention"),
        (lambda: check_dropout({"drophead": -0.1}, "x"), "x.drophead"),
        (lambda: check_dropout({"sampled": {"rate": 0.1}}, "x"), "x.sampled.rate"),
        (lambda: check_dropout({"sampled": {"low": 0.5}}, "x"), "x.sampled"),  # above its default
    ],
)
def test_an_option_that_a_module_does_not_take_is_named_by_its_key(check, key):
    with pytest.raises(InputError, match=f"^{key}: "):
        check()


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """A folder of losses and one of dropouts of its own."""
    monkeypatch.setattr(named_modules, "ROOT", tmp_path)
    module_file.cache_clear()
    made = {name: tmp_path.joinpath(*name.split(".")) for name in (LOSSES, DROPOUTS)}
    for folder in made.values():
        folder.mkdir(parents=True)
    return made


def test_a_new_loss_may_define_types_of_its_own(modules):
    (modules[LOSSES] / "margin.py").write_text(
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
    check_loss("margin", {"side": "a"}, "options")
    check_loss("margin", {"side": "b", "margin": 2, "shift": -1, "bare": []}, "options")
    for values, key in (
        ({"side": "c"}, "side"),
        ({"margin": 1}, "side"),
        ({"side": "a", "margin": 3}, "margin"),
    ):
        with pytest.raises(InputError, match=f"^options.{key}: "):
            check_loss("margin", values, "options")


def test_the_options_of_a_loss_in_a_file_of_ones_own_are_checked_by_its_signature(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("def loss(batch, *, tau: Positive = 0.05):\n    return 0\n")
    check_loss("own", {"file": str(file)}, "options")
    check_loss("own", {"file": str(file), "options": {"tau": 0.1}}, "options")
    with pytest.raises(InputError, match=r"^options\.options\.tau: "):
        check_loss("own", {"file": str(file), "options": {"tau": -1}}, "options")
    with pytest.raises(InputError, match=r"^options\.options\.scale: "):
        check_loss("own", {"file": str(file), "options": {"scale": 1}}, "options")


def test_a_new_dropout_may_require_an_option(modules):
    (modules[DROPOUTS] / "rising.py").write_text(
        "import torch\n"
        "Word = Literal['linear', 'cosine']\n"
        "@dataclass(frozen=True)\n"
        "class Options:\n"
        "    '''Text.'''\n"
        "    most: Rate\n"
        "    course: Word = torch.tensor(1)\n"
    )
    check_dropout({"rising": {"most": 0.3, "course": "cosine"}}, "dropout")
    for options, key in (
        ({}, "most"),
        ({"most": 2.0}, "most"),
        ({"most": 0, "course": 1}, "course"),
    ):
        with pytest.raises(InputError, match=f"^dropout.rising.{key}: "):
            check_dropout({"rising": options}, "dropout")


@pytest.mark.parametrize(
    "package, text, problem",
    [
        (LOSSES, "def los(batch): pass\n", "no function `loss`"),
        (LOSSES, "def loss(batch, *, a: Thing = 1): pass\n", "cannot be read: Thing"),
        (LOSSES, "def loss(batch, *, a: open('x') = 1): pass\n", "cannot be read: open"),
        (LOSSES, "def loss(batch, *, a: Literal[x()] = 1): pass\n", r"cannot be read: Literal\[x"),
        (LOSSES, "def loss(batch:\n", "not Python"),
        (DROPOUTS, "Option = float\n", "no type `Options`"),
        (DROPOUTS, "class Options:\n    a: Thing = 1\n", "cannot be read: Thing"),
        (DROPOUTS, "class Options\n", "not Python"),
    ],
)
def test_a_module_that_cannot_be_read_is_named_by_its_file(modules, package, text, problem):
    path = modules[package] / "wrong.py"
    path.write_text(text)
    with pytest.raises(InputError, match=problem) as caught:
        if package == LOSSES:
            check_loss("wrong", {}, "options")
        else:
            check_dropout({"wrong": {}}, "dropout")
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("name", ["gone.py", "folder.py", "loss.txt"])
def test_a_loss_of_ones_own_that_is_no_file_of_python_is_refused_at_its_key(tmp_path, name):
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "loss.txt").write_text("def loss(embeddings): ...\n")
    with pytest.raises(InputError, match=r"^options\.file: .* is no file of Python"):
        check_loss("own", {"file": str(tmp_path / name)}, "options")


def test_a_loss_of_ones_own_that_is_not_utf8_is_refused(tmp_path):
    (tmp_path / "loss.py").write_bytes(b"# \xe4\n")
    with pytest.raises(InputError, match="not UTF-8"):
        check_loss("own", {"file": str(tmp_path / "loss.py")}, "options")
