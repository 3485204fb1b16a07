"""The errors that a user reads: also of what does not fit a type, and of a machine that failed."""

import dataclasses
import errno
import typing
from collections.abc import Iterable
from difflib import get_close_matches
from types import UnionType
from typing import Annotated, Any, NamedTuple

BAD_INPUT = 2  # the exit status of a start whose input must be corrected
# Numbers of errors of the machine: a full or failing disk, too little memory, too many open files.
# The same command may succeed later, or on another machine.
PASSING = frozenset(
    {
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EIO,
        errno.ENOMEM,
        errno.EAGAIN,
        errno.EMFILE,
        errno.ENFILE,
        errno.ESTALE,
    }
)
MEMORY = (  # words of the errors with which libraries say that memory or threads ran out
    "allocate memory",
    "out of memory",
    "malloc of size",
    "failed to map segment",
    "resource temporarily unavailable",
    "can't start new thread",
)
LONGEST = 1000  # characters of a part that are shown: it may quote a field of megabytes


class InputError(Exception):
    """An error in the input that the user can correct; its text is one line.

    ``where`` is ``file``, ``file:line`` or a config key; ``advice`` says what to do about it.
    Scripts print it without a traceback and exit with status 2. Line breaks and terminal codes in
    text that it quotes are shown escaped.
    """

    def __init__(self, where: object, problem: str, advice: str = ""):
        self.where = str(where)
        self.problem = problem
        self.advice = advice
        text = f"{_escaped(where)}: {_escaped(problem)}"
        if advice:
            text += f"; {_escaped(advice)}"
        super().__init__(text)


def one_of(name: str, kind: str, names: Iterable[str]) -> str:
    """Return which of ``names`` a user names, in any case; InputError, with the nearest one, for none."""
    by_case = {each.casefold(): each for each in names}
    if name.casefold() in by_case:
        return by_case[name.casefold()]
    advice = nearest(name, by_case.values(), "name one of")
    raise InputError(name, f"there is no such {kind}", advice)


def nearest(name: str, names: Iterable[str], lead: str = "known are") -> str:
    """Return what to write in place of an unknown name: the nearest of ``names``, else one of all."""
    by_case = {each.casefold(): each for each in names}
    if near := get_close_matches(name.casefold(), by_case, n=1):
        return f"did you mean {by_case[near[0]]}?"
    return f"{lead} {', '.join(by_case.values())}"


class OutOfTime(Exception):
    """The time limit of a batch system is near and the state is saved; the next start continues.

    Scripts exit with status 75.
    """


class NoGpu(Exception):
    """A job of a scheduler has no GPU that it can use, though the config asks for one.

    Scripts exit with status 75.
    """


def _escaped(text: object) -> str:
    """Return a text of at most LONGEST characters and without control characters."""
    shown = str(text)
    if len(shown) > LONGEST:
        shown = shown[:LONGEST] + "…"
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in shown)


def at(path: object, line: int | None = None) -> str:
    """Return ``path:line``, which editors and terminals turn into a link; without a line the path."""
    if line is None:
        return str(path)
    return f"{path}:{line}"


def is_memory(error: BaseException) -> bool:
    """Tell whether an error says that memory or threads ran out.

    torch and Arrow have no class for it, so the words decide.
    """
    text = str(error).lower()
    return isinstance(error, MemoryError) or any(words in text for words in MEMORY)


def is_transient(error: BaseException) -> bool:
    """Tell whether the machine caused an error: a full or failing disk, too little memory."""
    return getattr(error, "errno", None) in PASSING or is_memory(error)


# --- what does not fit a type, in words ----------------------------------------------------------


WORDS = {  # by pydantic's types of errors; in braces what their contexts hold
    "bool_type": "should be true or false",
    "int_type": "should be a whole number",
    "int_from_float": "should be a whole number",
    "float_type": "should be a number",
    "string_type": "should be a text",
    "list_type": "should be a list",
    "tuple_type": "should be a list",
    "too_short": "should have at least {min_length} entries, and has {actual_length}",
    **dict.fromkeys(("dict_type", "dataclass_type", "model_type"), "should be keys with values"),
    "literal_error": "should be {expected}",
    "greater_than": "should be greater than {gt:.10g}",
    "greater_than_equal": "should be greater than or equal to {ge:.10g}",
    "less_than_equal": "should be less than or equal to {le:.10g}",
}


