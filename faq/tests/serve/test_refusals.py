"""What the web application refuses: other hosts and sites, malformed and endless requests."""

import asyncio
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from semblance.data.text import shows_nothing
from semblance.provenance import ROOT
from semblance_faq.answer.answerer import LONGEST
from semblance_faq.serve import app
from semblance_faq.serve.app import HOSTS, MOST_BODY, build_app


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "[::1]", "", "0.0.0.0"])
def test_another_host_is_refused_as_a_rebound_name(site, host):
    answer = site.client.get("/api/ask?q=a", headers={"host": host})
    assert answer.status_code == 400 and answer.text == "Invalid host header"


@pytest.mark.parametrize("host", [*HOSTS, "localhost:9000", "LOCALHOST"])
def test_this_machine_by_its_own_names_is_served(site, host):
    assert site.client.get("/api/ask?q=a", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("whence", ["cross-site", "same-site", "odd"])
def test_a_page_of_another_site_cannot_ask(site, whence):
    headers = {"sec-fetch-site": whence, "content-type": "application/json"}
    assert site.client.get("/api/ask?q=a", headers=headers).status_code == 403
    body = json.dumps({"question": "a"})
    assert site.client.post("/api/ask", content=body, headers=headers).status_code == 403
    assert site.client.options("/api/ask", headers=headers).status_code == 405


@pytest.mark.parametrize(
    "origin, status", [("http://evil.example", 403), ("null", 403), ("http://127.0.0.1:8080", 200)]
)
def test_a_page_of_another_site_cannot_ask_by_a_browser_that_names_its_origin_alone(
    site, origin, status
):
    answer = site.client.get("/api/ask?q=a", headers={"origin": origin})
    assert answer.status_code == status


def test_the_page_can_ask_through_a_web_server_with_the_settings_of_the_docs(site):
    page = (ROOT / "docs/own-faq-reference.md").read_text()
    [block] = re.findall(r"```nginx\n(.+?)```", page, re.DOTALL)
    changed = dict(re.findall(r'proxy_set_header (\S+) "?(\w*)"?;', block))
    for name in changed:
        assert f"proxy_set_header {name} " in page.partition("```dockerfile")[2].partition("```")[0]
    browser = {"Host": "faq.example.org", "Origin": "https://faq.example.org"}
    for whence, status in (("same-origin", 200), ("cross-site", 403)):
        sent = {**browser, "Sec-Fetch-Site": whence, **changed, "Content-Type": "application/json"}
        headers = {name: value for name, value in sent.items() if value}  # nginx sends no empty one
        answer = site.client.post("/api/ask", content='{"question": "a"}', headers=headers)
        assert answer.status_code == status


ADDRESSES = {
    "no question": "",
    "an empty question": "q=",
    "a blank one": "q=%20%0a",
    "two": "q=a&q=b",
    "an unknown name": "q=a&debug=1",
    "a count of 0": "q=a&count=0",
    "a count of 101": "q=a&count=101",
    "a count in other digits": "q=a&count=%D9%A3",
    "a NUL": "q=a%00b",
    "no UTF-8": "q=%ff%fe",
    "a zero-width space alone": "q=%E2%80%8B",
    "a draft in another word": "q=a&draft=perhaps",
    "a long question": "q=" + "x" * (LONGEST + 1),
}


@pytest.mark.parametrize("name", ADDRESSES)
def test_a_malformed_address_is_refused_in_one_line(site, name):
    answer = site.client.get("/api/ask?" + ADDRESSES[name])
    told = answer.json()["error"]
    assert answer.status_code == 400 and "\n" not in told and "AskedQuestion" not in told
    assert told.startswith("address.q: ") or "question" not in name


BODIES = {
    "nothing": b"",
    "no JSON": b"{",
    "a list": b"[]",
    "no question": b"{}",
    "a number for a question": b'{"question": 1}',
    "an unknown key": b'{"question": "a", "path": "/etc/passwd"}',
    "a text for a count": b'{"question": "a", "count": "5"}',
    "true for a count": b'{"question": "a", "count": true}',
    "no UTF-8": b'{"question": "\xff"}',
    "half a surrogate pair": rb'{"question": "\ud800"}',
    "a long question": json.dumps({"question": "x" * (LONGEST + 1)}).encode(),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_malformed_body_is_refused_in_one_line(site, name):
    answer = site.post(BODIES[name])
    assert answer.status_code == 400 and "\n" not in answer.json()["error"]


def test_a_body_of_another_type_or_too_large_is_refused(site):
    body = json.dumps({"question": "a"})
    assert site.post(body, kind="text/plain").status_code == 415
    answer = site.post(b" " * (MOST_BODY + 1))
    assert answer.status_code == 413 and answer.headers["connection"] == "close"


def status_of(site, receive) -> int:
    """The status that a POST gets whose body ``receive`` sends."""
    headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/api/ask", "headers": headers}
    sent = []

    async def send(message):
        sent.append(message)

    app = build_app(site.service, site.lines.append)
    asyncio.run(app(scope | {"query_string": b""}, receive, send))
    return sent[0]["status"]


def test_an_endless_body_is_refused_before_its_end(site):
    parts = []

    async def receive():
        parts.append(1024)
        return {"type": "http.request", "body": b" " * 1024, "more_body": True}

    assert status_of(site, receive) == 413
    assert sum(parts) <= MOST_BODY + 1024


def test_a_body_that_does_not_come_is_waited_for_only_so_long(site, monkeypatch):
    monkeypatch.setattr(app, "BODY_SECONDS", 0.05)
    assert status_of(site, lambda: asyncio.sleep(60)) == 408


def test_a_client_that_leaves_in_its_body_harms_nothing(site):
    async def receive():
        return {"type": "http.disconnect"}

    assert status_of(site, receive) == 400


@pytest.mark.parametrize(
    "path", ["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/page.js", "/%00", "/api"]
)
def test_no_other_path_leads_anywhere(site, path):
    answer = site.client.get(path)
    assert answer.status_code == 404 and set(answer.json()) == {"error"}


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "ODD"])
def test_no_other_method_is_known(site, method):
    assert site.client.request(method, "/api/ask?q=a").status_code == 405
    assert site.client.request(method, "/").status_code == 405


@settings(deadline=None, max_examples=60)
@given(question=st.text(max_size=200), count=st.one_of(st.integers(), st.text(max_size=5)))
def test_no_question_and_no_count_break_the_server(site, question, count):
    assert site.ask(question, count=count).status_code in (200, 400)


TEXT = st.text("a\0 \u200b", min_size=1, max_size=3) | st.text(max_size=LONGEST + 1)
COUNT = st.one_of(st.integers(0, 101), st.integers(0, 101).map(float), st.floats(), st.booleans())


@settings(deadline=None, max_examples=200)
@given(st.fixed_dictionaries({"question": TEXT, "count": COUNT}))
def test_a_body_is_answered_where_the_description_allows_it_and_nowhere_else(site, body):
    described = site.client.get("/openapi.json").json()["paths"]["/api/ask"]["post"]
    schema = described["requestBody"]["content"]["application/json"]["schema"]
    allowed = Draft202012Validator(schema).is_valid(body) and not shows_nothing(body["question"])
    assert site.post(json.dumps(body)).status_code == (200 if allowed else 400)


@settings(deadline=None, max_examples=60)
@given(st.binary(max_size=300))
def test_no_bytes_for_a_body_or_an_address_break_the_server(site, content):
    assert site.post(content).status_code == 400
    query = b"q=" + b"".join(b"%%%02x" % byte for byte in content)
    assert site.client.get("/api/ask?" + query.decode()).status_code in (200, 400)
