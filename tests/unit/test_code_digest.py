"""The code digest sees what code does, and sees no comment, layout, message or help text."""

import importlib
import os

import pytest

from semblance import code_digest as module
from semblance.code_digest import EXCEPTIONS, INERT, code_digest, module_digests
from semblance.errors import InputError

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
    monkeypatch.setattr(module, "ROOT", tmp_path)
    yield tmp_path
    forget()


def forget():
    code_digest.cache_clear()
    module._read_module.cache_clear()
    module._part.cache_clear()
    module._module_file.cache_clear()


def digest(*modules):
    forget()
    return code_digest(*(modules or ("workflow.scripts.train",)))


def replaced(name, old, new):
    """Return the name of a file of the project, and its text after one replacement."""
    assert PROJECT[name].count(old) == 1
    return name, PROJECT[name].replace(old, new)


SAME = {
    "a comment": ("semblance/limits.py", "# the most\nLIMIT = 3  # letters\n"),
    "a module's docstring": ("semblance/limits.py", '"""Limits."""\nLIMIT = 3\n'),
    "brackets": ("semblance/limits.py", "\nLIMIT   = (3)\n"),
    "a removed docstring": replaced("semblance/data/text.py", "    '''Cut.'''\n", ""),
    "a module that is not imported": ("semblance/unused.py", "X = 2\n"),
    "a module that cannot move a result": ("semblance/errors.py", "InputError = OSError\n"),
    "what only such a module imports": ("semblance/beats.py", "X = 2\n"),
    "a constant that nothing names": replaced("semblance/limits.py", "LEAST = 1", "MOST = 9"),
    "a function of the program that nothing calls": replaced(
        "workflow/scripts/train.py", "pass", "print(1, file=out)"
    ),
    "a function that nothing calls": replaced("semblance/data/text.py", "' '", "'-'"),
    "the order of definitions": ("semblance/limits.py", "LEAST = 1\nLIMIT = 3\n"),
    "an import that nothing uses": replaced(
        "semblance/data/text.py", "s import LIMIT", "s import LIMIT, LEAST"
    ),
}
CHANGED = {
    "the script": replaced("workflow/scripts/train.py", "abcd", "abce"),
    "a constant two imports away": ("semblance/limits.py", "LIMIT = 4\n"),
    "the kind of a constant": ("semblance/limits.py", "LIMIT = 3.0\n"),
    "a second value of a constant": ("semblance/limits.py", "LIMIT = 3\nLIMIT = 3\n"),
    "what a module does to its constant": ("semblance/limits.py", "LIMIT = 3\nLIMIT += 0\n"),
    "a name of `from package import module`": replaced(
        "semblance/data/folds.py", "SEED = ", "SEED = 1 + "
    ),
    "a name of `import a.b.c as d`": replaced("semblance/data/text.py", "[:LIMIT]", "[LIMIT:]"),
    "a name of `import a.b`": replaced("semblance/late.py", "1", "2"),
    "what a name of `from ..a import b` stands for": replaced(
        "semblance/data/near.py", "X = 1", "X = 2"
    ),
    "a module that is used as a value": replaced("semblance/later.py", "X = 1", "X = 2"),
    "what a module that is imported within a function runs": replaced(
        "semblance/later.py", "begin(2)", "begin(3)"
    ),
    "another function of that name": replaced(
        "semblance/data/text.py",
        "from semblance.limits import LIMIT",
        "from semblance.limits import LEAST as LIMIT",
    ),
    "an import of the standard library": replaced(
        "semblance/data/folds.py", "import math", "import cmath as math"
    ),
    "the first package of `import a.b.c`": ("semblance/__init__.py", "begin(1)\n"),
    "the second package of `import a.b.c`": ("semblance/data/__init__.py", "begin(4)\n"),
    "what a package's __init__ imports": ("semblance/started.py", "begin(2)\n"),
    "the script's own package": (
        "workflow/scripts/__init__.py",
        "import os\n\nos.environ['OPENBLAS_NUM_THREADS'] = '1'\n",
    ),
}


