"""What an upload holds, what is refused, and the calls that a hub gets; no network is used."""

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from semblance.cards.upload import plan_upload, send
from semblance.errors import InputError
from semblance.provenance import file_digest, read_sealed, write_record, write_sealed
from tests.unit.cards.conftest import RAW, SETTINGS, make_cards
from workflow.scripts import push

PLACE = "models/nli/tiny/rcl/seed-1"


class FakeHub:
    """Notes what it is asked, and the files of the folder at that moment."""

    def __init__(self):
        self.calls = []
        self.files = {}

    def create_repo(self, repo_id, **options):
        self.calls.append(("create_repo", repo_id, options))

    def upload_folder(self, **options):
        folder = Path(options.pop("folder_path"))
        found = [path for path in folder.rglob("*") if path.is_file()]
        self.files = {path.relative_to(folder).as_posix(): file_digest(path) for path in found}
        self.calls.append(("upload_folder", options))
        return SimpleNamespace(oid="c" * 40, commit_url="https://hub.example/commit")

    def create_tag(self, repo_id, **options):
        self.calls.append(("create_tag", repo_id, options))


def test_a_dry_run_lists_files_sizes_digests_and_the_card(results, capsys):
    folder = results / PLACE
    push.main([str(folder), "--to", "me/mine", "--dry-run", "--non-commercial"])
    printed = capsys.readouterr().out
    weights = folder / "model/model.safetensors"
    assert file_digest(weights) in printed
    assert f"{weights.stat().st_size:,}" in printed
    assert (folder / "model/README.md").read_text().strip() in printed
    assert "use of its data: non-commercial" in printed


def test_weights_of_data_without_commercial_use_are_refused_in_a_dry_run_too(results, capsys):
    arguments = [str(results / PLACE), "--to", "me/mine"]
    for more in ([], ["--dry-run"]):
        with pytest.raises(InputError, match=r"raw \(CC BY-NC 4.0\).*--non-commercial"):
            push.main([*arguments, *more])


def test_weights_of_data_without_a_known_licence_are_refused(results):
    make_cards(results, {**SETTINGS, "data": {}})
    with pytest.raises(InputError, match="unknown"):
        push.main([str(results / PLACE), "--to", "me/mine", "--dry-run"])


def test_weights_of_free_data_are_not_refused(results, capsys):
    make_cards(results, {**SETTINGS, "data": {"raw": {**RAW, "licence": "CC0 1.0"}}})
    push.main([str(results / PLACE), "--to", "me/mine", "--dry-run"])
    assert "use of its data: free" in capsys.readouterr().out


def test_an_upload_holds_the_model_and_its_card_under_a_tag_made_from_the_weights(results):
    upload = plan_upload(results / PLACE)
    hub = FakeHub()
    assert send(upload, "me/mine", hub) == "https://hub.example/commit"
    assert hub.files == {file.name: file.sha256 for file in upload.files}
    assert {"README.md", "config_sentence_transformers.json", "model.safetensors"} <= set(hub.files)
    weights = file_digest(results / PLACE / "model/model.safetensors")
    revision = f"weights-{weights[:16]}"
    assert hub.calls == [
        ("create_repo", "me/mine", {"private": True, "exist_ok": True}),
        ("upload_folder", {"repo_id": "me/mine", "commit_message": f"Upload {revision}"}),
        ("create_tag", "me/mine", {"tag": revision, "revision": "c" * 40, "exist_ok": True}),
    ]


def test_the_folder_model_itself_can_be_named(results):
    assert plan_upload(results / PLACE / "model") == plan_upload(results / PLACE)


def test_an_answerer_is_uploaded_with_the_card_of_the_model_that_it_holds(results):
    answerer = results / "answerers/faq"
    (answerer / "model").mkdir(parents=True)
    source = results / PLACE / "model/model.safetensors"
    shutil.copy(source, answerer / "model")
    (answerer / "entries.jsonl").write_text('{"answer": "secret"}\n')
    names = ["model/model.safetensors", "entries.jsonl"]
    write_record(answerer / "record.json", "build_answerer", outputs=names, started=0.0)
    names = {file.name for file in plan_upload(answerer).files}
    assert names == {"model.safetensors", "README.md", "config_sentence_transformers.json"}


def test_a_card_that_was_changed_is_refused(results):
    with (results / PLACE / "model/README.md").open("a") as card:
        card.write("free for all\n")
    with pytest.raises(InputError, match=r"README.md.*not as the record"):
        plan_upload(results / PLACE)


def test_weights_that_were_changed_are_refused(results):
    (results / PLACE / "model/model.safetensors").write_text("other")
    with pytest.raises(InputError, match="damaged"):
        plan_upload(results / PLACE)


def test_weights_without_a_card_are_refused(results):
    record = results / "models/record.json"
    said = json.loads(record.read_text())
    del said["sha256"]
    write_sealed(record, {**said, "cards": {}})
    with pytest.raises(InputError, match="no card of these weights"):
        plan_upload(results / PLACE)
    record.unlink()
    with pytest.raises(InputError, match="no run above this folder"):
        plan_upload(results / PLACE)


def test_a_record_cannot_name_a_file_outside_of_the_model(results):
    record = results / "models/record.json"
    said = read_sealed(record)
    secret = results / "secret.txt"
    secret.write_text("secret")
    name = "../../../../../../secret.txt"
    said["cards"]["nli/tiny/rcl/seed-1"]["files"][name] = file_digest(secret)
    write_sealed(record, said)
    with pytest.raises(InputError, match="no file of the model"):
        plan_upload(results / PLACE)


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(InputError, match="no trained model"):
        plan_upload(tmp_path)


@pytest.mark.parametrize("name", ["mine", "me/mine/more", "me/", "me/..", "../x", "me/a b", "-/x"])
def test_a_name_that_is_no_repository_is_refused(results, name):
    with pytest.raises(InputError, match="OWNER/NAME"):
        push.main([str(results / PLACE), f"--to={name}", "--dry-run"])


def test_without_a_login_nothing_is_uploaded(results, monkeypatch):
    monkeypatch.setattr("huggingface_hub.get_token", lambda: None)
    with pytest.raises(InputError, match="hf auth login"):
        push.main([str(results / PLACE), "--to", "me/mine", "--non-commercial"])


def test_what_a_hub_refuses_is_one_line(results, monkeypatch):
    import httpx2

    class Refusing(FakeHub):
        def create_repo(self, repo_id, **options):
            raise httpx2.ConnectError("no route\nsecond line")

    monkeypatch.setattr("huggingface_hub.get_token", lambda: "token")
    monkeypatch.setattr("huggingface_hub.HfApi", Refusing)
    with pytest.raises(InputError, match=r"did not take it \(no route\)"):
        push.main([str(results / PLACE), "--to", "me/mine", "--non-commercial"])
