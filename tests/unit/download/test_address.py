"""What a server states of a file that is not downloaded."""

import hashlib

import pytest

from semblance.download.address import ask_address
from semblance.download.answer import Patience, Unavailable
from semblance.download.pin import Pin
from tests.local_http import Fault, blob_name, running

CONTENT = b"some text\n"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
QUICK = Patience(attempts=2, first=0.01, longest=0.1, timeout=2.0)
server = pytest.fixture(running)


def test_an_ordinary_server_states_the_size(server):
    assert ask_address(server.serve("/f", CONTENT), QUICK) == Pin(None, len(CONTENT))
    assert server.seen == [("HEAD", "/f", None)]  # nothing is downloaded


def test_a_hub_states_the_sha256_of_a_large_file_and_its_storage_is_not_asked(server):
    path = f"/some/data/resolve/{COMMIT}/large.bin"
    server.serve_large(path, COMMIT, CONTENT)
    expected = Pin(hashlib.sha256(CONTENT).hexdigest(), len(CONTENT))
    assert ask_address(server.url + path, QUICK) == expected
    assert [seen[1] for seen in server.seen] == [path]


def test_a_hub_states_the_git_blob_of_a_small_file(server):
    path = f"/some/data/resolve/{COMMIT}/small.txt"
    headers = {"X-Repo-Commit": COMMIT, "ETag": f'"{blob_name(CONTENT)}"'}
    url = server.serve(path, CONTENT, headers=headers)
    assert ask_address(url, QUICK) == Pin(None, len(CONTENT), blob_name(CONTENT))


def test_the_etag_of_an_ordinary_server_is_no_digest(server):
    url = server.serve("/f", CONTENT, headers={"ETag": f'"{"0" * 40}"'})
    assert ask_address(url, QUICK) == Pin(None, len(CONTENT))


def test_a_hub_that_answers_with_another_commit_is_refused(server):
    path = f"/some/data/resolve/{COMMIT}/large.bin"
    server.serve_large(path, "f" * 40, CONTENT)
    with pytest.raises(Unavailable, match=f"revision {'f' * 40}"):
        ask_address(server.url + path, QUICK)


def test_a_redirection_is_followed(server):
    server.serve("/new", CONTENT)
    url = server.serve("/old", b"moved", location="/new")
    assert ask_address(url, QUICK).size == len(CONTENT)


def test_redirections_without_an_end_are_given_up(server):
    url = server.serve("/f", b"moved", location="/f")
    with pytest.raises(Unavailable, match="redirections"):
        ask_address(url, QUICK)


@pytest.mark.parametrize("status", [403, 405, 501])
def test_a_server_that_answers_no_head_is_asked_for_one_byte(server, status):
    url = server.serve("/f", CONTENT)
    server.faults["/f"] = [Fault(status=status)]
    assert ask_address(url, QUICK).size == len(CONTENT)
    assert server.seen == [("HEAD", "/f", None), ("GET", "/f", "bytes=0-0")]


def test_a_missing_file_is_told_by_its_status_at_once(server):
    with pytest.raises(Unavailable, match="HTTP 404"):
        ask_address(server.url + "/gone", QUICK)
    assert server.count("/gone", "HEAD") == 1


def test_a_busy_server_is_asked_again(server):
    url = server.serve("/f", CONTENT)
    server.faults["/f"] = [Fault(status=503)]
    assert ask_address(url, QUICK).size == len(CONTENT)


def test_a_server_that_does_not_answer_is_told_in_one_line(server):
    server.close()
    with pytest.raises(Unavailable, match="the connection failed"):
        ask_address(server.url + "/f", QUICK)
