"""What of a syntax tree counts as code, as one text under every version of Python.

Standard library only.
"""

import ast
import importlib.util
from collections.abc import Iterable
from itertools import groupby
from typing import Any, TypeVar

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


def tree_text(value: Any) -> str:
    """Return a syntax tree, or the value of one of its fields, as one text.

    It is the same under every version of Python, which ``ast.dump`` is not: 3.12 adds fields, 3.13
    leaves out empty lists. Here no field counts that is empty, and no prefix ``u`` of a text.
    """
    if isinstance(value, list):
        return f"[{', '.join(map(tree_text, value))}]"
    if isinstance(value, ast.Constant):
        # In hexadecimal a whole number may be of any size. A newer Python finds more letters printable.
        return hex(value.value) if type(value.value) is int else ascii(value.value)
    if not isinstance(value, ast.AST):
        return ascii(value)
    fields = dict(ast.iter_fields(value))
    if isinstance(value, ast.JoinedStr):
        fields["values"] = _joined(value.values)
    texts = [f"{name}={tree_text(part)}" for name, part in fields.items() if part not in (None, [])]
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


def names_used(trees: Iterable[ast.AST]) -> set[str]:
    """Return each name that the trees read; of ``np.linalg.norm`` the whole, and not ``np`` by itself."""
    names: set[str] = set()
    waiting = list(trees)
    while waiting:
        node = waiting.pop()
        name = _dotted(node) if isinstance(node, (ast.Name, ast.Attribute)) else "."
        if name.startswith("."):
            waiting += ast.iter_child_nodes(node)
        elif isinstance(node, ast.Attribute) or isinstance(node.ctx, ast.Load):
            names.add(name)
    return names


class WithoutMessages(ast.NodeTransformer):
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
