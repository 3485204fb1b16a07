"""Frozen settings, strictly decoded: an unknown key, a wrong type or an unknown word is refused.

An annotation says all that is allowed: ``Literal`` lists the words of a choice, ``Annotated`` adds
bounds to a number. The types that several settings share stand here.
"""

import dataclasses
import inspect
import math
import operator
import types
import typing
from typing import Annotated, Any, Literal, TypeVar

from annotated_types import Ge as AtLeast  # pydantic, which reads the config, knows them, too
from annotated_types import Gt as Above
from annotated_types import Le as AtMost
from annotated_types import Lt as Below

from semblance import strict_json
from semblance.errors import InputError

T = TypeVar("T")


BOUNDS = {  # of a number: the word for each relation, and its test
    Above: ("above", operator.gt),
    AtLeast: ("at least", operator.ge),
    Below: ("below", operator.lt),
    AtMost: ("at most", operator.le),
}

Positive = Annotated[float, Above(0)]
NotNegative = Annotated[float, AtLeast(0)]
Share = Annotated[float, AtLeast(0), AtMost(1)]
LARGEST_RATE = 0.9  # of dropout: more would leave hardly anything of a sentence
Rate = Annotated[float, AtLeast(0), AtMost(LARGEST_RATE)]
PositiveShare = Annotated[float, Above(0), AtMost(1)]
Count = Annotated[int, AtLeast(1)]
Seed = Annotated[int, AtLeast(0), AtMost(2**32 - 1)]
Threads = Annotated[int, AtLeast(1), AtMost(1024)]
Length = Annotated[int, AtLeast(3)]  # of a text in tokens: the first, a word, the last

# The words of choices that the config and the code which acts on them share.
Reduction = Literal["mean", "sum"]
Similarity = Literal["cosine", "dot"]
Precision = Literal["fp32", "bf16"]
Matmul = Literal["highest", "high", "medium"]
StsProtocol = Literal["senteval", "raw"]
Head = Literal["none", "train", "keep"]  # the MLP on top of the pooled vector
WindowUnit = Literal["window", "batch"]  # of early stopping
Apart = Literal["sentences", "entries"]  # what may stand only once in a batch
HoldOut = Literal["entries", "wordings"]  # what a fold of a FAQ bank tests
Together = Literal["group", "answer"]  # what no split of a bank separates
TrainOn = Literal["questions", "wordings"]  # what a fold trains on
By = Literal["vectors", "words", "hybrid"]  # how answers are ranked
Match = Literal["answer", "question", "better"]  # what a question is compared with


def decode(cls: type[T], values: Any, where: str = "settings") -> T:
    """Build the frozen dataclass ``cls`` from plain JSON values.

    Raises InputError naming the key (``where.key``) for an unknown or missing key, a wrong type,
    an unknown word of a choice, or a number out of its bounds.
    """
    if not isinstance(values, dict):
        raise InputError(where, f"expected a mapping, found {type(values).__name__}")
    if hasattr(cls, "from_json"):  # a class that reads a form of its own
        return cls.from_json(values, where)
    fields = {f.name: f for f in dataclasses.fields(cls)}
    required = [name for name, field in fields.items() if _is_required(field)]
    _check_keys(values, list(fields), required, where)
    hints = typing.get_type_hints(cls, include_extras=True)
    given = [name for name in fields if name in values]
    return cls(**{n: _convert(values[n], hints[n], f"{where}.{n}") for n in given})


def _is_required(field: dataclasses.Field) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def decode_json(cls: type[T], text: str, where: str = "settings") -> T:
    """Decode the one ``--settings`` JSON of a script into ``cls``."""
    return decode(cls, parse_json(text, where), where)


def parse_json(text: str, where: str) -> Any:
    """Parse strict JSON, as ``strict_json`` has it; InputError for anything else."""
    try:
        return strict_json.parse_strict(text)
    except ValueError as error:
        raise InputError(where, f"not JSON: {error}") from None


