"""Config files laid over each other: each error names the file and the line that set the key."""

from pathlib import Path

import pytest

from semblance.errors import InputError
from semblance.provenance import ROOT
from workflow.checks.load import examine, load
from workflow.config.layers import Layered, over_project, path_of, read_layer


@pytest.fixture(autouse=True)
def _working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(name: str, text: str) -> str:
    with open(name, "w", encoding="utf-8") as stream:
        stream.write(text)
    return name


def lines_of(*files: str, config: tuple[str, ...] = ()) -> list[str]:
    """Return the errors of config files and of ``key=value`` laid over the project's config."""
    _, errors = examine(over_project(files, config))
    return [str(error) for error in errors]


def test_an_error_names_the_line_of_the_last_file_that_set_the_key():
    first = write("first.yaml", "seeds:\n  rcl: []\nmethods: {simcse: {recipe: nobody}}\n")
    last = write("last.yaml", "# mine\nseeds: {rcl:\n  [-1]}\n")
    [seeds] = lines_of(first, last)
    assert seeds.startswith("last.yaml:3: seeds.rcl[0]: -1 should be greater than or equal to 1")
    last = write("last.yaml", "seeds: {rcl: [1]}\n")
    [method] = lines_of(first, last)
    assert method.startswith("first.yaml:3: methods.simcse.recipe: there is no recipe 'nobody'")


def test_an_error_of_a_key_that_no_layer_changed_names_the_projects_config_or_the_papers():
    last = write("last.yaml", "bases: {roberta-base: null}\n")
    places = [line.split(": ")[0].split(":") for line in lines_of(last)]
    assert {name for name, _ in places} == {
        f"{ROOT}/{name}"
        for name in ("config.yaml", *(f"papers/{n}.yaml" for n in ("rcl", "ssimcse", "simcse")))
    }
    for name, number in places:
        line = Path(name).read_text(encoding="utf-8").splitlines()[int(number) - 1]
        # A table that is like another one states no rows of its own.
        assert "roberta-base" in line or line == "  rcl_specifications_mean:"


def test_the_tables_and_figures_of_the_papers_that_are_named_count_and_the_methods_of_all():
    mine = write("mine.yaml", "papers: [simcse]\ntables: {rcl_table3: {seeds: simcse}}\n")
    full, one = over_project([]), over_project([mine])
    assert [name for name in full["tables"] if name.startswith("simcse_")] == list(one["tables"])
    assert "rcl_phi" in full["figures"] and "rcl_phi" not in one["figures"]
    assert one["methods"] == full["methods"]
    assert load(one).figures.keys() >= {"simcse_figure2", "contrasts"}


def test_a_shipped_config_is_found_from_any_folder_after_one_of_the_working_folder():
    name = "configs/own-faq.yaml"
    assert read_layer(name).value["output"] == "results-own-faq"
    assert read_layer(name).name == f"{ROOT}/{name}"
    Path("configs").mkdir()
    write(name, "output: mine\n")
    assert read_layer(name).value == {"output": "mine"}


@pytest.mark.parametrize(
    "text, line",
    [
        ("outptu: x\n", "last.yaml:1: outptu: unknown key"),
        ("\noutput: null\n", "last.yaml:2: output: missing key"),
        (
            "bases:\n\n  my.base.v2:\n    folder: x\n    max_length: 9\n",
            "last.yaml:3: bases.my.base.v2.tokenizer: missing key",
        ),
        (
            "tables:\n  rcl_table3:\n    rows:\n"
            "      - {corpora: [nli], bases: [bert-base], methods: [start]}\n"
            "      - corpora: [nli]\n        bases: [bert-base]\n        methods: [nobody]\n",
            "last.yaml:7: tables.rcl_table3.rows[1].methods: there is no method 'nobody'",
        ),
        (f"output: {ROOT}/workflow\n", f"last.yaml:1: output: {ROOT}/workflow"),
        ("papers: [simcse, nobody]\n", "last.yaml:1: papers[1]: 'nobody' should be"),
        (
            "instead:\n  nobody: all-minilm\n",
            "last.yaml:2: instead.nobody: there is no base, corpus or bank 'nobody'; known",
        ),
        (
            "instead:\n  bert-base: nobody\n",
            "last.yaml:2: instead.bert-base: there is no base 'nobody'; known are all-minilm",
        ),
        (
            "instead:\n  nli: bert-base\n",
            "last.yaml:2: instead.nli: there is no corpus or bank 'bert-base'; known are cough",
        ),
    ],
)
def test_an_error_names_the_line_of_the_key_or_of_the_mapping_that_lacks_it(text, line):
    found = lines_of(write("last.yaml", text))
    assert any(told.startswith(line) for told in found), found


def test_an_error_of_a_json_file_names_its_line():
    found = lines_of(write("last.json", '{\n\t"seeds": {"rcl": []}}'))
    assert found[0].startswith("last.json:2: seeds.rcl: ")
    found = lines_of(write("last.json", '{\n "seeds": {"rcl": []}}'))
    assert found[0].startswith("last.json:2: seeds.rcl: ")