@pytest.mark.parametrize("table, what", [(t, what) for t in (SAME, CHANGED) for what in t])
def test_the_code_digest_sees_what_code_does_and_nothing_else(project, table, what):
    before = digest()
    name, text = table[what]
    assert text != PROJECT[name]
    (project / name).write_text(text)
    os.utime(project / name, (1, 1))
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
SAME_LINES = {
    "the wording of a raised exception": (
        "raise InputError(path, f'{n} rows', 'add some')",
        "raise InputError(path, f'only {n} of {total} rows')",
    ),
    "the wording of an exception that is built": ("e = ValueError('a')", "e = ValueError('b')"),
    "the wording of an exception of another module": (
        "e = errors.OutOfTime('a')",
        "e = errors.OutOfTime('b')",
    ),
    "a message in a variable": (
        "problem = 'a'; raise InputError(path, problem)",
        "problem = 'b'; raise InputError(path, problem)",
    ),
    "a message in two variables": (
        "kind = 'a'; problem = f'{kind} b'; raise InputError(path, problem)",
        "kind = 'c'; problem = f'{kind} d'; raise InputError(path, problem)",
    ),
    "a length in a message": ("raise TypeError(f'{len(x)}')", "raise TypeError('none')"),
    "printed text": ("print('a', n, sep=' ')", "print(f'{n}: a', flush=True)"),
    "text on the standard error stream": (
        "print('a', file=sys.stderr)",
        "print('b', file=sys.stderr)",
    ),
    "a warning": ("warnings.warn('a')", "warnings.warn('b', UserWarning)"),
    "a help text": ("p.add_argument('--a', help='x')", "p.add_argument('--a', help='y')"),
    "a new help text": ("p.add_argument('--a')", "p.add_argument('--a', help='y', metavar='A')"),
    "a program's description": (
        "p = argparse.ArgumentParser(prog='a', description='b', epilog='c')",
        "p = argparse.ArgumentParser(formatter_class=argparse.RawTextHelpFormatter)",
    ),
}
# Two versions of one line that differ in what they do, although a message or its like is near.
CHANGED_LINES = {
    "the kind of an exception": ("raise InputError('a')", "raise ValueError('a')"),
    "whether it is raised": ("raise InputError('a')", "InputError('a')"),
    "the condition of an exception": (
        "if n > 1: raise InputError('a')",
        "if n > 2: raise InputError('a')",
    ),
    "a walrus in a message": ("print(f'{(n := 1)}')", "print(f'{(n := 2)}')"),
    "a call in a message": ("raise InputError(f'{next(s)}')", "raise InputError('next')"),
    "a generator that a message uses up": ("print(*rows)", "print('rows')"),
    "a comprehension in a message": ("print([r for r in rows])", "print('rows')"),
    "a default dictionary's key in a message": ("print(counts[k])", "print('k')"),
    "a yield in a message": ("print((yield 1))", "print((yield 2))"),
    "what is printed to a file": ("print('a', file=out)", "print('b', file=out)"),
    "what is printed with unknown keywords": ("print('a', **how)", "print('b', **how)"),
    "the printing of another object": ("page.print('a')", "page.print('b')"),
    "the number of an OSError": ("raise OSError(errno.ENOENT)", "raise OSError(errno.EIO)"),
    "the value of a StopIteration": ("raise StopIteration(1)", "raise StopIteration(2)"),
    "the argument of an unknown exception": ("raise Found(1)", "raise Found(2)"),
    "an exception's cause": ("raise InputError('a') from e", "raise InputError('a') from None"),
    "a metric named like an error": ("m = SquaredError(True)", "m = SquaredError(False)"),
    "a flag's name": ("p.add_argument('--a', help='x')", "p.add_argument('--b', help='x')"),
    "a flag's default": ("p.add_argument('--a', default=1)", "p.add_argument('--a', default=2)"),
    "a flag's choices": ("p.add_argument('a', choices='ab')", "p.add_argument('a', choices='b')"),
    "a call in a help text": ("p.add_argument('a', help=f())", "p.add_argument('a', help=g())"),
    "a description that is no help text": ("Row(description='a')", "Row(description='b')"),
    "text in a variable": ("name = 'a'", "name = 'b'"),
    "a message that is returned, too": (
        "m = 'a'; print(m); return m",
        "m = 'b'; print(m); return m",
    ),
    "a call for a message in a variable": (
        "m = next(x); raise InputError(m)",
        "m = 'a'; raise InputError(m)",
    ),
    "a global name that a message reads": (
        "global m; m = 'a'; print(m)",
        "global m; m = 'b'; print(m)",
    ),
    "a name that a function within reads": (
        "m = 1; f = lambda: m; print(m); return f",
        "m = 2; f = lambda: m; print(m); return f",
    ),
}


def digest_of_line(project, line):
    """Return the digest of a script whose main is this line."""
    text = f"def main(path, n, x, s, out, how, counts, rows):\n    {line}\n\n\nmain()\n"
    (project / "workflow/scripts/train.py").write_text(text)
    return digest()


@pytest.mark.parametrize(
    "table, what", [(t, what) for t in (SAME_LINES, CHANGED_LINES) for what in t]
)
def test_the_code_digest_sees_all_of_a_line_but_text_for_people(project, table, what):
    one, other = table[what]
    changed = digest_of_line(project, one) != digest_of_line(project, other)
    assert changed == (table is CHANGED_LINES)


def test_a_module_named_besides_counts_as_a_whole(project):
    before = digest("workflow.scripts.train", "semblance.limits")
    (project / "semblance/limits.py").write_text("LIMIT = 3\nLEAST = 2\n")
    assert digest("workflow.scripts.train", "semblance.limits") != before


def test_of_a_definition_that_is_named_alone_the_rest_of_its_module_does_not_count(project):
    before = digest("semblance.data.text:cut")
    for old, new, counts in (("' '", "'-'", False), ("[:LIMIT]", "[LIMIT:]", True)):
        name, text = replaced("semblance/data/text.py", old, new)
        (project / name).write_text(text)
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
