"""A stage's program gets all that it needs from its rule: it loads no config and makes no plan."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from semblance.provenance import ROOT

RULES = "".join(path.read_text() for path in ROOT.glob("workflow/rules/*.smk"))
PROGRAMS = sorted({f"workflow.scripts.{name}" for name in re.findall(r"{PYTHON}\.(\w+)", RULES)})
ROOMS = ("workflow.config", "workflow.planning", "workflow.checks")  # each may use those before it


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
    assert [name for name in sorted(names) if name.startswith(ROOMS)] == []


def test_a_command_that_plans_is_seen_to_import_the_planning():
    assert "workflow.config.model" in reached("workflow.scripts.check")


@pytest.mark.parametrize("room", ROOMS)
def test_what_the_yaml_says_what_follows_and_what_is_refused_need_each_other_in_this_order(room):
    files = [path.relative_to(ROOT) for path in ROOT.glob(f"{room.replace('.', '/')}/*.py")]
    names = {name for file in files for name in imports(".".join(file.with_suffix("").parts))}
    behind = ROOMS[ROOMS.index(room) + 1 :]
    assert files and not [name for name in names if name.startswith(behind)]