def test_an_error_of_a_flag_names_the_flag():
    found = lines_of(config=("seeds={rcl: []}", "outptu=x"))
    assert found[0].startswith("--config outptu=x: outptu: unknown key")
    assert found[1].startswith("--config seeds={rcl: []}: seeds.rcl: [] should have")


@pytest.mark.parametrize(
    "text, numbers",
    [
        (
            "outptu: 1\nresources: {gpu: 0, cpus: 2}\nmethods:\n  simcse: {recipe: 3}\n",
            [1, 2, 2, 4],
        ),
        (  # names that the config does not know
            "methods:\n  simcse: {recipe: nobody}\n  mine: {recipe: rcl, steps_of: nobody}\n"
            "figures:\n  rcl_anisotropy: {seeds: best}\n",
            [2, 3, 5],
        ),
    ],
)
def test_all_errors_of_a_config_are_reported_each_once(text, numbers):
    lines = [line.split(": ")[0] for line in lines_of(write("last.yaml", text))]
    assert sorted(lines) == [f"last.yaml:{number}" for number in numbers]


@pytest.mark.parametrize(
    "argument, value",
    [
        ("mirror=null", None),
        ("mirror=", None),
        ("mirror='2024'", "2024"),
        ("mirror=/data #1", "/data #1"),
        ("mirror=~/a: b", "~/a: b"),
        ("resources={gpus: 0}", {"gpus": 0}),
        ("x=-1e3", -1000.0),
    ],
)
def test_a_value_of_a_flag_is_yaml_or_one_plain_word(argument, value):
    [layer] = Layered([over_project([], [argument]).layers[-1]]).layers
    assert layer.value == {argument.partition("=")[0]: value}


def test_a_config_of_the_working_folder_lies_over_the_projects():
    write("config.yaml", "output: mine\nseeds: {rcl: []}\n")
    assert lines_of()[0].startswith("config.yaml:2: seeds.rcl: ")
    assert over_project([])["output"] == "mine"


def test_the_path_of_a_key_may_hold_names_with_dots():
    config = {"a": {"b": 1, "b.c": [{"d": 2}]}}
    assert path_of("a.b.c[0].d", config) == ("a", "b.c", 0, "d")
    assert path_of("a.b.x", config) == ("a", "b")
    assert path_of("x", config) == ()


def test_a_config_file_that_is_not_there_is_named():
    with pytest.raises(InputError, match="nope.yaml: no such file; name a config file"):
        read_layer("nope.yaml")


def table_like(text: str, *files: str):
    """Return what a table of a config file becomes, laid over the project's and more files."""
    name = write("mine.yaml", f"tables:\n  mine: {text}\n")
    return over_project([name, *files])["tables"]["mine"]


def test_a_table_takes_what_it_does_not_state_from_the_last_layer_of_the_one_that_it_is_like():
    last = write("last.yaml", "tables: {rcl_table3: {seeds: faq, margin: 2.0}}\n")
    of_paper = over_project([])["tables"]["rcl_table3"]
    found = table_like("{like: rcl_table3, layout: sts-mean, title: T, control: null}", last)
    assert found == {
        "title": "T",
        "layout": "sts-mean",
        "seeds": "faq",
        "margin": 2.0,
        "control": None,
        "controls": of_paper["controls"],
        "note": of_paper["note"],
        "rows": of_paper["rows"],
    }  # and neither `published` nor `like`


def test_a_table_like_one_that_a_config_makes_null_is_null():
    last = write("last.yaml", "tables: {rcl_table3: null}\n")
    assert table_like("{like: rcl_table3, layout: sts-mean, title: T}", last) is None
    assert over_project([last])["tables"]["rcl_table3_mean"] is None


def test_a_figure_loses_the_tables_that_a_config_makes_null_and_without_any_is_null():
    one, both = "rcl_specifications_mean", "rcl_specifications"  # the first is like the second
    for absent, left in ((one, [both]), (both, None)):
        last = write("last.yaml", f"tables: {{{absent}: null}}\n")
        figure = over_project([last])["figures"]["rcl_specifications"]
        assert (figure and figure["tables"]) == left


@pytest.mark.parametrize("name", ["nobody", "mine"])
def test_a_table_like_none_above_it_is_refused_with_its_line(name):
    with pytest.raises(InputError) as caught:
        table_like(f"{{title: T,\n    like: {name}}}")
    problem = f"tables.mine.like: there is no table '{name}' above it"
    assert str(caught.value).startswith(f"mine.yaml:3: {problem}")


def test_the_tables_by_the_mean_of_subsets_have_the_rows_of_those_beside_them_and_no_printed_values():
    plan = load(over_project(["configs/minilm.yaml"]))
    for name in ("rcl_table1a", "rcl_table1b", "rcl_table3", "rcl_table5", "rcl_controls"):
        beside, by_mean = plan.tables[name], plan.tables[f"{name}_mean"]
        assert (by_mean.rows, by_mean.seeds, by_mean.note) == (
            beside.rows,
            beside.seeds,
            beside.note,
        )
        assert (by_mean.layout, by_mean.published) == ("sts-mean", {})
