"""A stage's program gets all that it needs from its rule: it loads no config and makes no plan."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from semblance.provenance import ROOT

RULES = "".join(path.read_text() for path in ROOT.glob("workflow/rules/*.smk"))
PROGRAMS = sorted({f"workflow.scripts.{name}" for name in re.findall(r"{PYTHON}\.(\w+)", RULES)})
OF_PLANS = ("workflow.config", "workflow.planning")


def imports(module: str) -> Iterator[str]:
    """Yield the names that a module of the project imports, also inside of functions."""
    path = Path(ROOT, *module.split("."))
    files = [file for file in (path.with_suffix(".py"), path / "__init__.py") if file.exists()]
    for node in ast.walk(ast.parse(files[0].read_text())) if files else ():
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def reached(module: str) -> set[str]:
    """Return all that a module imports, directly or not."""
    names = [module]
    for name in names:  # the list grows while it is read
        names += {*imports(name)}.difference(names)
    return {*names}


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_program_of_a_stage_imports_neither_the_config_nor_the_planning(program):
    names = reached(program)
    assert "semblance.provenance" in names  # the walk goes further than the program itself
    assert [name for name in sorted(names) if name.startswith(OF_PLANS)] == []


def test_a_command_that_plans_is_seen_to_import_the_planning():
    assert "workflow.config.model" in reached("workflow.scripts.check")
