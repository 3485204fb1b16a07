"""Whether every file can be had: asked of all places at the same time, nothing downloaded."""

import time
from functools import partial
from pathlib import Path

import pytest

from semblance.fetch import sources
from semblance.fetch.datasets import fetch_dataset
from semblance.fetch.hub import Repository, fetch_repository, mirrored
from semblance.fetch.manifest import Archive, Dataset, File
from semblance.fetch.sources import Probe, ask_all, missing, page
from semblance.fetch.wanted import BaseSource, Found, Hub, State, Wanted
from semblance.fetch.web import Patience
from semblance.layout import DIGEST_LOCK
from semblance.provenance import ROOT, write_json, write_sealed
from tests.local_http import Fault
from tests.unit.fetch.examples import (
    ALTERED,
    COMMIT,
    CONTENT,
    REPO,
    dataset,
    pinned,
    sha,
    write,
)
from workflow.scripts import sources as script

MODEL = {"config.json": b"{}", "vocab.txt": b"[PAD]\n", "model.safetensors": bytes(1000)}
WEIGHTS = sha(MODEL["model.safetensors"])
SIZE = len(CONTENT)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(sources, "BRIEF", Patience(2, first=0.01, longest=0.1, timeout=1.0))


def ask(folder: Path, data: Dataset | None = None, **more) -> list[Found]:
    """Ask for one data set, or for the bases among ``more``."""
    manifest = {"one": data} if data else {}
    wanted = {"hub": Hub(""), "bases": {}, **more}
    downloads = str(folder / "resources")
    wanted = Wanted("m.yaml", downloads, datasets=tuple(manifest), **wanted)
    return ask_all(sources.probes(wanted, manifest))


def states(answers: list[Found]) -> list[str]:
    return [answer.state for answer in answers]


def test_a_reached_file_is_listed_with_its_size_and_not_downloaded(server, tmp_path):
    answers = ask(tmp_path, dataset(pinned(server.serve("/f", CONTENT))))
    assert answers == [Found("one", "a/b.txt", State.REACHED, SIZE)]
    assert server.count("/f", "GET") == 0 and list(tmp_path.iterdir()) == []


def test_a_downloaded_file_is_not_asked_for_unless_it_is_damaged(server, tmp_path):
    data = dataset(pinned(server.serve("/f", CONTENT)))
    fetch_dataset(data, tmp_path / "resources/data")
    requests = len(server.seen)
    assert states(ask(tmp_path, data)) == [State.HERE] and len(server.seen) == requests
    write(tmp_path / "resources/data/a/b.txt", ALTERED)
    assert states(ask(tmp_path, data)) == [State.REACHED]


def test_a_file_of_a_mirror_folder_is_not_asked_for(server, tmp_path):
    data = dataset(pinned(server.serve("/f", CONTENT)))
    mirror = str(tmp_path / "mirror")
    assert "no such file in the mirror" in ask(tmp_path, data, mirror=mirror)[0].problem
    write(tmp_path / "mirror/a/b.txt")
    assert states(ask(tmp_path, data, mirror=mirror)) == [State.MIRROR]
    write(tmp_path / "mirror/a/b.txt", ALTERED)
    [answer] = ask(tmp_path, data, mirror=mirror)
    assert answer.state == State.FAILED and f"expected {sha(CONTENT)}" in answer.problem
    assert server.seen == []


def test_a_mirrors_address_is_asked_in_place_of_the_files_own(server, tmp_path):
    data = dataset(pinned(server.url + "/elsewhere"))
    server.serve("/mirror/a/b.txt", CONTENT)
    assert states(ask(tmp_path, data, mirror=server.url + "/mirror")) == [State.REACHED]
    assert {seen[1] for seen in server.seen} == {"/mirror/a/b.txt"}


def test_a_dead_address_is_no_loss_where_another_one_answers(server, tmp_path):
    data = dataset(pinned(server.url + "/gone", server.serve("/f", CONTENT)))
    answers = ask(tmp_path, data)
    assert states(answers) == [State.FAILED, State.REACHED] and missing(answers) == []
    assert f"note: one: a/b.txt ({server.url}/gone): HTTP 404; another place has" in page(answers)


