"""What of a config does not fit its type, in words: each at its key, with what would fit."""

from types import UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

from pydantic import Tag, ValidationError

from semblance.errors import InputError
from workflow.config.model import Config
from workflow.config.part import Part


def misfits(config: dict) -> list[InputError]:
    """Return what of a config, its nulls removed, does not fit: one error for each key."""
    try:
        Config.model_validate(config)
    except ValidationError as error:
        errors = map(_in_words, error.errors(include_url=False))
        return sorted(errors, key=lambda each: each.where)
    return []


def kinds_of(hint: Any) -> dict[str, Any]:
    """Return the kinds that a value of a type may have, by name; one without a name if it has one."""
    if get_origin(hint) is Annotated:
        return kinds_of(hint.__origin__)
    if get_origin(hint) not in (Union, UnionType):
        return {"": hint}
    kinds = [kind for kind in get_args(hint) if kind is not type(None)]
    if len(kinds) == 1:
        return kinds_of(kinds[0])
    return {_tag(kind): next(iter(kinds_of(kind).values())) for kind in kinds}


def is_part(hint: Any) -> bool:
    """Tell whether a type is a part of the config."""
    return isinstance(hint, type) and issubclass(hint, Part)


def _tag(kind: Any) -> str:
    tags = [data.tag for data in getattr(kind, "__metadata__", ()) if isinstance(data, Tag)]
    return tags[0] if tags else kind.__name__


class _Place(NamedTuple):
    """Where an error is: its key, the part that has the key, and the part's other kinds."""

    key: str
    owner: type[Part] | None
    others: dict[str, type[Part]]


def _in_words(error: Any) -> InputError:
    key, owner, others = _place(error["loc"])
    name = key.rpartition(".")[2]
    fields = owner.model_fields if owner else {}
    if error["type"] == "extra_forbidden":
        kinds = [kind for kind, other in others.items() if name in other.model_fields]
        if kinds:
            advice = f"it belongs to {', '.join(kinds)}; known here are {', '.join(fields)}"
            return InputError(key, "has no effect here", advice)
        return InputError(key, "unknown key", f"known are {', '.join(sorted(fields))}")
    meaning = ""
    if name in fields:
        meaning = " ".join((fields[name].description or "").split())
    if error["type"] == "union_tag_invalid":
        kind = ".kind" if isinstance(error["input"], dict) and "kind" in error["input"] else ""
        known = error["ctx"]["expected_tags"].replace("'", "")
        return InputError(
            f"{key}{kind}", f"{error['ctx']['tag']!r} is no kind", f"known are {known}"
        )
    if error["type"] == "missing":
        return InputError(key, "missing key", meaning)
    if error["type"] == "string_pattern_mismatch":
        return InputError(key, f"{error['input']!r:.80} does not fit", meaning)
    words = error["msg"].replace("Input should", "should").replace("List should", "should")
    words = words.replace(" after validation", "")
    return InputError(key, f"{error['input']!r:.80} {words}", meaning)


def _place(steps: tuple[str | int, ...]) -> _Place:
    """Follow the steps of an error through the types.

    Where a value may be of several kinds, pydantic makes a step of the kind's name, which is no key.
    """
    key, owner, others, hint = "config", None, {}, Config
    for step in steps:
        kinds = kinds_of(hint)
        if len(kinds) > 1:
            hint = kinds.get(str(step), Any)
            others = {n: kind for n, kind in kinds.items() if is_part(kind) and kind is not hint}
            continue
        key += f"[{step}]" if isinstance(step, int) else f".{step}"
        owner, hint = _below(kinds[""], step)
        if not is_part(kinds[""]):
            others = {}
    return _Place(key, owner, others)


def _below(hint: Any, step: str | int) -> tuple[type[Part] | None, Any]:
    """Return the part that a step is a key of, if it is one, and the type of its value."""
    if not is_part(hint):
        return None, (get_args(hint) or (Any,))[-1]
    field = hint.model_fields.get(str(step))
    return hint, field.annotation if field else Any
