"""What a request wants: read from its address or its body, bounded and strictly checked."""

import asyncio
import re
from dataclasses import dataclass
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from semblance.errors import InputError
from semblance.settings import decode, parse_json
from semblance_faq.answer.questions import checked_count, checked_question

MOST_BODY = 16 << 10  # bytes
BODY_SECONDS = 10.0  # in which a body must have come
DEFAULT_COUNT = 5
NAMES = ("q", "count", "draft")
DRAFT = {"1": True, "true": True, "0": False, "false": False}


@dataclass(frozen=True)
class AskedQuestion:
    """A question and how many answers are wanted; a ``draft`` is still being typed."""

    question: str
    count: int = DEFAULT_COUNT
    draft: bool = False


def of_address(request: Request) -> AskedQuestion:
    """Read ``?q=…&count=…&draft=1``; InputError for anything else.

    Starlette alone would put a replacement character in place of what is not UTF-8.
    """
    try:
        query = request.scope["query_string"].decode("utf-8")
        parameters = parse_qsl(query, keep_blank_values=True, errors="strict")
    except UnicodeDecodeError as error:
        raise InputError("address", f"not UTF-8: {error.reason}", "send UTF-8") from None
    given: dict[str, str] = {}
    for name, value in parameters:
        if name not in NAMES:
            raise InputError(
                "address", f"unknown parameter {name!r:.80}", "known are q, count, draft"
            )
        if name in given:
            raise InputError("address", f"{name} stands twice", "give it once")
        given[name] = value
    if "q" not in given:
        raise InputError("address", "no question", "ask /api/ask?q=…")
    count = given.get("count", str(DEFAULT_COUNT))
    if not re.fullmatch("[0-9]{1,4}", count):
        raise InputError("count", f"{count!r:.40} is no whole number", "ask for 1 or more")
    draft = given.get("draft", "false")
    if draft not in DRAFT:
        raise InputError("draft", f"{draft!r:.40} is unknown", "known are 1, 0, true, false")
    return _checked_question(AskedQuestion(given["q"], int(count), DRAFT[draft]))


async def of_body(request: Request) -> AskedQuestion:
    """Read a JSON body: question, and if wanted count and draft."""
    return _checked_question(
        decode(AskedQuestion, parse_json(await body_of(request), "body"), "body")
    )


def _checked_question(asked: AskedQuestion) -> AskedQuestion:
    question = checked_question(asked.question)
    return AskedQuestion(question, checked_count(asked.count), asked.draft)


async def body_of(request: Request) -> str:
    """Return the text of a JSON body.

    Raises HTTPException 415 for another type, 413 for a long body and 408 for a slow one, and
    InputError for one that is not UTF-8.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, "send application/json")
    content = b""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                content += part
                if len(content) > MOST_BODY:
                    raise HTTPException(413, f"a body of more than {MOST_BODY:,} bytes")
    except TimeoutError:
        raise HTTPException(408, f"the body did not come within {BODY_SECONDS:.0f} s") from None
    except ClientDisconnect:
        raise HTTPException(400, "the body is not whole") from None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError("body", f"not UTF-8: {error.reason}", "send UTF-8") from None
