"""The reading path of one number: the functions behind a cell of RCL's Table 3, in lines.

A function is on the path, with all its lines, if a job on the demo's data runs one of its body.
Classes and the tops of modules do not count. `make path ARGS="--longest 30"` names the longest.
"""

import argparse
import ast
import shlex
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from benchmarks.gpu import PYTHON, planned, stated
from benchmarks.workload import FOLDER, ROOT
from semblance.strict_yaml import as_yaml, read_yaml

DEMO, TABLE = "demo/config.yaml", "rcl_table3"
PLACE = FOLDER / "path"
ROW = {"corpora": ["nli"], "bases": ["minilm-3"], "methods": ["attention-dropout-0.1", "rcl-4"]}
TITLES = {"Raw file to cell": ("download", "judge"), "With downloads and claims": ()}  # left out


def layer() -> dict[str, Any]:
    """Return what is laid over the demo's config: this table alone, and one row of it."""
    tables, figures = (dict.fromkeys(read_yaml(ROOT / DEMO)[key]) for key in ("tables", "figures"))
    folders = {key: str(PLACE / key) for key in ("output", "downloads")}
    return {**folders, "tables": tables | {TABLE: {"rows": [ROW]}}, "figures": figures}


def run_jobs() -> None:
    """Run the jobs behind the cell and its claims; each stage leaves a file of the lines it ran."""
    shutil.rmtree(PLACE, ignore_errors=True)
    PLACE.mkdir(parents=True)
    (file := PLACE / "layer.yaml").write_text(as_yaml(layer()))
    jobs = list(map(stated, planned([DEMO, str(file)], str(PLACE / "output/tables/claims.csv"))))
    makers = {path: number for number, job in enumerate(jobs) for path in job["outputs"]}
    needs = {n: {makers.get(path, n) for path in job["inputs"]} - {n} for n, job in enumerate(jobs)}
    for job in map(jobs.__getitem__, TopologicalSorter(needs).static_order()):
        counted = f"-m coverage run --append --data-file={PLACE / job['stage']}.lines"
        command = job["command"].partition(" 2> ")[0].replace(PYTHON, counted, 1)
        subprocess.run([sys.executable, *shlex.split(command)], cwd=ROOT, check=True)


def path(left_out: tuple[str, ...]) -> Iterator[tuple[str, str, str, int, int]]:
    """Yield room, file, name, lines to read and lines that ran of each function on the path."""
    from coverage import CoverageData  # installed for this alone, not for the tests

    ran = defaultdict(set)
    for place in PLACE.glob("*.lines"):
        data = CoverageData(str(place))
        data.read()
        for file in () if place.name.startswith(left_out) else data.measured_files():
            ran[Path(file).relative_to(ROOT)].update(data.lines(file))
    for file, lines in sorted(ran.items()):
        for node in functions(ast.parse((ROOT / file).read_text())):
            if own := lines.intersection(range(node.body[0].lineno, node.end_lineno + 1)):
                size = node.end_lineno + 1 - min(n.lineno for n in (node, *node.decorator_list))
                yield "/".join(file.parts[:-1][:2]), str(file), node.name, size, len(own)


def functions(node: ast.AST) -> Iterator[ast.FunctionDef]:
    """Yield the functions and methods of a module; one inside another is a part of it."""
    for child in ast.iter_child_nodes(node):
        yield from [child] if isinstance(child, ast.FunctionDef) else functions(child)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--longest", type=int, default=0)
    longest = parser.parse_args().longest
    run_jobs()
    for title, left_out in TITLES.items():
        found = list(path(left_out))
        print(f"\n{title}\nfiles  functions  to read   ran  room")
        for room in (*sorted({each[0] for each in found}), "all"):
            _, files, _, sizes, ran = zip(*(e for e in found if room in (e[0], "all")), strict=True)
            print(f"{len(set(files)):5}  {len(files):9}  {sum(sizes):7}  {sum(ran):4}  {room}")
    for _, file, name, size, _ in sorted(found, key=lambda each: -each[3])[:longest]:
        print(f"{size:4}  {file}  {name}")
