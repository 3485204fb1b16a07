"""Names and paths that a shell would run: refused by the config's schema, or carried as they are."""

import copy
import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from semblance.errors import InputError
from semblance.provenance import input_digests
from tests.dag.tiny import CONFIG, Project
from tests.shipped import merged
from workflow.planning.config import load

ROOT = Path(__file__).resolve().parents[2]
FULL = merged("config.yaml")
HOSTILE = [
    "$(touch PWNED)",
    "`touch PWNED`",
    "; touch PWNED",
    "a b",
    "'",
    '"',
    "a\nb",
    "a\n",
    "--option",
    "-rf",
    "..",
    "../x",
    "/x",
    "",
    "*",
    "~",
    "{x}",
    "{params.code}",
    "é",
    "\u202e",
    "a\\b",
    "a|b",
    "a&b",
    ">x",
    "a\0b",
    "\ud800",
]
# No path of a file may hold a NUL or a slash; all else that this name holds, it may.
EVIL = "a b'c\"$(touch PWNED)`touch PWNED`;touch PWNED&touch PWNED|é{x}{params.code}*?[!]<>#\\ --option"
SAFE = re.sub(
    "[{}]", "", EVIL
)  # to Snakemake braces are wildcards: no input of its own and no working folder may have them


def rename(section: dict, new: str) -> None:
    section[new] = section.pop(next(iter(section)))


ANSWERER = {"bank": "faqir", "base": "nli-roberta-base-v2", "methods": ["start"], "seeds": "rcl"}
PLACES = {
    "output": lambda c, v: c.update(output=v),
    "downloads": lambda c, v: c.update(downloads=v),
    "manifest": lambda c, v: c.update(manifest=v),
    "bases": lambda c, v: rename(c["bases"], v),
    "bases.bert-base.tokenizer": lambda c, v: c["bases"]["bert-base"].update(tokenizer=v),
    "bases.bert-base.hub": lambda c, v: c["bases"]["bert-base"].update(hub=v),
    "bases.bert-base.revision": lambda c, v: c["bases"]["bert-base"].update(revision=v),
    "corpora": lambda c, v: rename(c["corpora"], v),
    "faq.banks": lambda c, v: rename(c["faq"]["banks"], v),
    "methods": lambda c, v: rename(c["methods"], v),
    "tables": lambda c, v: rename(c["tables"], v),
    "figures": lambda c, v: rename(c["figures"], v),
    "figures.contrasts.tables": lambda c, v: c["figures"]["contrasts"].update(tables=[v]),
    "answerers": lambda c, v: c.update(answerers={v: ANSWERER}),
    "answerers.mine.methods": lambda c, v: c.update(
        answerers={"mine": ANSWERER | {"methods": [v]}}
    ),
    "train_entropy.kinds": lambda c, v: rename(c["train_entropy"]["kinds"], v),
    "methods.rcl-2.loss": lambda c, v: c["methods"]["rcl-2"].update(loss=v),
    "methods.rcl-2.regulators": lambda c, v: c["methods"]["rcl-2"].update(regulators=[v]),
    "methods.rcl-2.regulators.entropy": lambda c, v: c["methods"]["rcl-2"].update(
        regulators=[f"entropy-0.1{v}" if v else v]
    ),
    "methods.rcl-2.recipe": lambda c, v: c["methods"]["rcl-2"].update(recipe=v),
    "tables.rcl_table3.seeds": lambda c, v: c["tables"]["rcl_table3"].update(seeds=v),
    "tables.rcl_table3.rows": lambda c, v: c["tables"]["rcl_table3"]["rows"][0].update(methods=[v]),
}


ABSOLUTE = ("output", "downloads", "manifest")  # these may be absolute paths


@pytest.mark.parametrize("stride", [pytest.param(1, marks=pytest.mark.long), 5])
@pytest.mark.parametrize("place", PLACES)
def test_a_name_that_becomes_a_path_or_a_wildcard_is_refused_by_its_key(place, stride):
    start = list(PLACES).index(place) % stride  # so that the quick test tries each value somewhere
    values = [v for v in HOSTILE[start::stride] if not (v == "/x" and place in ABSOLUTE)]
    for value in values:
        config = copy.deepcopy(FULL)
        PLACES[place](config, value)
        with pytest.raises(InputError) as caught:
            load(config)
        assert str(caught.value).startswith(f"config.{place.split('.')[0]}") and "\n" not in str(
            caught.value
        )


@pytest.mark.parametrize("path", ["", "{x}.csv", "a\nb.csv", "a\0.csv", 3, None, ["x"]])
def test_a_banks_path_that_snakemake_cannot_take_is_refused(path):
    config = copy.deepcopy(FULL)
    config["faq"]["banks"]["mine"] = {"kind": "own", "path": path}
    with pytest.raises(InputError, match="^config.faq.banks.mine"):
        load(config)


@pytest.mark.parametrize(
    "clash",
    [
        {"corpora": {"faqir-0": {"kind": "wiki", "datasets": ["wiki1m"]}}},
        {"tables": {"scores": FULL["tables"]["rcl_table3"]}},
        {"tables": {"published": FULL["tables"]["rcl_table3"]}},
        {"methods": {"entropy-0.5": FULL["methods"]["rcl-2"]}},
        {"methods": {"start": FULL["methods"]["rcl-2"]}},
    ],
)
def test_a_name_that_another_file_has_is_refused(clash):
    config = copy.deepcopy(FULL)
    for section, names in clash.items():
        config[section].update(names)
    with pytest.raises(InputError, match="^config"):
        load(config)


class Trap(Project):
    """A tiny project in a folder, and with a mirror, a base and a bank, whose names a shell would run."""

    def __init__(self, folder: Path, outside: Path):
        super().__init__(folder)
        self.mirror, self.base, self.bank = (
            outside / f"mirror\n{EVIL}",
            outside / f"base\n{EVIL}",
            outside / f"bank {SAFE}.csv",
        )
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
    return (
        not [p for p in folder.rglob("*") if p.name in ("PWNED", "x", "--option")]
        and not (ROOT / "PWNED").exists()
    )


def settings_of(script: str, printed: str) -> list[dict]:
    """Read the printed commands of a script as a shell does; return what each hands to --settings."""
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
    printed = trap.snakemake("-n", "-p")
    tables = {settings["name"]: settings for settings in settings_of("render_table", printed)}
    assert tables["rcl_table4"]["title"] == tables["rcl_table4"]["note"] == EVIL
    assert [settings["folder"] for settings in settings_of("download_model", printed)] == [
        str(trap.base)
    ]
    assert no_trace(trap.folder.parent)


@pytest.mark.dag
def test_stages_run_with_such_names_and_nothing_of_them_is_executed(trap):
    trap.snakemake(
        "--cores",
        "2",
        "results/corpora/wiki1m/record.json",
        "results/tokens/tiny/stackfaq-0/record.json",
    )
    assert (trap.folder / "results/tokens/tiny/stackfaq-0/tokens.arrow").stat().st_size > 0
    bank = json.loads((trap.folder / "results/faq/stackfaq/record.json").read_text())
    assert str(trap.bank) in input_digests(bank)
    assert no_trace(trap.folder.parent)
