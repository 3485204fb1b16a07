"""The code digest sees what code does, and sees no comment, layout, message or help text."""

import ast
import importlib
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from semblance import code_digest as module
from semblance.code_digest import INERT, code_digest, module_digests
from semblance.errors import InputError
from semblance.provenance import ROOT
from semblance.syntax import EXCEPTIONS

EVERY_CONSTRUCT = Path(__file__).with_name("every_construct.py")
# Its digest under Python 3.11.7, 3.12.1 and 3.13.0. A change of the digest itself changes it.
DIGEST = "6e32f3ac9c0e3c44e32dd35ae9d6ad55bca5b0a1d7c8a197f736acf89c8c22ec"
PRINT = (
    "import sys; from semblance.code_digest import code_digest as d; print(*map(d, sys.argv[1:]))"
)
PROJECT = {
    "semblance/__init__.py": "",
    "semblance/errors.py": "class InputError(Exception):\n    pass\n",
    "semblance/limits.py": "LIMIT = 3\nLEAST = 1\n",
    "semblance/locks.py": "import semblance.beats\n\nBEAT = 10.0\n",
    "semblance/beats.py": "print('beat', file=log)\n",
    "semblance/data/__init__.py": "import semblance.started\n",
    "semblance/started.py": "begin(1)\n",
    "semblance/data/text.py": (
        "from semblance.limits import LIMIT\nfrom semblance import limits\n\n\n"
        "def cut(s):\n    '''Cut.'''\n    return s[:LIMIT]\n\n\n"
        "def pad(s):\n    return s + ' ' * limits.LEAST\n"
    ),
    "semblance/data/folds.py": "import math\n\nSEED = math.pi\nUNUSED = math.tau\n",
    "semblance/data/near.py": "import semblance.models.tree\n\nX = 1\nON = X\n",  # a circle
    "semblance/late.py": "def f():\n    return 1\n",
    "semblance/later.py": "X = 1\nbegin(2)\n",
    "semblance/models/__init__.py": "",
    "semblance/models/tree.py": (
        "from semblance import errors, locks\n"
        "from semblance.data import folds\n"
        "import semblance.data.text as t\n"
        "from ..data.near import ON\n\n\n"
        "class Tree:\n    seed = folds.SEED, ON\n"
    ),
    "semblance/unused.py": "X = 1\n",
    "workflow/scripts/__init__.py": "",
    "workflow/scripts/train.py": (
        "'''Train.'''\n"
        "import semblance.late\n"
        "from semblance.models.tree import Tree, t\n\n\n"
        "def main():\n    import semblance.later\n\n"
        "    return t.cut('abcd'), Tree.seed, semblance.late.f(), read(semblance.later)\n\n\n"
        "def unused():\n    pass\n\n\nmain()\n"
    ),
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A small project of its own; ``digest()`` is that of its script, never from the cache."""
    for name, text in PROJECT.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(module, "PACKAGES", dict.fromkeys(module.PACKAGES, tmp_path))
    yield tmp_path
    forget()


def forget():
    code_digest.cache_clear()
    module._read_module.cache_clear()
    module._part.cache_clear()
    module._digest_of.cache_clear()
    module._module_file.cache_clear()


def digest(*modules):
    forget()
    return code_digest(*(modules or ("workflow.scripts.train",)))


def edit(project, file, old, new):
    """Replace a text that stands once in a file of the project, or all of an empty file."""
    path = project / file
    assert PROJECT[file].count(old) == 1
    path.write_text(PROJECT[file].replace(old, new))
    os.utime(path, (1, 1))


LIMITS, TEXT, FOLDS = "semblance/limits.py", "semblance/data/text.py", "semblance/data/folds.py"
NEAR, LATER, TRAIN = "semblance/data/near.py", "semblance/later.py", "workflow/scripts/train.py"
SAME = {  # an edit: the file, and what takes the place of what
    "a comment": (LIMITS, "LIMIT = 3", "# the most\nLIMIT = 3  # letters"),
    "a module's docstring": (LIMITS, "LIMIT = 3", '"""Limits."""\nLIMIT = 3'),
    "brackets": (LIMITS, "LIMIT = 3", "\nLIMIT   = (3)"),
    "a removed docstring": (TEXT, "    '''Cut.'''\n", ""),
    "a module that is not imported": ("semblance/unused.py", "1", "2"),
    "a module that cannot move a result": ("semblance/errors.py", "(Exception)", "(OSError)"),
    "what only such a module imports": ("semblance/beats.py", "beat", "pulse"),
    "a constant that nothing names": (LIMITS, "LEAST = 1", "MOST = 9"),
    "a function of the program that nothing calls": (TRAIN, "pass", "print(1, file=out)"),
    "a function that nothing calls": (TEXT, "' '", "'-'"),
    "the order of definitions": (LIMITS, "LIMIT = 3\nLEAST = 1", "LEAST = 1\nLIMIT = 3"),
    "an import that nothing uses": (TEXT, "s import LIMIT", "s import LIMIT, LEAST"),
}
CHANGED = {
    "the script": (TRAIN, "abcd", "abce"),
    "a constant two imports away": (LIMITS, "LIMIT = 3", "LIMIT = 4"),
    "the kind of a constant": (LIMITS, "LIMIT = 3", "LIMIT = 3.0"),
    "a second value of a constant": (LIMITS, "LIMIT = 3", "LIMIT = 3\nLIMIT = 3"),
    "what a module does to its constant": (LIMITS, "LIMIT = 3", "LIMIT = 3\nLIMIT += 0"),
    "a name of `from package import module`": (FOLDS, "SEED = ", "SEED = 1 + "),
    "a name of `import a.b.c as d`": (TEXT, "[:LIMIT]", "[LIMIT:]"),
    "a name of `import a.b`": ("semblance/late.py", "1", "2"),
    "what a name of `from ..a import b` stands for": (NEAR, "X = 1", "X = 2"),
    "a module that is used as a value": (LATER, "X = 1", "X = 2"),
    "what a module that is imported within a function runs": (LATER, "begin(2)", "begin(3)"),
    "another function of that name": (TEXT, "s import LIMIT", "s import LEAST as LIMIT"),
    "an import of the standard library": (FOLDS, "import math", "import cmath as math"),
    "the first package of `import a.b.c`": ("semblance/__init__.py", "", "begin(1)"),
    "the second package of `import a.b.c`": (
        "semblance/data/__init__.py",
        "import",
        "begin(4)\nimport",
    ),
    "what a package's __init__ imports": ("semblance/started.py", "begin(1)", "begin(2)"),
    "the script's own package": ("workflow/scripts/__init__.py", "", "import os\n\nos.nice(1)"),
}


@pytest.mark.parametrize("table, what", [(t, what) for t in (SAME, CHANGED) for what in t])
def test_the_code_digest_sees_what_code_does_and_nothing_else(project, table, what):
    before = digest()
    edit(project, *table[what])
    assert (digest() != before) == (table is CHANGED)


def test_a_function_that_moves_to_another_file_keeps_the_digest(project):
    before = digest()
    text = PROJECT["semblance/data/text.py"]
    head, cut, pad = text.partition("def cut(s):\n    '''Cut.'''\n    return s[:LIMIT]\n")
    (project / "semblance/data/text.py").write_text(
        f"{head}{pad}\n\nfrom semblance.cutting import cut\n"
    )
    (project / "semblance/cutting.py").write_text(f"from semblance.limits import LIMIT\n\n\n{cut}")
    assert digest() == before


def test_exchanging_two_functions_of_one_name_changes_the_digest(project):
    """Both are covered before and after; only which one each caller means differs."""
    for name, value in ("one", 1), ("other", 2):
        (project / f"semblance/{name}.py").write_text(f"def f():\n    return {value}\n")
    script = project / "workflow/scripts/train.py"
    text = "from semblance.one import f\nfrom semblance.other import f as g\n\nprint(f() / g(), file=out)\n"
    script.write_text(text)
    before = digest()
    script.write_text(text.replace("one", "x").replace("other", "one").replace("x", "other"))
    assert digest() != before


# Two versions of one line that differ in what a person reads, and in nothing else.
SAME_LINES = """
raise InputError(path, f'{n} rows', 'add some') | raise InputError(path, f'only {n} of {total}')
e = ValueError('a') | e = ValueError('b')
e = errors.OutOfTime('a') | e = errors.OutOfTime('b')
m = 'a'; raise InputError(path, m) | m = 'b'; raise InputError(path, m)
k = 'a'; m = f'{k} b'; raise InputError(m) | k = 'c'; m = f'{k} d'; raise InputError(m)
raise TypeError(f'{len(x)}') | raise TypeError('none')
print('a', n, sep=' ') | print(f'{n}: a', flush=True)
print('a', file=sys.stderr) | print('b', file=sys.stderr)
warnings.warn('a') | warnings.warn('b', UserWarning)
p.add_argument('--a', help='x') | p.add_argument('--a', help='y')
p.add_argument('--a') | p.add_argument('--a', help='y', metavar='A')
p = argparse.ArgumentParser(prog='a', description='b', epilog='c') \
| p = argparse.ArgumentParser(formatter_class=argparse.RawTextHelpFormatter)
"""
# Two versions of one line that differ in what they do, although a message or its like is near.
CHANGED_LINES = """
raise InputError('a') | raise ValueError('a')
raise InputError('a') | InputError('a')
if n > 1: raise InputError('a') | if n > 2: raise InputError('a')
print(f'{(n := 1)}') | print(f'{(n := 2)}')
raise InputError(f'{next(s)}') | raise InputError('next')
print(*rows) | print('rows')
print([r for r in rows]) | print('rows')
print(counts[k]) | print('k')
print((yield 1)) | print((yield 2))
print('a', file=out) | print('b', file=out)
print('a', **how) | print('b', **how)
page.print('a') | page.print('b')
raise OSError(errno.ENOENT) | raise OSError(errno.EIO)
raise StopIteration(1) | raise StopIteration(2)
raise Found(1) | raise Found(2)
raise InputError('a') from e | raise InputError('a') from None
m = SquaredError(True) | m = SquaredError(False)
p.add_argument('--a', help='x') | p.add_argument('--b', help='x')
p.add_argument('--a', default=1) | p.add_argument('--a', default=2)
p.add_argument('a', choices='ab') | p.add_argument('a', choices='b')
p.add_argument('a', help=f()) | p.add_argument('a', help=g())
Row(description='a') | Row(description='b')
name = 'a' | name = 'b'
m = 'a'; print(m); return m | m = 'b'; print(m); return m
m = next(x); raise InputError(m) | m = 'a'; raise InputError(m)
global m; m = 'a'; print(m) | global m; m = 'b'; print(m)
m = 1; f = lambda: m; print(m); return f | m = 2; f = lambda: m; print(m); return f
"""


def versions(text):
    """Return the two versions of each line of a table."""
    rows = text.replace("\\\n", "").strip().splitlines()
    return [[version.strip() for version in row.split(" | ")] for row in rows]


def digest_of_line(project, line):
    """Return the digest of a script whose main is this line."""
    text = f"def main(path, n, x, s, out, how, counts, rows):\n    {line}\n\n\nmain()\n"
    (project / "workflow/scripts/train.py").write_text(text)
    return digest()


@pytest.mark.parametrize("one, other", versions(SAME_LINES))
def test_the_code_digest_sees_no_text_for_people(project, one, other):
    assert one != other and digest_of_line(project, one) == digest_of_line(project, other)


@pytest.mark.parametrize("one, other", versions(CHANGED_LINES))
def test_the_code_digest_sees_all_of_a_line_but_text_for_people(project, one, other):
    assert digest_of_line(project, one) != digest_of_line(project, other)


def interpreter(version):
    """Return a Python of a version; the test is skipped where there is none.

    One of pyenv's need not be on the path, and its command may be there without it.
    """
    pyenv = Path.home() / ".pyenv/versions"
    found = [shutil.which(f"python{version}"), *pyenv.glob(f"{version}.*/bin/python3")]
    for python in filter(None, found):
        if subprocess.run([python, "--version"], capture_output=True).returncode == 0:
            return python
    pytest.skip(f"no Python {version} on this machine")


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_code_has_the_same_digest_under_each_version_of_python_and_each_hash_seed(version):
    modules = (str(EVERY_CONSTRUCT), "workflow.scripts.train", "workflow.scripts.render_table")
    command = [interpreter(version), "-O", "-c", PRINT, *modules]
    settings = {"PYTHONHASHSEED": version[2:], "LC_ALL": "C", "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, env=settings, capture_output=True, text=True, check=True)
    forget()
    assert ran.stdout.split() == [DIGEST, *map(code_digest, modules[1:])]


def test_the_file_of_that_digest_has_every_construct_of_python_3_11():
    tree = ast.parse(EVERY_CONSTRUCT.read_text(encoding="utf-8"))
    groups = (ast.stmt, ast.expr, ast.pattern, ast.excepthandler, ast.expr_context)
    operators = (ast.boolop, ast.operator, ast.unaryop, ast.cmpop)
    grammar = "\n".join(kind.__doc__ for kind in (*groups, *operators))
    known = set(re.findall(r"[=|] (\w+)", grammar)) - {"TypeAlias", "TemplateStr", "Interpolation"}
    assert len(known) > 80
    assert known <= {type(node).__name__ for node in ast.walk(tree)}


def test_a_module_named_besides_counts_as_a_whole(project):
    before = digest("workflow.scripts.train", "semblance.limits")
    (project / "semblance/limits.py").write_text("LIMIT = 3\nLEAST = 2\n")
    assert digest("workflow.scripts.train", "semblance.limits") != before


def test_of_a_definition_that_is_named_alone_the_rest_of_its_module_does_not_count(project):
    before = digest("semblance.data.text:cut")
    for old, new, counts in (("' '", "'-'", False), ("[:LIMIT]", "[LIMIT:]", True)):
        edit(project, TEXT, old, new)
        assert (digest("semblance.data.text:cut") != before) == counts


def test_a_file_outside_the_project_counts_by_what_it_does_and_not_by_where_it_lies(
    project, tmp_path
):
    def of(name, text):
        (tmp_path / name).write_text(text)
        return digest(str(tmp_path / name))

    text = "from semblance.limits import LIMIT\n\n\ndef loss(x):\n    return x * LIMIT\n"
    before = of("mine.py", text)
    assert of("other.py", f"{text}# a comment\n") == before
    assert of("mine.py", text.replace("*", "+")) != before
    (project / "semblance/limits.py").write_text("LIMIT = 4\nLEAST = 1\n")
    assert of("mine.py", text) != before


def test_a_module_that_does_not_exist_is_refused(project):
    with pytest.raises(InputError, match="workflow.scripts.none: no such module"):
        digest("workflow.scripts.none")


def test_the_digest_of_a_training_covers_its_package_and_no_inert_module():
    forget()
    covered = module_digests("workflow.scripts.train")
    assert {"workflow.scripts", "semblance", "semblance.training.loop"} <= set(covered)
    assert not INERT & set(covered)


def test_each_inert_module_exists():
    assert all(map(module._module_file, INERT))


def test_each_listed_exception_is_one():
    places = ("builtins", "semblance.errors", "semblance.training.loop")
    places += ("semblance.fetch.web",)
    for name in EXCEPTIONS:
        found = [getattr(importlib.import_module(p), name, None) for p in places]
        kinds = [kind for kind in found if kind]
        assert kinds and all(issubclass(kind, Exception) for kind in kinds)
        assert not any(issubclass(kind, OSError) for kind in kinds)
