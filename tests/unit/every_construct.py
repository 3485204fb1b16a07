# ruff: noqa
# fmt: off
"""Every kind of syntax that Python 3.11 has; tests/unit/test_code_digest.py knows its digest.

No line of it is run.
"""

import os, a.b as c
from d import *
from e.e import f as g, h

CONSTANTS = (
    None, True, False, ..., 0, 0x10, 10_000, 10**40, 0.1, 1e999, 1e-7, 2.5j, "", "a" "b", u"c",
    b"\x00\xff'", "\ud800\U0001fae8\u00df\N{BULLET}", r"\d", "'\"\n\t\\", -0.0, (), [], {}, {1},
    0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF,
)
OF_TEXT = (
    f"", f"x", f"{x}", f"{{", f"}}", f"{{{x}}}", f"a{{b}}c{x}d{{e}}{{f}}", "a{" f"{x}" "}b" f"{{c",
    f"{x!r}", f"{x!s:>10}", f"{x!a:}", f"{x:{width}.{digits}f}", f"{x:{a}-{b}}",
    f"{x=}", f"{x = }", f"{x=!r:^20}", f"{x=:.2f}", f"{x:%Y-%m-%d}", f"{'a' if b else 'c'}",
    f"{d['key']}", f"{(lambda y: y)(1)}", f"{ {1: 2}[1] }", f"{f'{y}'}", rf"\d{x}\{{", f"""{
        x
    }{{
    """, f"\N{BULLET}{x}\u00e9\\", f"{x}" f"{y}" "z", f"{x,}", f"{*x, y}", f"{(y := 1)}",
    f"{x:{'>'}{10}}", f"{x}}}", f"{{}}" "{}",
)
OPERATORS = (
    a + b - c * d / e // f % g ** h @ i, a << b >> c & d ^ e | f, ~a, +a, -a, not a, a and b or c,
    a == b != c < d <= e > f >= g is h is not i in j not in k,
)
PARTS = a[1], a[1:2], a[::3], a[:, ..., None], a[*b], a[1:2, 3:], a.b.c, a(*b, c, d=e, **f), a()
COMPREHENSIONS = (
    [x for x in y if x if not z], {x for x in y for z in x}, {x: y for x, y in z}, (x for x in y),
    {**a, "b": c}, {*a, b}, [*a, *b], (*a, b), (yes if it else no), (n := 1),
)
first, *rest = [second, third] = fourth, = values
(a.b, c[d]) = e
a += b; a -= b; a *= b; a /= b; a //= b; a %= b; a **= b; a @= b
a &= b; a |= b; a ^= b; a <<= b; a >>= b
plain: int
typed: list[int | None] = [1]
(bracketed): "str" = ""
a.b: int = 1
del a, b[c], d.e


def empty(): pass


@decorator
@another(1)
def function(a, b: int = 1, /, c=2, *args: "text", d, e: str = "e", **kwargs) -> "list[int]":
    """A docstring."""
    global x, y
    lambda: 0
    lambda a, /, b=1, *c, d, e=2, **f: (a, b)
    yield
    got = yield 1
    yield from got
    def inner():
        nonlocal got
        "a text by itself"
        return
    raise
    raise E
    raise E from None
    assert a
    assert a, f"{b}"
    return a


async def waits(*, a, b=1):
    await a
    async with a as b, c: pass
    async for x in y: break
    else: continue_
    return [x async for x in y if await x]


class Empty: ...


@decorator
class Class(Base, *others, metaclass=Meta, **more):
    """A docstring."""
    attribute: int = 1
    "What it means."
    def method(self): return super().method()


if a: pass
elif b: pass
else: pass
for x, y in z:
    if x: continue
    break
else: pass
while a: pass
else: pass
with a: pass
with (a as b, c as (d, e), f): pass
try: pass
except A: pass
except (B, C) as e: pass
except: pass
else: pass
finally: pass
try: pass
except* A as e: pass
match value:
    case 1 | -1 | 1.5 | 1 + 2j | "a" "b" | b"c": pass
    case None | True | False: pass
    case a.b: pass
    case []: pass
    case [x, *_, y] | (x, *y): pass
    case {"a": 1, **rest}: pass
    case {}: pass
    case Class(1, x, key=[y]) as name if x > y: pass
    case Class(): pass
    case _: pass
