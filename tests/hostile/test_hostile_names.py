"""Names and paths that a shell would run are refused by the config, or carried as they are."""

import copy
import functools
import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from semblance.provenance import input_digests
from tests.dag.tiny import CONFIG, ROOT, Project
from tests.hostile.bounds import refusal
from tests.shipped import changed, merged
from workflow.checks.load import WRITTEN, load

FULL = merged("config.yaml")
# One of each kind: what a shell runs, an option, another folder, an empty name, a wildcard, a letter.
HOSTILE = ["$(touch PWNED)", "a b", "a\n", "--option", "..", "../x", ""]
HOSTILE += ["*", "{x}", "é", "a\0b", "\ud800"]
# No path of a file may hold a NUL or a slash; all else that this name holds, it may.
EVIL = "a b'c\"$(touch PWNED)`touch PWNED`;touch PWNED&touch PWNED|é{x}{params.code}*?[!]<>#\\ --option"
# To Snakemake braces are wildcards, and <x> is a variable: no input of its own may have them.
SAFE = re.sub("[{}<>]", "", EVIL)


ANSWERER = {"bank": "faqir", "base": "nli-roberta-base-v2", "methods": ["start"], "seeds": "rcl"}
SECTIONS = ("bases", "corpora", "faq.banks", "methods", "tables", "figures", "train_entropy.kinds")
ROW = FULL["tables"]["rcl_table3"]["rows"][0]


def itself(value: str) -> str:
    return value


PLACES = [  # where a name or a path stands, and what stands there for a value
    ("output", itself),
    ("downloads", itself),
    ("manifest", itself),
    ("bases.bert-base.tokenizer", itself),
    ("bases.bert-base.hub", itself),
    ("bases.bert-base.revision", itself),
    ("figures.contrasts.tables", lambda v: [v]),
    ("answerers", lambda v: {v: ANSWERER}),
    ("answerers.mine", lambda v: ANSWERER | {"methods": [v]}),
    ("methods.rcl-2.loss", itself),
    ("methods.rcl-2.recipe", itself),
    ("methods.rcl-2.regulators", lambda v: [v]),
    ("methods.rcl-2.regulators", lambda v: [f"entropy-0.1{v}" if v else v]),
    ("tables.rcl_table3.seeds", itself),
    ("tables.rcl_table3.rows", lambda v: [ROW | {"methods": [v]}]),
    *((section, None) for section in SECTIONS),  # whose first entry has the value for its name
]


def with_value(place: str, made, value: str) -> dict:
    """Return the project's config with what is made of a value in a place."""
    if made is not None:
        return changed(FULL, f"{place} = {json.dumps(made(value))}")
    config = copy.deepcopy(FULL)
    section = functools.reduce(dict.__getitem__, place.split("."), config)
    section[value] = section.pop(next(iter(section)))
    return config


@pytest.mark.parametrize("number", range(len(PLACES)), ids=lambda number: PLACES[number][0])
def test_a_name_that_becomes_a_path_or_a_wildcard_is_refused_by_its_key(number):
    place, made = PLACES[number]
    for value in HOSTILE[number % 3 :: 3]:  # so each place has four, and each value some places
        if value == "../x" and place in (*WRITTEN, "manifest"):  # these may lie beside the folder
            continue
        message = refusal(load, with_value(place, made, value))
        assert message.startswith(f"config.{place.split('.')[0]}"), message


@pytest.mark.parametrize("path", ["", "{x}.csv", "a\nb.csv", "a\0.csv", 3, None, ["x"]])
def test_a_banks_path_that_snakemake_cannot_take_is_refused(path):
    config = copy.deepcopy(FULL)
    config["faq"]["banks"]["mine"] = {"kind": "own", "path": path}
    assert refusal(load, config).startswith("config.faq.banks.mine")


