"""Modules found by name: listed, refused, imported; no stage's code names them any other way."""

from importlib.util import find_spec

import pytest

from semblance import named_modules
from semblance.errors import InputError
from semblance.figures import KINDS
from semblance.named_modules import (
    BANKS,
    DROPOUTS,
    FIGURES,
    LOSSES,
    MASKED_WORDS,
    PAIRS,
    POOLINGS,
    ROOT,
    VIEWS,
    load_module,
    module_path,
)
from tests.scripts.flags import python
from tests.unit.figures.example_rows import ROWS

FUNCTIONS = {
    LOSSES: ("loss",),
    VIEWS: ("view",),
    DROPOUTS: ("rate", "head_scale"),
    POOLINGS: ("pool",),
    **dict.fromkeys((BANKS, PAIRS), ("read",)),
    FIGURES: ("rows",),
}
PACKAGES = list(FUNCTIONS)


@pytest.mark.parametrize("package", PACKAGES)
def test_the_names_are_those_of_the_files_and_each_has_one_of_its_packages_functions(package):
    last = package.rpartition(".")[2]
    folders = [ROOT.joinpath(*package.split(".")), *ROOT.glob(f"*/*/extends/{last}")]
    files = {path.name for folder in folders for path in folder.glob("*.py")}
    names = named_modules.module_names(package)
    assert {f"{name}.py" for name in names} == files - {"__init__.py"}
    assert names == sorted(names) and len(names) >= 2
    for name in names:
        module = load_module(package, name, "here")
        assert module.__name__ == module_path(package, name, "here")
        assert sum(callable(getattr(module, f, None)) for f in FUNCTIONS[package]) == 1


@pytest.mark.parametrize("name", ["", ".", "__init__", "os", "../loop", "Rows", "rows.py"])
def test_any_other_name_is_refused_and_the_known_ones_are_listed(name):
    with pytest.raises(InputError) as caught:
        load_module(VIEWS, name, "config.views")
    known = ", ".join(named_modules.module_names(VIEWS))
    assert str(caught.value) == (
        f"config.views: there is no semblance/training/views/{name}.py; known are {known}"
    )


def test_each_figure_has_columns_and_all_but_the_table_of_sentences_a_drawing():
    modules = {name: load_module(FIGURES, name, "here") for name in KINDS}
    assert sorted(modules) == named_modules.module_names(FIGURES)
    assert all(module.COLUMNS for module in modules.values())
    undrawn = [name for name, module in modules.items() if not hasattr(module, "draw")]
    assert undrawn == ["retrieval"]
    assert set(ROWS) == set(KINDS) - {"retrieval"}


def imported(statements: str) -> set[str]:
    """Return the modules that Python has imported after some statements."""
    program = f"import sys\n{statements}\nprint(*sys.modules)"
    return set(python("-c", program, check=True).stdout.split())


NAMES_LISTED = """from workflow.checks.load import load_files
from workflow.planning import modules
settings = '{"loss": "entropy", "views": "rows"}'
modules.of_training(load_files([]), "bert-base", settings)"""


@pytest.mark.parametrize(
    "statements, libraries",
    [
        (NAMES_LISTED, "torch"),
        ("import workflow.run.costs, workflow.scripts.plan", "torch snakemake pandas"),
        (
            "import workflow.scripts.status",
            "torch transformers numpy pandas pyarrow snakemake datasets",
        ),
        ("import semblance.reporting.layouts", "torch numpy pandas pyarrow scipy"),
        ("\n".join(f"import {FIGURES}.{kind}" for kind in KINDS), "torch matplotlib"),
    ],
    ids=["a check of a config", "the costs", "the status", "the layouts of tables", "the figures"],
)
def test_what_nobody_wants_to_wait_for_loads_no_large_library(statements, libraries):
    assert imported(statements).isdisjoint(libraries.split())


ONE_STAGES = {"sacremoses": {"prepare_sts", "prepare_dev"}, "sklearn": {"evaluate_transfer"}}


@pytest.mark.parametrize("library", ONE_STAGES)
def test_a_library_that_one_stage_needs_is_loaded_by_no_other_script(library):
    scripts = {path.stem for path in (ROOT / "workflow/scripts").glob("[a-z]*.py")}
    assert find_spec(library) and scripts > ONE_STAGES[library]
    others = [f"workflow.scripts.{name}" for name in sorted(scripts - ONE_STAGES[library])]
    assert library not in imported(f"import importlib\n[*map(importlib.import_module, {others})]")


STAGES = "prepare_faq train pretrain train_initial train_entropy train_curve embed "
STAGES += "fit_whitening evaluate_sts evaluate_transfer "
STAGES += "download_model collect_figure measure_figure draw_figure"


def test_no_stage_imports_a_named_module_unless_its_settings_name_it():
    """All stages together: none of them imports one."""
    names = [f"workflow.scripts.{stage}" for stage in STAGES.split()]
    found = imported(f"import {', '.join(names)}")
    assert found.issuperset(names) and MASKED_WORDS not in found
    assert not [name for name in found for p in PACKAGES if name.startswith(f"{p}.")]
