"""Digests of code: what a stage's script does, and each function and constant that it reaches.

Standard library only: Snakemake reads the code of every stage at each start.
"""

import ast
import functools
import importlib.util
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from semblance.errors import InputError
from semblance.provenance import DISTRIBUTIONS, canonical, text_digest

# The packages of code that counts, and the folder that each lies in.
PACKAGES = {
    path.parent.name: folder for folder in DISTRIBUTIONS for path in folder.glob("*/__init__.py")
}
PROGRAMS = "workflow.scripts."  # run as such: of them counts what they run, of others all
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
WHOLE = "*"  # every definition of a module, where code uses the module as a value
RUN = ""  # what a module does when it is imported, beside defining names


class Part(NamedTuple):
    """A definition of a module, or what the module runs on import."""

    code: str  # the digest of its syntax tree
    outside: tuple[str, ...]  # names that it has from other packages: "np=numpy"
    references: tuple[tuple[str, str, str], ...]  # a name as written, its module, its definition
    imports: tuple[str, ...]  # the project's modules that it imports


class Module(NamedTuple):
    """The statements of a module by the name that they define; ``RUN`` has the others."""

    names: dict[str, str]  # what its imports bind: "cut" -> "semblance.data.text.cut"
    imports: list[str]  # the full name of each import, a module or a name in one
    statements: dict[str, list[ast.stmt]]


@functools.cache
def code_digest(*modules: str) -> str:
    """Return the digest of what the named modules do; ``a.b:c`` is the definition c of a module.

    A name that ends in ``.py`` is the path of a file of the user's, which the project does not have.
    It covers the syntax trees of their definitions (of a program, of what it runs) and,
    transitively, of those functions, classes and constants of the project that these name, with all
    that the imported modules run on import.
    Where a definition stands does not count, nor does one that nothing names. Comments, docstrings,
    layout, file times, messages, help texts and the modules of ``INERT`` do not count.
    """
    return text_digest(canonical(sorted(filter(None, _reached(*modules).values()))))


def module_digests(*modules: str) -> dict[str, str]:
    """Return a digest for each module of what ``code_digest`` covers of it, by its name."""
    parts: dict[str, list[str]] = {}
    for (module, _), digest in sorted(_reached(*modules).items()):
        parts.setdefault(module, []).append(digest)
    return {module: text_digest(canonical(digests)) for module, digests in parts.items()}


def _reached(*modules: str) -> dict[tuple[str, str], str]:
    """Return the digest of each part that the modules reach, by its module and name.

    It is empty for a module that runs nothing on import.
    """
    digests: dict[tuple[str, str], str] = {}
    waiting = [_named(module) for module in modules]
    while waiting:
        key = waiting.pop()
        module, name = key
        if module in INERT or key in digests:
            continue
        if name == WHOLE:
            waiting += [(module, name) for name in _read_module(module).statements]
            continue
        part = _part(module, name)
        digests[key] = _digest_of(part)
        waiting += [(needed, RUN) for needed in part.imports]
        waiting += [(module, name) for _, module, name in part.references]
    return digests


def _named(text: str) -> tuple[str, str]:
    """Return the module and the definition of ``a.b:c``; without one, what a program runs, or all."""
    if text.endswith(".py"):  # a user's own file, by its path
        return text, WHOLE
    module, colon, name = text.partition(":")
    if not colon:
        name = RUN if module.startswith(PROGRAMS) else WHOLE
    return module, name


def _digest_of(part: Part) -> str:
    """Return the digest of a part, with what its names stand for, one step deep.

    So two definitions of one name cannot be exchanged unseen.
    """
    targets = {
        (written, _part(module, name).code if name != WHOLE else module)
        for written, module, name in part.references
        if module not in INERT
    }
    return part.code and text_digest(canonical([part.code, part.outside, sorted(targets)]))


@functools.cache
def _part(module: str, name: str) -> Part:
    """Return one definition of a module, or what it runs on import."""
    names, imports, statements = _read_module(module)
    code = _WithoutMessages(_package_of(module))
    trees = [code.visit(statement) for statement in statements.get(name, [])]
    bound = {**names, **code.names}
    outside, references = set(), set()
    for written in _names_used(trees):
        first, _, rest = written.partition(".")
        if first in bound:
            full = f"{bound[first]}.{rest}".rstrip(".")
            target = _definition(full)
            references.update([(written, *target)] if target else [])
            outside.update([] if target else [f"{first}={bound[first]}"])
        elif first in statements:
            references.add((first, module, first))
    imported = imports if name == RUN else [module, *code.imports]
    needed = {part for full in imported for part in _with_packages(full)}
    digest = text_digest(canonical(list(map(_tree_text, trees)))) if trees else ""
    return Part(digest, tuple(sorted(outside)), tuple(sorted(references)), tuple(sorted(needed)))


@functools.cache
def _read_module(name: str) -> Module:
    """Return the statements of a module by the names that they define."""
    file = _module_file(name)
    if file is None:
        raise InputError(name, "no such module in the project")
    code = _WithoutMessages(_package_of(name))
    tree = ast.parse(file.read_text(encoding="utf-8"))
    statements: dict[str, list[ast.stmt]] = {RUN: []}
    for statement in tree.body[1:] if ast.get_docstring(tree) else tree.body:
        defined = _defined(statement)
        for target in defined:
            statements.setdefault(target, []).append(statement)
        if not defined and code.visit(statement):  # an import is noted and leaves nothing
            statements[RUN].append(statement)
    return Module(code.names, code.imports, statements)


