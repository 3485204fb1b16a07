"""The web application: its answers and its logs."""

import base64
import hashlib
import html
import json
import re

import pytest

from faq.tests.example_faq import ENTRIES, write_example
from faq.tests.serve.example_site import QUESTION, Site
from semblance_faq.answer.answerer import Answerer
from semblance_faq.answer.bank import FaqEntry
from semblance_faq.answer.output import as_json
from semblance_faq.serve.app import ROUTES
from semblance_faq.serve.log import QuestionLog

SECRET = "my very own question"


@pytest.fixture
def logged(answerer, tmp_path):
    log = QuestionLog(tmp_path / "log.jsonl")
    yield Site(answerer, log), tmp_path / "log.jsonl"
    log.close()


def ids(response):
    return [answer["id"] for answer in response.json()["answers"] + response.json()["nearest"]]


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


# --- answers --------------------------------------------------------------------------------------


def test_both_ways_to_ask_give_what_the_answerer_gives(site, answerer):
    expected = json.loads(json.dumps(as_json(answerer.ask(QUESTION, 2))))
    assert site.ask(count=2).json() == expected
    body = json.dumps({"question": QUESTION, "count": 2})
    answer = site.post(body)
    assert answer.status_code == 200 and answer.json() == expected
    assert answer.headers["content-type"] == "application/json"


def test_the_page_is_one_document_whose_policy_allows_its_own_style_and_script_alone(site):
    answer = site.client.get("/")
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/html")
    policy = answer.headers["content-security-policy"]
    for tag in ("style", "script"):
        [inside] = re.findall(rf"<{tag}>(.*?)</{tag}>", answer.text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert "{{" not in answer.text and not re.search(r"(src|href)=\"(?!data:,)", answer.text)
    assert "innerHTML" not in answer.text and "outerHTML" not in answer.text


def test_what_is_served_is_described_and_whether_it_is_ready_is_told(site, answerer):
    health = site.client.get("/health").json()
    assert health == {"status": "ok", "entries": len(answerer.stored.entries)}
    described = site.client.get("/openapi.json").json()
    assert {"/", *described["paths"], "/openapi.json"} == set(ROUTES)
    schemas = described["components"]["schemas"]
    found = as_json(answerer.ask(QUESTION))
    assert set(schemas["Answered"]["properties"]) == set(found)
    assert set(schemas["Answer"]["properties"]) == set(found["answers"][0])


@pytest.mark.parametrize(
    "title", ["Ask the library", "<script>alert(1)</script>{{script}}{{style}}"]
)
def test_the_title_is_a_text_of_ones_own(answerer, title):
    page = Site(answerer, title=title).client.get("/").text
    heads = re.findall(r"<(title|h1)[^>]*>(.*?)</", page)
    assert [html.unescape(text) for _, text in heads] == [title] * 2
    assert page.count("<script>") == page.count("</script>") == page.count("<style>") == 1


@pytest.mark.parametrize("address", ["/", "/api/ask?q=a", "/api/ask", "/none", "/../etc/passwd"])
def test_every_answer_has_the_headers_that_protect_it(site, address):
    headers = site.client.get(address).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "access-control-allow-origin" not in headers


# --- the log --------------------------------------------------------------------------------------


def test_the_access_log_never_holds_a_question(answerer):
    site = Site(answerer)
    site.ask(SECRET)
    site.client.get("/" + SECRET)
    site.client.request("X" + SECRET.split()[0], "/")
    site.post(json.dumps({"question": SECRET}))
    assert len(site.lines) == 4
    for line in site.lines:
        assert not set(SECRET.split()) & set(re.findall(r"\w+", line))
    assert " GET /api/ask 200 " in site.lines[0] and " GET elsewhere 404 " in site.lines[1]


@pytest.mark.parametrize("draft, kept", [("1", 0), ("true", 0), ("0", 1), ("false", 1), (None, 1)])
def test_the_log_of_questions_holds_what_was_asked_and_not_what_was_half_typed(
    logged, answerer, draft, kept
):
    site, path = logged
    more = {} if draft is None else {"draft": draft}
    assert site.ask(SECRET, count=2, **more).status_code == 200
    found = answerer.ask(SECRET, 2)
    answers = [{"id": a.id, "score": a.score} for a in found.answers]
    said = {"kind": "refused", "question": SECRET, "known": found.known, "answers": answers}
    lines = lines_of(path)
    assert [{name: line[name] for name in said} for line in lines] == [said] * kept
    assert path.stat().st_mode & 0o777 == 0o600


def test_that_no_answer_was_right_is_one_more_line_of_the_log(logged):
    site, path = logged
    for draft, kinds in ((False, ["asked", "none"]), (True, ["none"])):
        path.write_text("")
        body = {"question": QUESTION, "none": True, "draft": draft}
        assert site.post(json.dumps(body)).status_code == 200
        assert [line["kind"] for line in lines_of(path)] == kinds


def test_a_log_that_cannot_be_written_costs_no_answer(answerer, capsys):
    log = QuestionLog("/dev/full")
    site = Site(answerer, log)
    assert site.ask().status_code == 200
    assert "/dev/full: not written" in capsys.readouterr().err
    log.close()


def test_a_server_that_stops_closes_its_connections(answerer):
    site = Site(answerer)
    assert "connection" not in site.ask().headers
    site.service.stopping = True
    answer = site.ask()
    assert answer.status_code == 200 and answer.headers["connection"] == "close"


# --- a folder that is written again ---------------------------------------------------------------


def test_a_folder_that_is_written_again_is_served_from_the_next_question_on(copy, model):
    site = Site(Answerer.open(copy))
    assert ids(site.ask("Why?"))[0] in {entry.id for entry in ENTRIES}
    write_example(copy, model, entries=(FaqEntry("new", "Why?", "Because."),))
    assert ids(site.ask("Why?")) == ["new"]
    assert ">1 entry." in site.client.get("/").text


def test_a_folder_that_is_not_whole_leaves_the_entries_of_before(copy, capsys):
    site = Site(Answerer.open(copy))
    before = site.ask().json()
    (copy / "record.json").unlink()  # as while it is written
    assert site.ask().json() == before
    (copy / "record.json").write_text("{}")
    assert site.ask().json() == before and site.ask().json() == before
    assert capsys.readouterr().err.count("the entries of before are served on") == 1


def test_a_folder_that_was_asked_while_it_was_copied_is_served_once_it_is_whole(copy, model):
    site = Site(Answerer.open(copy))
    before = {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()}
    write_example(copy, model, entries=(FaqEntry("new", "Why?", "Because."),))
    after = {path: path.read_bytes() for path in before}
    for path, content in before.items():
        path.write_bytes(after[path] if path.name == "record.json" else content)
    assert "new" not in ids(site.ask("Why?"))
    for path, content in after.items():
        if path.name != "record.json":
            path.write_bytes(content)
    assert ids(site.ask("Why?")) == ["new"]
