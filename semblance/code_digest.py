"""Digests of code: what a stage's script does, and every project module that it imports.

Standard library only: Snakemake reads the code of every stage at each start.
"""

import ast
import functools
import importlib.util
from pathlib import Path
from typing import TypeVar

from semblance.errors import InputError
from semblance.provenance import ROOT, canonical, text_digest

PACKAGES = ("semblance", "semblance_faq", "workflow")
# These modules cannot move a result: neither their code nor what they alone import is hashed.
INERT = frozenset(
    {
        "semblance.errors",  # what an error says: a failed stage has no result
        "semblance.layout",  # where files lie: a stage gets its paths from its rule
        "semblance.locks",  # which process may write a folder, and how it shows that it is alive
        "semblance.gpus",  # which of several equal GPUs a job takes, and what it says without one
        "semblance.training.keeping.budget",  # when to save and stop: resuming is bit-identical
        "semblance.training.keeping.log",  # what a training says on its way, which no stage reads
        "workflow.scripts.endings",  # the line and the exit status of a script that fails
        "workflow.scripts.program",  # which flag is which argument, and what the help says
    }
)
# Exceptions whose arguments are text for a person. OSError is not among them: its errno decides.
EXCEPTIONS = """
    InputError NoGpu OutOfTime TrainingFailed Unavailable
    AssertionError EOFError NotImplementedError RuntimeError TypeError ValueError
""".split()
PARSER_CALLS = """
    ArgumentParser add_argument add_argument_group add_mutually_exclusive_group add_parser
    add_subparsers
""".split()
HELP = ("help", "description", "metavar", "prog", "epilog", "formatter_class")
# Calls that only read. Any other call within a message may do something, so it stays hashed.
READING_CALLS = ("at", "len", "repr", "round", "str", "type")
ACTIONS = (
    ast.Await,
    ast.DictComp,
    ast.GeneratorExp,
    ast.Lambda,
    ast.ListComp,
    ast.NamedExpr,
    ast.SetComp,
    ast.Starred,
    ast.Subscript,  # reading a defaultdict adds to it
    ast.Yield,
    ast.YieldFrom,
)


