"""What an answerer was made from: its model, its bank, and the evaluations that chose it."""

import pytest

from faq.tests.example_run import write_run
from semblance.audit.chain import Chain
from semblance.audit.explain import problems
from semblance.errors import InputError
from semblance_faq.extends.explain import explained
from tests.dag.tiny import write_model
from workflow.scripts import explain as command
from workflow.scripts.explain import to_text


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A results folder with one answerer, its base model among the downloads beside it."""
    project = tmp_path_factory.mktemp("project")
    model = write_model(project / "resources/models/tiny")
    write_run(project / "results", model, {f"wording {number}": 1.0 for number in range(6)})
    return project / "results"


def test_the_tree_leads_to_the_model_the_bank_and_each_evaluation_once(results):
    top = explained(Chain(results), "faq")
    assert top.facts["chosen"] == "start" and top.facts["questions"] == 6
    assert not [
        fact for fact in top.facts if fact.startswith("against")
    ]  # nothing to compare it with
    [folder] = top.sources
    assert folder.record == str(results / "answerers/faq/record.json")
    places = [source.record for source in folder.sources]
    assert len(places) == len(set(places)) == 5  # of two files of each evaluation, one record
    assert str(results.parent / "resources/models/tiny/record.json") in places
    assert str(results / "faq/faq/record.json") in places
    assert problems(top) == 0
    assert max(len(line) for line in to_text(top).splitlines() if "/" not in line) <= 100


def test_one_name_on_the_command_line_is_an_answerer(results, capsys):
    command.main(["faq", "--output", str(results)])
    assert capsys.readouterr().out.startswith("answerer faq\n")
    with pytest.raises(InputError, match="a row without a column"):
        command.main(["faq", "row", "--output", str(results)])
    with pytest.raises(InputError, match="there is no such claim"):
        command.main(["nobody", "--output", str(results)])


def test_a_damaged_evaluation_is_marked(results):
    file = results / "scores/faq/faq-1/tiny/start/seed-0/predictions.parquet"
    content = file.read_bytes()
    file.write_text("damaged")
    assert problems(explained(Chain(results), "faq")) == 1
    file.write_bytes(content)
