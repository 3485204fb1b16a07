"""The page of ``semblance faq serve`` in a real browser: sound, safe, and usable by keyboard."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from faq.tests.example_faq import write_example
from semblance_faq.answer.bank import FaqEntry
from semblance_faq.answer.folder import Threshold
from tests.browser import HOSTILE, SIZES, Opened, running
from tests.dag.tiny import ROOT, write_model

ODD = HOSTILE + "{{script}}"
ENTRIES = (
    FaqEntry("1", "How do I reset my password?", "Open the settings.", ("forgot password",)),
    FaqEntry(
        "2",
        "Can I change my password?",
        "Yes: https://a.example/x?y=1, <b>then</b> javascript:x. " + "x" * 3000,
    ),
    FaqEntry(ODD, f"Hostile {ODD}", f"Hostile {ODD}", (f"wording {ODD}",)),
)
CONTACT = "help@a.example"
TITLE = "Ask <b>us</b> {{style}}"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A running server and its log; it ranks by words, which starts without torch."""
    place = tmp_path_factory.mktemp("page")
    model = write_model(place / "base")
    changes = {"ranking": "words", "entries": ENTRIES, "threshold": Threshold(0.01, 0.9, 0.5)}
    folder = write_example(place / "faq", model, **changes)
    log = place / "log.jsonl"
    command = [sys.executable, "-m", "semblance", "faq", "serve", "--model", str(folder)]
    process = subprocess.Popen(
        [*command, "--port", "0", "--log", str(log), "--title", TITLE, "--contact", CONTACT],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    address = process.stdout.readline().removeprefix("serving on ").strip()
    yield address, log
    process.terminate()
    assert process.wait(timeout=60) == 0


browser = pytest.fixture(scope="module")(running)


class FaqPage(Opened):
    """The page in the browser, ready to be typed on."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        # Whoever types earlier gets a complaint of the browser, which then sets no focus itself.
        self.page.locator("#question:focus").wait_for()

    def ask(self, question: str) -> None:
        """Type a question and wait for what the page says to it."""
        state = self.page.locator("#status")
        before = state.inner_text()
        self.page.locator("#question").fill(question)
        self.page.wait_for_function(
            "before => document.getElementById('status').innerText !== before", arg=before
        )

    def focused(self) -> str:
        """The text, or the name, of what has the focus."""
        return self.page.evaluate("document.activeElement.innerText || document.activeElement.id")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES, ids=["wide", "phone"])
def test_the_page_asks_its_own_server_alone_complains_of_nothing_and_fits(
    browser, server, size, scheme
):
    address, _ = server
    with FaqPage(browser, address, size, scheme) as opened:
        opened.ask("change password")
        opened.unfold()
        assert opened.fits()
        assert set(opened.requests) == {address, f"{address}api/ask"}
        assert opened.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("question", ["", "change password", "xyzzy"])
def test_the_page_passes_the_checks_of_accessibility(browser, server, scheme, question):
    with FaqPage(browser, server[0], scheme=scheme) as opened:
        if question:
            opened.ask(question)
            opened.unfold()
        assert opened.hurdles() == []


def test_answers_come_as_one_types_and_not_for_each_letter(browser, server):
    with FaqPage(browser, server[0]) as opened:
        opened.page.locator("#question").press_sequentially("reset password", delay=10)
        opened.page.wait_for_selector("#answers li")
        assert opened.requests.count(f"{server[0]}api/ask") < len("reset password") / 2
        first = opened.page.locator("#answers li").first.inner_text()
        assert ENTRIES[0].question in first and ENTRIES[0].answer in first
        told = opened.page.locator("[role=status][aria-live=polite]").inner_text()
        assert ENTRIES[0].question in told


def test_an_outdated_answer_is_dropped(browser, server):
    with FaqPage(browser, server[0]) as opened:
        held = []

        def hold_first(route):
            if "forgot" in route.request.post_data:
                held.append(route)
            else:
                route.continue_()

        opened.page.route("**/api/ask", hold_first)
        opened.page.locator("#question").fill("forgot")
        opened.page.wait_for_timeout(400)
        opened.ask("change")
        shown = opened.page.locator("#answers").inner_text()
        late = {"known": True, "threshold": None, "ranking": "words", "answers": []}
        [route] = held
        route.fulfill(status=200, content_type="application/json", body=json.dumps(late))
        opened.page.wait_for_timeout(200)
        assert opened.page.locator("#answers").inner_text() == shown != ""


def test_why_an_answer_was_given_unfolds_by_keyboard(browser, server):
    with FaqPage(browser, server[0]) as opened:
        assert opened.focused() == "question"
        opened.ask("forgot password")
        opened.page.keyboard.press("ArrowDown")
        assert opened.focused().startswith(ENTRIES[0].question)
        opened.page.keyboard.press("Tab")
        opened.page.keyboard.press("Enter")
        told = opened.page.locator("#answers li dl").first.inner_text()
        for part in ("Matched wording", "forgot password", "Score", "(words)", "0.010"):
            assert part in told
        opened.page.keyboard.press("ArrowUp")
        assert opened.focused() == "question"
        opened.page.keyboard.press("ArrowDown")
        opened.page.keyboard.press("Escape")
        assert opened.focused() == "question"


def test_what_lies_below_the_limit_is_no_answer(browser, server):
    with FaqPage(browser, server[0]) as opened:
        opened.ask("xyzzy")
        assert opened.page.locator("#status.unknown").inner_text().startswith("No answer")
        assert opened.page.locator("#answers li").count() == 0
        assert not opened.page.locator("#none").is_visible()


def test_a_refusal_shows_the_nearest_questions_closed_whom_to_ask_and_is_logged(browser, server):
    address, log = server
    with FaqPage(browser, address) as opened:
        refused = {"threshold": None, "ranking": "words", "floor": 9, "given": 0, "answers": []}
        near = [{"id": "1", "question": "Q?", "answer": "One.\nTwo.", "score": 1}] * 4
        facts = {"matched_kind": "answer", "matched_text": "One."}
        body = json.dumps(refused | {"nearest": [one | facts for one in near]})
        opened.page.route("**/api/ask", lambda route: route.fulfill(status=200, body=body))
        opened.ask("pay?")
        assert opened.page.locator("#answers li").count() == 3
        assert not opened.page.get_by_text("Two.").first.is_visible()
        assert opened.page.locator("#contact a").get_attribute("href") == f"mailto:{CONTACT}"
        opened.page.keyboard.press("ArrowDown")
        opened.page.keyboard.press("Enter")
        assert opened.page.locator("#answers li p").first.inner_text() == "One.\nTwo."
        with opened.page.expect_request(lambda sent: '"draft":false' in (sent.post_data or "")):
            pass


def test_none_of_these_is_one_more_line_of_the_log(browser, server):
    address, log = server
    with FaqPage(browser, address) as opened:
        for sent, kinds in ((False, ["asked", "none"]), (True, ["none"])):
            opened.ask("forgot password")
            if sent:
                with opened.page.expect_response("**/api/ask"):
                    opened.page.keyboard.press("Enter")
            before = len(log.read_text().splitlines())
            with opened.page.expect_response("**/api/ask"):
                opened.page.get_by_role("button", name="None of these").click()
            opened.page.locator("#answers li").first.wait_for(state="detached")
            lines = map(json.loads, log.read_text().splitlines()[before:])
            assert [line["kind"] for line in lines] == kinds
            assert "noted" in opened.page.locator("#status").inner_text()
            opened.ask("")


@pytest.mark.parametrize("size", SIZES, ids=["wide", "phone"])
def test_a_hostile_entry_and_a_hostile_question_are_only_text(browser, server, size):
    with FaqPage(browser, server[0], size) as opened:
        opened.ask("hostile wording")
        opened.unfold()
        assert "document.title='taken'" in opened.page.locator("#answers li").first.inner_text()
        opened.ask("")  # so that the page has something new to say
        opened.ask(ODD)
        assert opened.page.locator("#answers li").count() > 0
        assert opened.page.title() == TITLE
        assert opened.page.locator("main script, main img").count() == 0
        assert opened.complaints == []


def test_an_address_of_the_web_in_an_answer_is_a_link_and_nothing_else(browser, server):
    with FaqPage(browser, server[0], SIZES[0]) as opened:
        opened.ask("can I change")
        [link] = opened.page.locator("#answers li p a").all()
        assert link.get_attribute("href") == link.inner_text() == "https://a.example/x?y=1"
        assert (
            "<b>then</b> javascript:x." in opened.page.locator("#answers li p").first.inner_text()
        )
        assert opened.complaints == []


def test_a_question_sent_by_enter_is_logged(browser, server):
    address, log = server
    with FaqPage(browser, address) as opened:
        assert opened.page.locator("#logged").is_visible()
        opened.ask("reset password")
        opened.page.keyboard.press("Enter")
        opened.page.wait_for_load_state("networkidle")
    line = json.loads(Path(log).read_text().splitlines()[-1])
    assert (line["kind"], line["question"]) == ("asked", "reset password")


def test_a_server_that_is_gone_is_said(browser, server):
    with FaqPage(browser, server[0]) as opened:
        opened.page.route("**/api/ask", lambda route: route.abort())
        opened.ask("password")
        assert "does not answer" in opened.page.locator("#status").inner_text()