def _tree_text(value: Any) -> str:
    """Return a syntax tree, or the value of one of its fields, as one text.

    It is the same under every version of Python, which ``ast.dump`` is not: 3.12 adds fields, 3.13
    leaves out empty lists. Here no field counts that is empty, and no prefix ``u`` of a text.
    """
    if isinstance(value, list):
        return f"[{', '.join(map(_tree_text, value))}]"
    if isinstance(value, ast.Constant):
        # In hexadecimal a whole number may be of any size. A newer Python finds more letters printable.
        return hex(value.value) if type(value.value) is int else ascii(value.value)
    if not isinstance(value, ast.AST):
        return ascii(value)
    fields = dict(ast.iter_fields(value))
    if isinstance(value, ast.JoinedStr):
        fields["values"] = _joined(value.values)
    texts = [
        f"{name}={_tree_text(part)}" for name, part in fields.items() if part not in (None, [])
    ]
    return f"{type(value).__name__}({', '.join(texts)})"


def _joined(parts: list[ast.expr]) -> list[ast.expr]:
    """Return the parts of an f-string, neighbouring texts as one: Python 3.12 cuts them at ``{{``."""
    joined: list[ast.expr] = []
    for is_text, group in groupby(parts, lambda part: isinstance(part, ast.Constant)):
        if is_text:
            text = "".join(part.value for part in group)
            group = [ast.Constant(text)] if text else []
        joined += group
    return joined


def _defined(statement: ast.stmt) -> list[str]:
    """Return the names that a statement defines, and does nothing else; none for another statement."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [statement.name]
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    if isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    parts = [part for target in targets for part in getattr(target, "elts", [target])]
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    return names if len(names) == len(parts) else []


def _definition(full: str) -> tuple[str, str] | None:
    """Return the module and the name of what ``a.b.c`` stands for; None outside the project."""
    modules = _with_packages(full)
    if not modules:
        return None
    module = modules[-1]
    name, dot, rest = full[len(module) + 1 :].partition(".")
    if not name:
        return module, WHOLE
    content = _read_module(module)
    if name in content.statements:
        return module, name
    if name in content.names:
        return _definition(content.names[name] + dot + rest)
    return module, WHOLE  # a name that the module makes as it runs


def _package_of(module: str) -> str:
    file = _module_file(module)
    return module if file and file.name == "__init__.py" else module.rpartition(".")[0]


@functools.cache
def _module_file(name: str) -> Path | None:
    if name.endswith(".py"):
        return Path(name)
    parts = name.split(".")
    if parts[0] not in PACKAGES:
        return None
    stem = PACKAGES[parts[0]].joinpath(*parts)
    return next(filter(Path.is_file, (stem.with_suffix(".py"), stem / "__init__.py")), None)


def _with_packages(name: str) -> list[str]:
    """Return those of a, a.b and a.b.c that are modules of the project, for ``a.b.c``."""
    parts = name.split(".")
    if parts[0] not in PACKAGES:
        return []
    names = [".".join(parts[: i + 1]) for i in range(len(parts))]
    return [n for n in names if _module_file(n)]


def _names_used(trees: Iterable[ast.AST]) -> set[str]:
    """Return each name that the trees use, with the attributes that follow it: ``np.linalg.norm``."""
    used = _NamesUsed()
    for tree in trees:
        used.visit(tree)
    return used.names


class _NamesUsed(ast.NodeVisitor):
    """Collects the names that a tree reads; of ``a.b.c`` the whole, and not ``a`` by itself."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.names.add(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        name = _dotted(node)
        if name.startswith("."):
            self.generic_visit(node)
        else:
            self.names.add(name)


class _WithoutMessages(ast.NodeTransformer):
    """Takes out of a tree its imports and what only a person reads: docstrings, messages, help texts.

    ``names`` are what the imports bind, in ``package``.
    """

    def __init__(self, package: str):
        self.package = package
        self.names: dict[str, str] = {}
        self.imports: list[str] = []
        self._dropped: set[str] = set()  # names read in what was taken out of the function so far

    def visit_Import(self, node: ast.Import) -> None:
        """Note what is imported: ``import a.b`` binds a, and ``import a.b as c`` binds c."""
        for alias in node.names:
            top = alias.name.partition(".")[0]
            self.names[alias.asname or top] = alias.name if alias.asname else top
            self.imports.append(alias.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Note what is imported; each name may be a module."""
        relative = "." * node.level + (node.module or "")
        source = importlib.util.resolve_name(relative, self.package)
        for alias in node.names:
            self.names[alias.asname or alias.name] = f"{source}.{alias.name}"
            self.imports.append(f"{source}.{alias.name}")

    def visit_Module(self, node: Documented) -> Documented:
        """Drop the docstring."""
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
        self.generic_visit(node)
        return node

    visit_ClassDef = visit_AsyncFunctionDef = visit_Module

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        """Drop a text that stands by itself: below a field it says what the field means."""
        constant = isinstance(node.value, ast.Constant)
        return None if constant and isinstance(node.value.value, str) else self.generic_visit(node)

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
        texts = _messages(node)
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


def _messages(node: ast.Call) -> list[ast.expr | ast.keyword]:
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