def check_keywords(signature: inspect.Signature, values: dict[str, Any], where: str) -> None:
    """Raise InputError unless a function can be called with ``values`` as its keyword arguments.

    Only keyword-only parameters count; their annotations say which values are allowed.
    """
    parameters = signature.parameters.values()
    known = {p.name: p for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}
    required = [p.name for p in known.values() if p.default is inspect.Parameter.empty]
    _check_keys(values, list(known), required, where)
    for key, value in values.items():
        if known[key].annotation is not inspect.Parameter.empty:
            _convert(value, known[key].annotation, f"{where}.{key}")


def unknown_word(where: str, word: object, choice: Any) -> InputError:
    """Return the error for a word that is not among those of the ``Literal`` type ``choice``."""
    known = ", ".join(map(str, typing.get_args(choice)))
    return InputError(where, f"unknown word {word!r:.80}", f"choose one of {known}")


def _check_keys(values: dict, known: list[str], required: list[str], where: str) -> None:
    for key in values:
        if key not in known:
            advice = f"known are {', '.join(sorted(known))}"
            raise InputError(f"{where}.{key}", "unknown key", advice)
    for key in required:
        if key not in values:
            raise InputError(f"{where}.{key}", "missing key")


def decode_as(hint: Any, value: Any, where: str) -> Any:
    """Return a plain JSON value as the annotated type; InputError at ``where`` if it is of another."""
    return _convert(value, hint, where)


def _convert(value: Any, hint: Any, where: str) -> Any:
    """Return the value as its annotation has it: a list as a tuple, a mapping as a dataclass."""
    origin = typing.get_origin(hint)
    arguments = typing.get_args(hint)
    if hint is Any:
        return value
    if origin is Annotated:
        return _within(_convert(value, arguments[0], where), arguments[1:], where)
    if origin is Literal:
        return _one_of(value, hint, where)
    if origin in (types.UnionType, typing.Union):
        return _first_that_fits(value, arguments, where)
    if origin is tuple:
        if not isinstance(value, (list, tuple)):
            raise InputError(where, f"expected a list, found {value!r:.80}")
        return tuple(_convert(v, arguments[0], f"{where}[{i}]") for i, v in enumerate(value))
    if origin is dict:
        return _mapping(value, arguments, where)
    if dataclasses.is_dataclass(hint):
        return decode(hint, value, where)
    return _scalar(value, hint, where)


def _within(value: Any, bounds: tuple, where: str) -> Any:
    for bound in bounds:
        words, holds = BOUNDS[type(bound)]
        (limit,) = dataclasses.astuple(bound)
        if not holds(value, limit):
            raise InputError(where, f"must be {words} {limit}, found {value!r:.80}")
    return value


def _one_of(value: Any, choice: Any, where: str) -> Any:
    for word in typing.get_args(choice):
        if value == word and type(value) is type(word):
            return value
    raise unknown_word(where, value, choice)


def _first_that_fits(value: Any, hints: tuple, where: str) -> Any:
    """Convert to the first type of a union that takes the value; None only where it is one."""
    if value is None and type(None) in hints:
        return None
    others = [hint for hint in hints if hint is not type(None)]
    for hint in others[:-1]:
        try:
            return _convert(value, hint, where)
        except InputError:
            continue
    return _convert(value, others[-1], where)


def _mapping(value: Any, hints: tuple, where: str) -> dict:
    if not isinstance(value, dict):
        raise InputError(where, f"expected a mapping, found {value!r:.80}")
    of_key, of_value = hints
    return {
        _convert(str(k), of_key, f"{where}.{k}"): _convert(v, of_value, f"{where}.{k}")
        for k, v in value.items()
    }


def _scalar(value: Any, hint: type, where: str) -> Any:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if hint is float and whole and abs(value) <= 2**53:
        value = float(value)
    if not isinstance(value, hint) or (isinstance(value, bool) and hint is not bool):
        raise InputError(where, f"expected {hint.__name__}, found {value!r:.80}")
    if hint is float and not math.isfinite(value):
        raise InputError(where, f"{value} is not a finite number")
    return value