class _Spot(NamedTuple):
    """Where an error is: its key, the type that has the key, and the type's other kinds."""

    key: str
    owner: Any
    others: dict[str, Any]


def misfits(error: Any, kind: Any, where: str) -> list[InputError]:
    """Return what does not fit a type, by pydantic's ValidationError: unknown keys first."""
    errors = error.errors(include_url=False)
    errors.sort(key=lambda each: "unexpected" not in each["type"])
    return [_in_words(each, _spot(each["loc"], kind, where)) for each in errors]


def _in_words(error: Any, spot: _Spot) -> InputError:
    key, owner, others = spot
    name = key.rpartition(".")[2]
    keys = key_types(owner)
    if error["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        known = f"known are {', '.join(sorted(keys))}"
        kinds = [kind for kind, other in others.items() if name in key_types(other)]
        if kinds:
            return InputError(
                key, "has no effect here", f"it belongs to {', '.join(kinds)}; {known}"
            )
        return InputError(key, "unknown key", known)
    meaning = ""
    if name in getattr(owner, "model_fields", {}):
        meaning = " ".join((owner.model_fields[name].description or "").split())
    if error["type"] == "union_tag_invalid":
        tag = ".kind" if isinstance(error["input"], dict) and "kind" in error["input"] else ""
        known = error["ctx"]["expected_tags"].replace("'", "")
        return InputError(
            f"{key}{tag}", f"{error['ctx']['tag']!r} is no kind", f"known are {known}"
        )
    if error["type"] == "missing":
        return InputError(key, "missing key", meaning)
    if error["type"] == "string_pattern_mismatch":
        return InputError(key, f"{error['input']!r:.80} does not fit", meaning)
    words = error["msg"]  # of an error of our own
    if error["type"] in WORDS:
        words = WORDS[error["type"]].format(**error.get("ctx", {}))
    return InputError(key, f"{error['input']!r:.80} {words}", meaning)


def _spot(steps: tuple[str | int, ...], hint: Any, key: str) -> _Spot:
    """Follow the steps of an error through the types.

    Where a value may be of several kinds, pydantic makes a step of the kind's name, which is no key.
    """
    owner, others = None, {}
    for step in steps:
        kinds = kinds_of(hint)
        if len(kinds) > 1:
            hint = kinds.get(str(step), Any)
            others = {n: kind for n, kind in kinds.items() if key_types(kind) and kind is not hint}
            continue
        owner = kinds[""]
        keys = key_types(owner)
        if keys:
            hint = keys.get(str(step), Any)
        else:
            hint, others = (typing.get_args(owner) or (Any,))[-1], {}
        if step != "[key]":  # of a mapping: the key itself is wrong
            key += f"[{step}]" if isinstance(step, int) else f".{step}"
    return _Spot(key, owner, others)


def key_types(kind: Any) -> dict[str, Any]:
    """Return the types of the keys that a type has, by name; none of a type without such keys."""
    if dataclasses.is_dataclass(kind):
        return typing.get_type_hints(kind, include_extras=True)
    return {name: field.annotation for name, field in getattr(kind, "model_fields", {}).items()}


def kinds_of(hint: Any) -> dict[str, Any]:
    """Return the kinds that a value of a type may have, by name; one without a name if it has one."""
    if typing.get_origin(hint) is Annotated:
        return kinds_of(hint.__origin__)
    if typing.get_origin(hint) not in (typing.Union, UnionType):
        return {"": hint}
    kinds = [kind for kind in typing.get_args(hint) if kind is not type(None)]
    if len(kinds) == 1:
        return kinds_of(kinds[0])
    return {_tag(kind): next(iter(kinds_of(kind).values())) for kind in kinds}


def _tag(kind: Any) -> str:
    tags = [data.tag for data in getattr(kind, "__metadata__", ()) if hasattr(data, "tag")]
    return tags[0] if tags else getattr(kind, "__name__", str(kind))
