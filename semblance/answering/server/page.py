"""The one page of the server, with its style and script inside, and the policy that allows only these."""

import base64
import hashlib
from pathlib import Path

HERE = Path(__file__).parent


def build_page(entries: int, logged: bool) -> tuple[str, str]:
    """Return the page and its Content-Security-Policy.

    The page holds no text of the FAQ: its script puts answers in as text, never as HTML.
    """
    style = _part("page.css")
    script = _part("page.js")
    page = _part("page.html")
    page = page.replace("{{entries}}", f"{entries:,}")
    page = page.replace("{{logged}}", str(logged).lower())
    page = page.replace("{{style}}", style).replace("{{script}}", script)
    policy = (
        f"default-src 'none'; script-src {_digest_of(script)}; style-src {_digest_of(style)}; "
        "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )
    return page, policy


def _part(name: str) -> str:
    return HERE.joinpath(name).read_text(encoding="utf-8")


def _digest_of(text: str) -> str:
    """Return the source expression of an inline element: the digest of all that is between its tags."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