Documented = TypeVar("Documented", ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@functools.cache
def code_digest(*modules: str) -> str:
    """Return the digest of what the named modules do.

    It covers their syntax trees and, transitively, those of all project modules that they import,
    with the ``__init__`` of each package on the way. Comments, docstrings, layout, file times,
    messages, help texts and the modules of ``INERT`` do not count.
    """
    return text_digest(canonical(sorted(module_digests(*modules).items())))


def module_digests(*modules: str) -> dict[str, str]:
    """Return the digest of each module that ``code_digest`` covers, by its name."""
    seen: dict[str, str] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name in seen or name in INERT:
            continue
        seen[name], needed = _read_module(name)
        waiting += needed
    return seen


@functools.cache
def _read_module(name: str) -> tuple[str, tuple[str, ...]]:
    """Return one module's digest and the modules that Python runs for it: its packages and imports."""
    file = _module_file(name)
    if file is None:
        raise InputError(name, "no such module in the project")
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    code = _WithoutMessages(package)
    tree = code.visit(ast.parse(file.read_text(encoding="utf-8")))
    names = [name, *code.imported]
    needed = {part for full in names for part in _with_packages(full)}
    return text_digest(ast.dump(tree)), tuple(sorted(needed - {name}))


def _module_file(name: str) -> Path | None:
    stem = ROOT.joinpath(*name.split("."))
    return next(filter(Path.is_file, (stem.with_suffix(".py"), stem / "__init__.py")), None)


def _with_packages(name: str) -> list[str]:
    """Return those of a, a.b and a.b.c that are modules of the project, for ``a.b.c``."""
    parts = name.split(".")
    if parts[0] not in PACKAGES:
        return []
    names = [".".join(parts[: i + 1]) for i in range(len(parts))]
    return [n for n in names if _module_file(n)]


class _WithoutMessages(ast.NodeTransformer):
    """Takes out of a tree what only a person reads: docstrings, messages and help texts.

    ``imported`` are the names that the tree imports, in ``package``.
    """

    def __init__(self, package: str):
        self.package = package
        self.imported: list[str] = []
        self._dropped: set[str] = set()  # names read in what was taken out of the function so far

    def visit_Import(self, node: ast.Import) -> ast.Import:
        """Note what is imported."""
        self.imported += [alias.name for alias in node.names]
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom:
        """Note what is imported; each name may be a module."""
        relative = "." * node.level + (node.module or "")
        source = importlib.util.resolve_name(relative, self.package)
        self.imported += [source, *(f"{source}.{alias.name}" for alias in node.names)]
        return node

    def visit_Module(self, node: Documented) -> Documented:
        """Drop the docstring."""
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
        self.generic_visit(node)
        return node

    visit_ClassDef = visit_AsyncFunctionDef = visit_Module

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Drop the assignments to names that only messages read, such as ``problem = "..."``."""
        outer, self._dropped = self._dropped, set()
        self.visit_Module(node)
        if self._dropped:
            before = self._dropped | _names_read(node)
            outer |= before
            shared = _shared_names(node)
            while dropped := before - _names_read(node) - shared:
                before -= dropped
                _WithoutAssignments(dropped).visit(node)
        self._dropped = outer
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        """Keep of a text only those parts whose evaluation may change something."""
        self.generic_visit(node)
        texts = _texts(node)
        self._dropped.update(*map(_names_read, texts))
        actions = [action for text in texts for action in _actions(text)]
        node.args = [value for value in node.args if value not in texts] + actions
        node.keywords = [value for value in node.keywords if value not in texts]
        return node


class _WithoutAssignments(ast.NodeTransformer):
    """Takes assignments to some names out of a tree, but for what their values do."""

    def __init__(self, names: set[str]):
        self.names = names

    def visit_Assign(self, node: ast.Assign) -> ast.Assign | list[ast.stmt]:
        """Replace an assignment to one of the names by the actions of its value."""
        target = node.targets[0]
        if len(node.targets) > 1 or not isinstance(target, ast.Name) or target.id not in self.names:
            return node
        return [ast.Expr(action) for action in _actions(node.value)] or [ast.Pass()]


def _names_read(node: ast.AST) -> set[str]:
    names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
    return {name.id for name in names if isinstance(name.ctx, ast.Load)}


def _shared_names(node: ast.AST) -> set[str]:
    """Return the names that a function shares with the code around it."""
    parts = [part for part in ast.walk(node) if isinstance(part, (ast.Global, ast.Nonlocal))]
    return {name for part in parts for name in part.names}


def _texts(node: ast.Call) -> list[ast.expr | ast.keyword]:
    """Return the arguments of a call that are written for a person."""
    called = _dotted(node.func)
    last = called.rpartition(".")[2]
    if called == "print":
        targets = [_dotted(k.value) for k in node.keywords if k.arg in ("file", None)]
        if not all(target in ("sys.stderr", "sys.stdout") for target in targets):
            return []  # it writes a file, or may do so
        return [*node.args, *node.keywords]
    if last in EXCEPTIONS or called == "warnings.warn":
        return [*node.args, *node.keywords]
    if last in PARSER_CALLS:
        return [keyword for keyword in node.keywords if keyword.arg in HELP]
    return []


def _actions(node: ast.AST) -> list[ast.expr]:
    """Return the parts of an expression whose evaluation may change something."""
    calls = isinstance(node, ast.Call) and _dotted(node.func) not in READING_CALLS
    if calls or isinstance(node, ACTIONS):
        return [node]
    return [action for child in ast.iter_child_nodes(node) for action in _actions(child)]


def _dotted(node: ast.expr) -> str:
    """Return ``a.b.c`` for such a name; of any other expression, what follows its last bracket."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return ""
