"""Frozen settings, strictly decoded: an unknown key, a wrong type or an unknown word is refused.

An annotation says all that is allowed: ``Literal`` lists the words of a choice, ``Annotated`` adds
bounds to a number. The types that several settings share stand here.
"""

import dataclasses
import functools
import inspect
import json
from typing import Annotated, Any, Literal, TypeVar

from annotated_types import Ge as AtLeast
from annotated_types import Gt as Above
from annotated_types import Le as AtMost
from pydantic import AfterValidator, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError, core_schema

from semblance import strict_json
from semblance.errors import InputError, misfits
from semblance.named_modules import DROPOUTS, load_module, module_names

T = TypeVar("T")

Positive = Annotated[float, Above(0)]
NotNegative = Annotated[float, AtLeast(0)]
Share = Annotated[float, AtLeast(0), AtMost(1)]
LARGEST_RATE = 0.9  # of dropout: more would leave hardly anything of a sentence
Rate = Annotated[float, AtLeast(0), AtMost(LARGEST_RATE)]
PositiveShare = Annotated[float, Above(0), AtMost(1)]
Count = Annotated[int, AtLeast(1), AtMost(10**9)]
Seed = Annotated[int, AtLeast(0), AtMost(2**32 - 1)]
Threads = Annotated[int, AtLeast(1), AtMost(1024)]
# Of a text in tokens: the first, a word, the last. No encoder that can be read takes more.
Length = Annotated[int, AtLeast(3), AtMost(4096)]


def module_of(package: str) -> Any:
    """Return the type of a name that a module of a package has."""

    def check(name: str) -> str:
        """Refuse a name without a module."""
        known = module_names(package)
        if name not in known:
            words = f"is no module of {package.replace('.', '/')}; known are {', '.join(known)}"
            raise PydanticCustomError("module", words)
        return name

    return Annotated[str, AfterValidator(check)]


# The words of choices that the config and the code which acts on them share.
Reduction = Literal["mean", "sum"]
Candidates = Literal["batch", "all"]  # of a regulator: the rows of the batch, or of the corpus
Similarity = Literal["cosine", "dot"]
Precision = Literal["fp32", "bf16"]
Matmul = Literal["auto", "highest", "high", "medium"]
StsProtocol = Literal["senteval", "raw"]
Head = Literal["none", "train", "keep"]  # the MLP on top of the pooled vector
WindowUnit = Literal["window", "batch"]  # of early stopping
Apart = Literal["sentences", "entries"]  # what may stand only once in a batch
HoldOut = Literal["entries", "wordings"]  # what a fold of a FAQ bank tests
Together = Literal["group", "answer"]  # what no split of a bank separates
TrainOn = Literal["questions", "wordings"]  # what a fold trains on
By = Literal["vectors", "words", "hybrid"]  # how answers are ranked
Match = Literal["answer", "question", "better"]  # what a question is compared with


PLAIN_RATES = ("hidden", "attention")  # of dropout: every model has them, so no module does


@dataclasses.dataclass(frozen=True)
class DropoutSettings:
    """Which dropouts act in training."""

    hidden: Rate | None = None  # a plain rate; None keeps the base model's own
    attention: Rate | None = None
    named: dict[str, Any] = dataclasses.field(
        default_factory=dict
    )  # modules' options, by the modules' names

    @classmethod
    def __get_pydantic_core_schema__(cls, *_: Any) -> Any:
        """Tell the decoder that the settings of a dropout have a form of their own."""
        return core_schema.no_info_after_validator_function(
            cls._from_json, core_schema.dict_schema()
        )

    @classmethod
    def _from_json(cls, values: dict[str, Any]) -> "DropoutSettings":
        """Decode ``{hidden: p, attention: p, NAME: options}`` by each module's Options."""
        plain: dict[str, float | None] = {}
        named: dict[str, Any] = {}
        for name, value in values.items():
            key = f"dropout.{name}"
            if name in PLAIN_RATES:
                plain[name] = decode(Rate | None, value, key)
            else:
                named[name] = decode(load_module(DROPOUTS, name, key).Options, value, key)
        return cls(**plain, named=named)


def decode(
    kind: type[T],
    values: Any,
    where: str = "settings",
    extra: Literal["forbid", "ignore"] = "forbid",
) -> T:
    """Return plain JSON values as a type, such as a frozen dataclass; a list as a tuple.

    Raises InputError naming the key (``where.key``) for a missing key, a wrong type, an unknown
    word of a choice, a number out of its bounds, or an unknown key, unless ``extra`` ignores it.
    """
    try:
        text = json.dumps(values, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(where, f"no plain value: {error}", "put it in quotes") from None
    try:
        return _adapter(kind).validate_json(text, strict=True, extra=extra)
    except ValidationError as error:
        raise misfits(error, kind, where)[0] from None


@functools.cache
def _adapter(kind: Any) -> TypeAdapter:
    return TypeAdapter(kind)


def decode_json(kind: type[T], text: str, where: str = "settings") -> T:
    """Decode the one ``--settings`` JSON of a script."""
    return decode(kind, parse_json(text, where), where)


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
    decode(_options_of(signature), values, where)


@functools.cache
def _options_of(signature: inspect.Signature) -> type:
    """Return a dataclass whose fields are the keyword-only parameters of a function."""
    fields = []
    for option in signature.parameters.values():
        if option.kind is inspect.Parameter.KEYWORD_ONLY:
            needed = option.default is inspect.Parameter.empty
            default = dataclasses.MISSING if needed else None
            hint = Any if option.annotation is inspect.Parameter.empty else option.annotation
            fields.append((option.name, hint, dataclasses.field(default=default)))
    return dataclasses.make_dataclass("Options", fields, kw_only=True)
