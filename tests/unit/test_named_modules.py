"""Modules found by name: listed, refused, imported; no stage's code names them any other way."""

import subprocess
import sys

import pytest

from semblance import named_modules
from semblance.errors import InputError
from semblance.figures import DRAWN, is_drawn
from semblance.named_modules import (
    BANKS,
    COLLECTED,
    DROPOUTS,
    LOSSES,
    MASKED_WORDS,
    MEASURED,
    PAIRS,
    POOLINGS,
    ROOT,
    VIEWS,
    load_module,
    module_path,
)

FUNCTIONS = {
    LOSSES: ("loss",),
    VIEWS: ("view",),
    DROPOUTS: ("rate", "head_scale"),
    POOLINGS: ("pool",),
    BANKS: ("read",),
    PAIRS: ("read",),
    COLLECTED: ("rows",),
    MEASURED: ("rows",),
}
PACKAGES = list(FUNCTIONS)


@pytest.mark.parametrize("package", PACKAGES)
def test_the_names_are_those_of_the_files(package):
    folder = ROOT.joinpath(*package.split("."))
    files = {path.name for path in folder.iterdir() if path.suffix == ".py"}
    names = named_modules.module_names(package)
    assert {f"{name}.py" for name in names} == files - {"__init__.py"}
    assert names == sorted(names) and len(names) >= 2


@pytest.mark.parametrize("package", PACKAGES)
def test_each_module_has_one_of_its_packages_functions(package):
    for name in named_modules.module_names(package):
        module = load_module(package, name, "here")
        functions = [f for f in FUNCTIONS[package] if callable(getattr(module, f, None))]
        assert len(functions) == 1
        assert module.__name__ == module_path(package, name, "here")


@pytest.mark.parametrize("name", ["", ".", "__init__", "os", "../loop", "Rows", "rows.py"])
def test_any_other_name_is_refused_and_the_known_ones_are_listed(name):
    with pytest.raises(InputError) as caught:
        load_module(VIEWS, name, "config.views")
    known = ", ".join(named_modules.module_names(VIEWS))
    assert str(caught.value) == (
        f"config.views: there is no semblance/training/views/{name}.py; known are {known}"
    )


def test_the_module_of_each_drawing_has_the_function_draw_and_those_beside_it_have_none():
    drawn = {name for name in named_modules.module_names(DRAWN) if is_drawn(name)}
    functions = {
        name
        for name in named_modules.module_names(DRAWN)
        if callable(getattr(load_module(DRAWN, name, "here"), "draw", None))
    }
    assert functions == drawn and len(drawn) > 5


def test_a_drawing_stage_imports_no_drawing_and_no_torch_before_its_settings_name_one():
    kinds = [f"{DRAWN}.{name}" for name in named_modules.module_names(DRAWN) if is_drawn(name)]
    program = (
        "import sys; import workflow.scripts.draw_figure;"
        f"print(*({{*{kinds!r}, 'torch', 'pandas', 'matplotlib.pyplot'}} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


def test_names_are_listed_without_torch():
    program = (
        "import sys; from workflow.planning import config, modules;"
        'settings = \'{"loss": "entropy", "views": "rows"}\';'
        "modules.modules_of_training(config.load_files([]), 'bert-base', settings);"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT).returncode == 0


STAGES = (
    "prepare_faq",
    "train",
    "pretrain",
    "train_initial",
    "train_entropy",
    "train_curve",
    "embed",
    "mine_negatives",
    "train_final",
    "build_answerer",
    "fit_whitening",
    "evaluate_sts",
    "evaluate_transfer",
    "evaluate_relatedness",
    "download_model",
    "collect_figure",
    "measure_figure",
    "draw_figure",
)


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_imports_no_named_module_unless_its_settings_name_it(stage):
    program = (
        f"import sys; import workflow.scripts.{stage};"
        f"print(*(m for m in sys.modules for p in {PACKAGES} if m.startswith(p + '.')),"
        f" *({{{MASKED_WORDS!r}}} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
