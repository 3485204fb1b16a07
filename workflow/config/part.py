"""What the parts of a config are made of: a part, its plain texts and numbers, its kinds.

A part is a section of the config or an entry of one. Its fields are the keys that it may have, and
the text below a field says what the key means: docs/config.md is written from it.
"""

import ast
import functools
import inspect
import sys
from collections.abc import Callable, Container, Iterable
from dataclasses import MISSING, fields, is_dataclass
from functools import reduce
from itertools import pairwise
from operator import or_
from typing import Annotated, Any, NamedTuple, TypeVar, get_type_hints

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
    ValidatorFunctionWrapHandler,
    create_model,
    field_validator,
)
from pydantic_core import PydanticCustomError

from semblance.errors import kinds_of

T = TypeVar("T")


class Part(BaseModel):
    """A part of the config: no other keys than its fields, each of its own type alone.

    ``null`` removes a key before a config is read, so a field that may be left out is None.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,  # 64.0 is no whole number, and "64" no number
        allow_inf_nan=False,
        regex_engine="python-re",  # the other engine has no look-ahead
        defer_build=True,  # the whole config is built at once, at its first use
    )

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        """Give each field its meaning.

        With ``use_attribute_docstrings`` pydantic parses the source anew for each class, in all .2 s
        of each start.
        """
        for key, meaning in _texts_below(cls).items():
            cls.model_fields[key].description = meaning

    def written(self) -> dict[str, Any]:
        """Return the part as it is written: the keys that are there, each value in its own form."""
        return self.model_dump(exclude_unset=True, warnings=False)

    @field_validator("*", mode="wrap")
    @classmethod
    def _as_written(cls, value: Any, check: ValidatorFunctionWrapHandler) -> Any:
        """Keep a number as it is written: `1` and `1.0` are different settings of a job."""
        checked = check(value)
        return value if isinstance(value, (int, float)) else checked


def part_of(
    kind: type,
    name: str,
    about: str,
    keys: Iterable[str] | None = None,
    base: type[Part] = Part,
    needed: Container[str] = (),
) -> type[Part]:
    """Return a part with keys of a frozen dataclass, of their types and with their meaning.

    Without ``keys`` it has all. They may be left out but the ``needed`` ones.
    """
    hints = get_type_hints(kind, include_extras=True)
    meanings: dict[str, str] = {}
    for owner in filter(is_dataclass, reversed(kind.__mro__)):
        meanings |= _texts_below(owner)
    parts: dict[str, Any] = {}
    for key in names_of_fields(kind) if keys is None else keys:
        hint = hints[key]
        [inner] = kinds_of(hint).values()
        if is_dataclass(inner):
            stated = without_default(inner)
            hint = part_of(inner, inner.__name__, inner.__doc__ or "", needed=stated)
        meaning = meanings[key]
        if key in needed:
            parts[key] = (hint, Field(description=meaning))
        else:
            parts[key] = (hint | None, Field(None, description=meaning))
    return create_model(name, __base__=base, __doc__=about, **parts)


def _texts_below(kind: type) -> dict[str, str]:
    """Return the text below each field that a class of a module states itself."""
    return _texts_in(kind.__module__).get(kind.__qualname__, {})


@functools.cache
def _texts_in(module: str) -> dict[str, dict[str, str]]:
    """Return the text below each field of each class of a module."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {node.name: _texts_of(node) for node in tree.body if isinstance(node, ast.ClassDef)}


def _texts_of(tree: ast.ClassDef) -> dict[str, str]:
    texts = {}
    for field, below in pairwise(tree.body):
        match field, below:
            case ast.AnnAssign(ast.Name(key)), ast.Expr(ast.Constant(str(text))):
                texts[key] = inspect.cleandoc(text)
    return texts


def names_of_fields(kind: type) -> list[str]:
    return [field.name for field in fields(kind)]


def without_default(kind: type) -> list[str]:
    """Return the names of those fields of a dataclass that must be given."""
    return [f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING]


class Of(NamedTuple):
    """Marks a name, or each of several, as one of some sections of the config."""

    kind: str  # of what has the name, in words
    sections: tuple[str, ...]


def of(kind: str, *sections: str, form: Any = None) -> Any:
    """Return the type of a name that an entry of a section has; ``form``: of several, or of none."""
    return Annotated[form or Name, Of(kind, sections)]


def text(pattern: str, longest: int = 1000) -> Any:
    """Return the type of a text that a pattern fits whole."""
    return Annotated[str, StringConstraints(pattern=rf"(?s)^(?:{pattern})\Z", max_length=longest)]


def one_of(kind: Callable[[dict], str], **parts: type[Part]) -> Any:
    """Return the type of an entry of several kinds; ``kind`` names that of an entry as it is read."""

    def tag(entry: Any) -> str:
        """Return the name of the kind that an entry is read as."""
        if isinstance(entry, Part):
            return next(name for name, part in parts.items() if type(entry) is part)
        return kind(entry) if isinstance(entry, dict) else type(entry).__name__

    tagged = (Annotated[part, Tag(name)] for name, part in parts.items())
    return Annotated[reduce(or_, tagged), Discriminator(tag)]


def each_once(values: list) -> list:
    """Refuse a list that names something twice."""
    if any(value in values[:place] for place, value in enumerate(values)):
        raise PydanticCustomError("twice", "names one twice")
    return values


Listed = Annotated[list[T], Field(min_length=1)]
Distinct = Annotated[list[T], Field(min_length=1), AfterValidator(each_once)]

Name = text("[A-Za-z0-9][A-Za-z0-9._-]*", 100)
Label = text(r"[^\n\r]+", 100)
# Where a run writes: `..` stands at its beginning alone.
Place = text(r"(~?/|(\.\./)+)?(?!.*\.\.(/|\Z))[A-Za-z0-9_][A-Za-z0-9_./-]*")
PathBelow = text(r"(?!.*\.\.(/|\Z))[A-Za-z0-9_][A-Za-z0-9_./-]*")
File = text(r"[^{}<>\x00-\x1f\ud800-\udfff]+")  # of the user's: no sign of Snakemake's own
Address = text("https?://[!-~]+")