@pytest.mark.parametrize(
    "path, fault, problem",
    [
        ("/gone", Fault(), "HTTP 404"),
        ("/longer", Fault(), f"size expected {SIZE}, the server states {SIZE + 1}"),
        ("/f", Fault(status=503), "HTTP 503"),
        (None, Fault(), "it has no public address"),
    ],
)
def test_a_file_that_no_address_has_is_missing_and_the_page_says_what_to_do(
    server, tmp_path, path, fault, problem
):
    server.serve("/f", CONTENT)
    server.serve("/longer", CONTENT + b"!")
    url = path and server.url + path
    server.always[path] = fault
    answers = ask(tmp_path, dataset(pinned(*([url] if url else []))))
    assert [(answer.file, answer.problem) for answer in missing(answers)] == [("a/b.txt", problem)]
    place = f" ({url})" if url else ""
    line, advice = page(answers).splitlines()[-2:]
    assert line == f"missing: one: a/b.txt{place}: {problem}" and advice.startswith("what to do: ")


def test_a_hubs_file_without_a_digest_is_held_against_the_lock_file(server, tmp_path):
    path = f"/datasets/some/data/resolve/{COMMIT}/b.tar"
    server.serve_large(path, COMMIT, CONTENT)
    data = dataset(File("a/b.txt", None, None, (server.url + path,)))
    assert states(ask(tmp_path, data)) == [State.REACHED]
    lock = write(tmp_path / "resources/data" / DIGEST_LOCK)
    write_sealed(lock, {"a/b.txt": {"sha256": "0" * 64, "size": SIZE}})
    assert f"the server states {sha(CONTENT)}" in missing(ask(tmp_path, data))[0].problem


@pytest.mark.parametrize("place, state", [("resources/data", State.HERE), ("mirror", State.MIRROR)])
def test_an_archive_is_not_asked_for_where_its_members_are_at_hand(server, tmp_path, place, state):
    archive = Archive("x.zip", None, None, (server.url + "/x",), {"in/b.txt": "a/b.txt"})
    write(tmp_path / place / "a/b.txt")
    data = dataset(pinned(), archives=(archive,))
    answers = ask(tmp_path, data, mirror=str(tmp_path / "mirror"))
    assert states(answers) == [state] and server.seen == []


def test_a_mirrors_address_may_have_the_members_or_the_archive(server, tmp_path):
    archive = Archive("x.zip", None, None, (), {"in/b.txt": "a/b.txt"})
    data = dataset(pinned(), archives=(archive,))
    mirror = server.url + "/mirror"
    assert [answer.file for answer in missing(ask(tmp_path, data, mirror=mirror))] == ["x.zip"]
    server.serve("/mirror/x.zip", b"an archive")
    assert [answer.file for answer in ask(tmp_path, data, mirror=mirror)] == ["x.zip"]
    server.serve("/mirror/a/b.txt", CONTENT)
    assert [answer.file for answer in ask(tmp_path, data, mirror=mirror)] == ["a/b.txt"]


# Bases


def on_hub(server, **pins: str) -> dict:
    """Serve a model repository and return what asks for it as the base ``tiny``."""
    server.serve_hub(REPO, COMMIT, MODEL, large=("model.safetensors",))
    base = BaseSource(hub=REPO, revision=COMMIT, **pins)
    return {"hub": Hub(server.url), "bases": {"tiny": base}}


def test_every_file_of_a_base_on_a_hub_is_listed_with_its_size(server, tmp_path):
    answers = ask(tmp_path, **on_hub(server, weights_sha256=WEIGHTS))
    assert {answer.file: answer.size for answer in answers} == {
        name: len(content) for name, content in MODEL.items()
    }
    assert states(answers) == [State.REACHED] * 3 and len(server.seen) == 1


