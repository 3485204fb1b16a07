"""What a command line of snakemake asks for, with the profiles of this project."""

import pytest
from snakemake.cli import get_argument_parser

from semblance.provenance import ROOT
from workflow.run import command


@pytest.fixture(autouse=True)
def root(monkeypatch):
    monkeypatch.chdir(ROOT)


WHOLE = {"starts_jobs", "makes_all"}
ASKED = {  # a command line, and what it asks for
    "--cores all --profile slurm": WHOLE,
    "-c2 --nolock": WHOLE,
    "-c1 all results/models/m": WHOLE,
    "--cores 1 --quiet": WHOLE,  # the display of a run is short itself
    "-c1 -- results/tables/t.csv": {"starts_jobs"},
    "-c1 --until train": {"starts_jobs"},
    "-c1 --omit-from train": {"starts_jobs"},
    "-c1 --batch all=1/2": {"starts_jobs"},
    "-c1 --touch": {"starts_jobs"},
    "-n": {"dry_run"},
    "--dryrun --cores 1 --profile slurm": {"dry_run"},
    "-np": {"dry_run", "lists_jobs"},
    "-n --quiet rules": {"dry_run", "lists_jobs"},
    "-n --verbose": {"dry_run", "lists_jobs"},
    "-n --delete-all-output": set(),  # it says what it would delete
    "--list-rules": set(),
    "--lint": set(),
    "--summary": set(),
    "--unlock": set(),
    "--report page.html": set(),
}


@pytest.mark.parametrize("line", ASKED)
def test_a_command_line_starts_jobs_of_all_or_of_a_part_or_shows_them(line, capsys):
    asked = command.read(line.split())
    facts = ("starts_jobs", "makes_all", "dry_run", "lists_jobs")
    assert {fact for fact in facts if getattr(asked, fact)} == ASKED[line]
    assert capsys.readouterr().err == ""


def test_another_programs_arguments_start_no_job():
    assert command.read(["--no-such-option"]) == command.Command(starts_jobs=False)


def test_a_profile_that_is_not_found_from_here_hides_no_start(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # as --directory does
    assert command.read("-c1 --profile slurm --directory x".split()).starts_jobs
    assert not command.read("-n --profile slurm --directory x".split()).starts_jobs


def test_each_name_of_an_option_is_snakemakes():
    known = vars(get_argument_parser().parse_args([]))
    names = {*command.STARTS_NOTHING, *command.OF_PRINTING, *command.OF_PARTS, *command.OF_RULES}
    assert names <= set(known)


def test_each_option_whose_help_names_rules_is_checked():
    actions = get_argument_parser()._actions
    of_rules = {a.dest for a in actions if str(a.metavar).startswith("RULE")}
    of_rules |= {a.dest for a in actions if str(a.metavar) == "TARGET" and a.nargs}
    assert len(of_rules) > 5 and of_rules <= set(command.OF_RULES)


RULES = {
    "--omit-from a results/b": [("--omit-from", "a")],
    "--batch a=1/3": [("--batch", "a")],
    "--set-threads a=1 b=2": [("--set-threads", "a"), ("--set-threads", "b")],
    "--set-resources a:mem_mb=1": [("--set-resources", "a")],
    "--consider-ancient a=b": [("--consider-ancient", "a")],
    "--groups a=b": [("--groups", "a")],
}


@pytest.mark.parametrize("line", RULES)
def test_the_rules_that_options_name_are_known_and_paths_are_none(line):
    assert list(command.read(["-c1", *line.split()]).rules) == RULES[line]


def test_the_rules_of_a_profile_are_said_to_be_its(tmp_path):
    (tmp_path / "config.yaml").write_text("set-threads: {trian: 2}\n")
    asked = command.read(["-c1", "--profile", str(tmp_path)])
    assert asked.rules == (("--set-threads of the profile", "trian"),)


@pytest.mark.parametrize(
    "line, lost",
    [
        ("--configfile config.yaml --configfile demo/config.yaml", ("configfile",)),
        ("--config a=1 -C b=2", ("config",)),
        ("--set-threads a=1 --set-threads a=2 b=1", ("set_threads",)),
        ("--default-resources mem_mb=1 --default-resources gpu=1", ("default_resources",)),
        ("--config a=1 b=2 --configfile config.yaml", ()),
        ("--configfile config.yaml --configfile config.yaml demo/config.yaml", ()),
        ("--cores 2 --rerun-triggers mtime", ()),  # one value replaces a default, or another
    ],
)
def test_an_option_that_stands_twice_and_loses_values_is_known(line, lost):
    assert command.read(["-c1", *line.split()]).lost == lost


@pytest.mark.parametrize("path", ["/bin/snakemake", "/lib/snakemake/__main__.py", "/my/host.py"])
def test_the_arguments_of_another_program_are_its_own(monkeypatch, path):
    monkeypatch.setattr(command.sys, "argv", [path, "-n"])
    asked = command.of_process()
    assert (asked.dry_run, asked.by_program) == (("snakemake" in path), ("host" in path))


def test_the_profile_names_the_executor_and_the_partitions():
    asked = command.read("--cores all --profile slurm".split())
    assert asked.on_slurm and asked.named_partitions() == {"cpu", "gpu"}
    rules = ("train", "prepare_nli")
    assert [asked.partitions_of(rule) for rule in rules] == ["gpu", "cpu"]
    assert not command.read(["-c1"]).on_slurm


@pytest.mark.parametrize(
    "resource, partitions",
    [
        ("train:slurm_partition=a,b-2", {"cpu", "a", "b-2"}),
        ("train:slurm_partition=gpu if attempt == 1 else cpu", {"cpu"}),
        ("train:slurm_cluster=other", set()),  # whose partitions are unknown here
    ],
)
def test_partitions_that_are_no_plain_names_are_left_to_slurm(resource, partitions):
    line = ["-c1", "--profile", "slurm", "--set-resources", resource]
    asked = command.read(line)
    assert asked.named_partitions() == partitions
    assert (asked.partitions_of("train") == command.ELSEWHERE) is (not partitions)


@pytest.mark.parametrize(
    "line, program, needed",
    [
        ([], "sacct", True),  # it tells the account of the last job
        (["--slurm-no-account"], "sacct", False),
        (["--default-resources", "slurm_account=me"], "sacct", False),
        ([], "sbatch", True),
    ],
)
def test_the_programs_are_those_that_the_executor_calls(line, program, needed):
    asked = command.read(["-c1", "--profile", "slurm", *line])
    assert (program in asked.programs) is needed
