"""Pages in a real browser: what they ask for, what they complain of, whether they fit."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
SIZES = [(1440, 900), (390, 844)]
HOSTILE = "<script>document.title='taken'</script><img src=x onerror=alert(1)>\u202e\u2067"


def running() -> Iterator:
    """Yield Debian's Chromium; without it the tests are skipped, and say so: the body of a fixture."""
    if not CHROMIUM:
        pytest.skip("chromium is not installed: NO PAGE WAS OPENED IN A BROWSER")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


class Opened:
    """A page in the browser, with what it asked for and what it complained of."""

    def __init__(self, browser, place: str | Path, size=SIZES[0], scheme="light", scripts=True):
        width, height = size
        self.context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            java_script_enabled=scripts,
        )
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(place.as_uri() if isinstance(place, Path) else place)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.context.close()

    def unfold(self) -> None:
        """Open all that is folded."""
        self.page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")

    def fits(self) -> bool:
        """Tell whether nothing lies beside the window."""
        element = "document.documentElement"
        return self.page.evaluate(f"{element}.scrollWidth <= {element}.clientWidth")

    def hurdles(self) -> list[tuple]:
        """Return what breaks the rules of accessibility: each rule, and the first places."""
        from axe_playwright_python.sync_playwright import Axe

        found = Axe().run(self.page).response["violations"]
        return [(rule["id"], [node["target"] for node in rule["nodes"]][:3]) for rule in found]
