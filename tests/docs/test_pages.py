"""What the pages of the docs state: options of Slurm, exit statuses, keys of the config, numbers, code."""

import functools
import re
from operator import getitem
from types import SimpleNamespace

import pytest
import yaml
from snakemake.iocontainers import ResourceList
from snakemake_executor_plugin_slurm.submit_string import get_submit_command
from snakemake_executor_plugin_slurm.utils import set_gres_string

from tests.dag.tiny import ROOT
from workflow.checks.load import load
from workflow.config.layers import laid_over, path_of
from workflow.scripts import compare, endings


def page(name: str) -> str:
    return (ROOT / f"docs/{name}.md").read_text()


# --- cluster.md: each line of the table of sites makes the plugin ask Slurm for what it says

TABLE = page("cluster").split("| the job script has |")[1].split("\n\n")[0]
OPTIONS = re.findall(r"^\| `(--(?:g|c|q|n|e)\S+)`.*? \| (?:`(.+?)`|nothing)", TABLE, re.MULTILINE)
FACTS = "run_uuid slurm_logfile comment_str workdir account partition".split()


@pytest.mark.parametrize("option, written", OPTIONS)
def test_what_the_table_says_to_write_becomes_the_option_of_sbatch(option: str, written: str):
    asked = {"gpu": 1, "cpus_per_task": 2} | yaml.safe_load(f"{{{written}}}")
    job = SimpleNamespace(resources=ResourceList(fromdict=asked), threads=1)
    command = get_submit_command(job, dict.fromkeys(FACTS, "")) + set_gres_string(job)
    assert option in command.replace("-C ", "--constraint=").split()
    assert len(re.findall(r"--(?:gpus|gres)=", command)) == 1


# --- reliability.md and SKILL.md: the exit statuses are those with which programs end

FOUND = 1  # something wrong: the status of verify, explain, sources and fetch
STATUSES = "BAD_INPUT NO_ANSWER RUN_FAILED TRY_AGAIN INTERRUPTED CLOSED".split()


@pytest.mark.parametrize("name", ["reliability", "SKILL"])
def test_each_status_is_listed_once_and_no_other(name: str):
    section = page(name).split("# Exit statuses\n")[1].split("\n##")[0]
    listed = [int(status) for status in re.findall(r"^\| (\d+) \|", section, re.MULTILINE)]
    assert listed == [0, FOUND, *(getattr(endings, status) for status in STATUSES)]


# --- deviations.md: it names keys of the shipped config, and decisions that are described

CONFIG = load(laid_over([ROOT / "config.yaml"])).written()
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in page("deviations").splitlines()
    if line.startswith("| ") and not line.startswith(("| what", "| ---"))
]
KEYS = [
    key
    for row in ROWS
    for key in re.findall(r"`([^`]+)`", row[2])
    if key.partition(".")[0] in CONFIG and "." in key and "*" not in key
]


def test_each_line_has_six_cells_and_a_kind():
    assert len(ROWS) > 50
    assert {len(row) for row in ROWS} == {6}
    assert {row[5].split(",")[0].split()[0] for row in ROWS} == {"paper", "code", "open"}


@pytest.mark.parametrize("key", KEYS)
def test_each_key_is_in_the_shipped_config(key: str):
    name, _, stated = key.partition(": ")
    path = path_of(name, CONFIG)
    assert ".".join(map(str, path)) == name
    if stated:
        assert yaml.safe_load(stated) == functools.reduce(getitem, path, CONFIG)


def test_each_id_is_that_of_a_decision():
    ids = {i for row in ROWS for i in re.findall(r"\b[RSET]\d+\b", row[5])}
    assert len(ids) > 40
    assert ids <= set(re.findall(r"^\*\*(\w+) ·", page("decisions"), re.MULTILINE))


# --- summary.md: its numbers are those of the kept runs

DIFFERENCE = re.compile(r"([+−]?\d*\.\d+) \[(.+?), (.+?)\]")


def test_each_difference_of_the_summary_stands_among_the_verdicts_of_its_run():
    found = 0
    for line in page("summary").splitlines():
        if numbers := DIFFERENCE.search(line):
            [run] = re.findall(r"\(runs/([\w-]+)/\)", line)
            verdicts = (ROOT / "docs/runs" / run / "claims.md").read_text(encoding="utf-8")
            filled = [re.sub(r"^([+−]?)\.", r"\g<1>0.", number) for number in numbers.groups()]
            value, *ends = filled
            value = value if value[0] in "+−" else f"+{value}"
            assert f"{value} [{', '.join(ends)}]" in verdicts
            found += 1
    assert found >= 3


# --- is-it-a-gain.md: its code runs as it stands there

BLOCKS = re.findall(r"```python\n(.*?)```", page("is-it-a-gain"), re.DOTALL)


def test_values_of_each_query_of_sentence_transformers_are_compared(tmp_path, monkeypatch, capsys):
    """Six queries with one document each, found first by one model and at the ranks 1 to 6 by the other."""
    pytest.importorskip("sentence_transformers")
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    exec(next(block for block in BLOCKS if "PerQuery" in block), names)
    queries = {f"q{i}": "?" for i in range(6)}
    corpus = {f"d{j}": "!" for j in range(10)}
    for name, ranks in (("ours", [0] * 6), ("theirs", range(6))):
        relevant = {f"q{i}": {f"d{rank}"} for i, rank in enumerate(ranks)}
        evaluator = names["PerQuery"](queries, corpus, relevant, name="nano")
        hits = [[{"corpus_id": f"d{j}", "score": -j} for j in range(10)]] * 6
        whole = evaluator.compute_metrics(hits)
        assert evaluator.queries_ids == list(queries)
        lines = (tmp_path / "nano.csv").read_text().splitlines()
        (tmp_path / "nano.csv").rename(f"{name}.csv")
        values = [float(line.split(",")[-1]) for line in lines[1:]]
        assert sum(values) / 6 == pytest.approx(whole["ndcg@k"][10]) and max(values) == 1.0
    compare.main(["ours.csv", "theirs.csv"])
    gain = 100 * (1 - whole["ndcg@k"][10])
    assert f"+{gain:.2f}" in capsys.readouterr().out


@pytest.mark.parametrize("word", ["compare", "try"])
def test_the_keys_that_a_program_reads_are_those_that_skill_lists(word):
    code = next(block for block in BLOCKS if f'"{word}"' in block)
    line = next(line for line in page("SKILL").splitlines() if f"`semblance {word}" in line)
    for key in re.findall(r"\[[\"'](\w+)[\"']\]", code):
        assert f"`{key}`" in line
