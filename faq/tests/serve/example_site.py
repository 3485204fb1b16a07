"""A client of the web application, for tests."""

from starlette.testclient import TestClient

from faq.tests.example_faq import ENTRIES
from semblance_faq.serve.app import Service, build_app

QUESTION = ENTRIES[2].question


class Site:
    """A service and a client for it, whose access log is kept."""

    def __init__(self, answerer, log=None, host="127.0.0.1:8080", title="FAQ"):
        self.lines = []
        self.service = Service(answerer, log, title)
        app = build_app(self.service, self.lines.append)
        self.client = TestClient(app, f"http://{host}", raise_server_exceptions=False)

    def ask(self, question=QUESTION, **more):
        return self.client.get("/api/ask", params={"q": question, **more})

    def post(self, content, kind="application/json"):
        return self.client.post("/api/ask", content=content, headers={"content-type": kind})