@pytest.mark.parametrize("is_locked", [False, True])
def test_a_hub_that_states_other_weights_than_the_pinned_or_locked_ones_is_named(
    server, tmp_path, is_locked
):
    pins = {} if is_locked else {"weights_sha256": "0" * 64}
    if is_locked:
        lock = write(tmp_path / "resources/models" / DIGEST_LOCK)
        entry = {"commit": COMMIT, "files": {"model.safetensors": "0" * 64}}
        write_sealed(lock, {f"{REPO}@{COMMIT}": entry})
    [answer] = missing(ask(tmp_path, **on_hub(server, **pins)))
    assert f"expected {'0' * 64}, the server states {WEIGHTS}" in answer.problem


def test_a_finished_base_is_not_asked_for(server, tmp_path):
    write_json(tmp_path / "resources/models/tiny/record.json", {})
    assert states(ask(tmp_path, **on_hub(server))) == [State.HERE] and server.seen == []


def test_a_base_in_a_folder_or_package_is_looked_for(tmp_path):
    folder = tmp_path / "base"
    wanted = {"bases": {"tiny": BaseSource(folder=str(folder))}}
    assert "no such file" in missing(ask(tmp_path, **wanted))[0].problem
    write(folder / "model.safetensors", b"")
    assert states(ask(tmp_path, **wanted)) == [State.HERE]
    absent = {"bases": {"tiny": BaseSource(package="no_such_package_anywhere")}}
    assert "is not installed" in missing(ask(tmp_path, **absent))[0].problem


# All together


def test_questions_are_asked_at_the_same_time_and_late_answers_are_failures():
    def answer(seconds: float) -> list[Found]:
        time.sleep(seconds)
        return [Found("one", "a file", State.REACHED)]

    slow = [Probe("one", "a file", "a place", partial(answer, s)) for s in (0.3, 0.31, 3.0)]
    started = time.monotonic()
    answers = ask_all(slow, seconds=1.0)
    assert time.monotonic() - started < 2.0
    assert states(answers) == [State.REACHED, State.REACHED, State.FAILED]
    assert answers[2].problem == "no answer within 1 s"


def test_the_page_counts_a_row_for_each_source_and_unknown_sizes_as_unknown():
    answers = [
        Found("one", "a", State.HERE, 5),
        Found("one", "b", State.REACHED, 2_000_000),
        Found("one", "c", State.REACHED, None),
        Found("two", "d", State.MIRROR, 5),
        Found("two", "e", State.FAILED, None, "http://x/e", "HTTP 404"),
    ]
    one, two = page(answers).splitlines()[2:4]
    assert one.split() == ["one", "1", "0", "2", "0", "2.0", "MB", "+", "1", "unknown", "good"]
    assert two.split() == ["two", "0", "1", "0", "1", "0.0", "MB", "missing"]


def test_failures_of_one_host_and_kind_share_a_line():
    failures = [
        Found("one", file, State.FAILED, None, f"http://x/{file}", problem)
        for file, problem in (("a", "HTTP 404"), ("b", "HTTP 404"), ("c", "HTTP 500"))
    ]
    lines = [line for line in page(failures).splitlines() if line.startswith("missing: ")]
    assert lines == [
        "missing: one: a (http://x/a) and 1 more there: HTTP 404",
        "missing: one: c (http://x/c): HTTP 500",
    ]


def test_a_base_that_a_mirror_has_is_not_asked_of_the_hub(server, tmp_path):
    wanted = on_hub(server, weights_sha256=WEIGHTS)
    repository = Repository(REPO, COMMIT, wanted["hub"], WEIGHTS)
    mirror = tmp_path / "mirror"
    fetch_repository(repository, mirrored(mirror, repository), mirror / "models")
    asked = len(server.seen)
    assert states(ask(tmp_path, mirror=str(mirror), **wanted)) == [State.MIRROR]
    assert len(server.seen) == asked
    [weights] = mirror.rglob("model.safetensors")
    weights.write_bytes(b"altered")
    assert State.REACHED in states(ask(tmp_path, mirror=str(mirror), **wanted))


def test_the_command_runs_from_any_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    script.main([str(ROOT / "demo/config.yaml")])
    page = capsys.readouterr().out
    assert "nli-simcse" in page and "missing:" not in page