TABLE, METHOD = FULL["tables"]["rcl_table3"], FULL["methods"]["rcl-2"]
CLASHES = [  # section, a name that another file has, its entry
    ("corpora", "faqir-0", {"kind": "wiki", "datasets": ["wiki1m"]}),
    ("tables", "scores", TABLE),
    ("tables", "published", TABLE),
    ("methods", "entropy-0.01", METHOD),
    ("methods", "start", METHOD),
]


@pytest.mark.parametrize("section, name, entry", CLASHES)
def test_a_name_that_another_file_has_is_refused(section, name, entry):
    config = copy.deepcopy(FULL)
    config[section][name] = entry
    assert refusal(load, config).startswith("config")


class Trap(Project):
    """A tiny project whose folder, mirror, base and bank have names that a shell would run."""

    def __init__(self, folder: Path, outside: Path):
        super().__init__(folder)
        self.mirror, self.base = outside / f"mirror\n{EVIL}", outside / f"base\n{EVIL}"
        self.bank = outside / f"bank {SAFE}.csv"
        shutil.copytree(ROOT / "demo/data/wiki", self.mirror / "wiki")
        shutil.copytree(folder / "tiny-base", self.base)
        shutil.copy(ROOT / "demo/data/faq/own/library.csv", self.bank)
        config = json.loads(json.dumps(CONFIG))
        config |= {"mirror": str(self.mirror)}
        config["bases"]["tiny"]["folder"] = str(self.base)
        config["faq"]["banks"]["stackfaq"] = {"kind": "own", "path": str(self.bank)}
        config["tables"]["rcl_table4"].update(title=EVIL, note=EVIL)
        self.write_config(config)


@pytest.fixture(scope="module")
def trap(tmp_path_factory) -> Trap:
    place = tmp_path_factory.mktemp("trap")
    return Trap(place / SAFE, place)


def no_trace(folder: Path) -> bool:
    """Tell whether nothing that the names ask for was done."""
    made = {path.name for path in folder.rglob("*")} & {"PWNED", "x", "--option"}
    return not made and not (ROOT / "PWNED").exists()


def settings_of(script: str, printed: str) -> list[dict]:
    """Read the printed commands of a script as a shell does; return the settings of each."""
    lines = printed.splitlines()
    starts = [i for i, line in enumerate(lines) if f"workflow.scripts.{script} " in line]
    words = [words_of_command(lines[start:]) for start in starts]
    return [json.loads(found[found.index("--settings") + 1]) for found in words]


def words_of_command(lines: list[str]) -> list[str]:
    """Return the words of the command that begins the lines; a path in it may hold line ends."""
    for count in range(1, 10):
        try:
            return shlex.split("\n".join(lines[:count]))
        except ValueError:  # a quotation goes on in the next line
            continue
    raise AssertionError(f"no whole command: {lines[0]}")


def test_the_shell_reads_titles_and_folders_as_they_stand_in_the_config(trap):
    printed = trap.snakemake("-n", "-p", "--", "results/tables/rcl_table4.csv")
    tables = {settings["name"]: settings for settings in settings_of("render_table", printed)}
    assert tables["rcl_table4"]["title"] == tables["rcl_table4"]["note"] == EVIL
    [base] = settings_of("download_model", printed)
    assert base["folder"] == str(trap.base)
    assert no_trace(trap.folder.parent)


@pytest.mark.dag
def test_stages_run_with_such_names_and_nothing_of_them_is_executed(trap):
    records = ("corpora/wiki1m/record.json", "tokens/tiny/stackfaq-0/record.json")
    trap.snakemake("--cores", "2", *(f"results/{record}" for record in records))
    assert (trap.folder / "results/tokens/tiny/stackfaq-0/tokens.arrow").stat().st_size > 0
    bank = json.loads((trap.folder / "results/faq/stackfaq/record.json").read_text())
    assert str(trap.bank) in input_digests(bank)
    assert no_trace(trap.folder.parent)
