"""Digests of code: what a stage's script does, and each function and constant that it reaches.

Standard library only: Snakemake reads the code of every stage at each start.
"""

import ast
import functools
from pathlib import Path
from typing import NamedTuple

from semblance.errors import InputError
from semblance.provenance import PACKAGES, canonical, text_digest
from semblance.syntax import WithoutMessages, names_used, tree_text

PROGRAMS = ".scripts."  # in their names: of programs counts what they run, of others all
# These modules cannot move a result: neither their code nor what they alone import is hashed.
INERT = frozenset(
    {
        "semblance.errors",  # what an error says: a failed stage has no result
        "semblance.layout",  # where files lie: a stage gets its paths from its rule
        "semblance.locks",  # which process may write a folder, and how it shows that it is alive
        "semblance.gpus",  # which of several equal GPUs a job takes, and what it says without one
        "semblance.training.keeping.budget",  # when to save and stop: resuming is bit-identical
        "semblance.training.keeping.log",  # what a training says on its way, which no stage reads
        "workflow",  # in which folders Python looks for packages
        "workflow.scripts.endings",  # the line and the exit status of a script that fails
        "workflow.scripts.program",  # which flag is which argument, and what the help says
    }
)
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
        digests[key] = _digest_of(module, name)
        waiting += [(needed, RUN) for needed in part.imports]
        waiting += [(module, name) for _, module, name in part.references]
    return digests


def _named(text: str) -> tuple[str, str]:
    """Return the module and the definition of ``a.b:c``; without one, what a program runs, or all."""
    if text.endswith(".py"):  # a user's own file, by its path
        return text, WHOLE
    module, colon, name = text.partition(":")
    if not colon:
        name = RUN if PROGRAMS in module else WHOLE
    return module, name


@functools.cache
def _digest_of(module: str, name: str) -> str:
    """Return the digest of a part, with what its names stand for, one step deep.

    So two definitions of one name cannot be exchanged unseen.
    """
    part = _part(module, name)
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
    code = WithoutMessages(_package_of(module))
    trees = [code.visit(statement) for statement in statements.get(name, [])]
    bound = {**names, **code.names}
    outside, references = set(), set()
    for written in names_used(trees):
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
    digest = text_digest(canonical(list(map(tree_text, trees)))) if trees else ""
    return Part(digest, tuple(sorted(outside)), tuple(sorted(references)), tuple(sorted(needed)))


@functools.cache
def _read_module(name: str) -> Module:
    """Return the statements of a module by the names that they define."""
    file = _module_file(name)
    if file is None:
        raise InputError(name, "no such module in the project")
    code = WithoutMessages(_package_of(name))
    tree = ast.parse(file.read_text(encoding="utf-8"))
    statements: dict[str, list[ast.stmt]] = {RUN: []}
    for statement in tree.body[1:] if ast.get_docstring(tree) else tree.body:
        defined = _defined(statement)
        for target in defined:
            statements.setdefault(target, []).append(statement)
        if not defined and code.visit(statement):  # an import is noted and leaves nothing
            statements[RUN].append(statement)
    return Module(code.names, code.imports, statements)


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
