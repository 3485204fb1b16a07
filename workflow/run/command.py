"""The command line of snakemake: what it asks for, its profiles included, and how it is run."""

import contextlib
import io
import re
import subprocess
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from snakemake.cli import get_argument_parser, get_profile_dir, parse_args
from snakemake.settings.types import Batch

from semblance.errors import InputError
from semblance.provenance import ROOT

# Each of these makes snakemake print, list or clean something; then it starts no job.
STARTS_NOTHING = """
    archive cleanup_metadata cleanup_shadow conda_cleanup_envs conda_create_envs_only
    container_cleanup_images containerize d3dag dag delete_all_output delete_temp_output
    detailed_summary dryrun filegraph generate_unit_tests lint list_changes list_conda_envs
    list_input_changes list_params_changes list_rules list_target_rules list_untracked
    print_compilation rulegraph summary unlock
""".split()
# These ask snakemake for its own lines.
OF_PRINTING = ("debug_dag", "printshellcmds", "verbose")
# These name a part of the run.
OF_PARTS = ("allowed_rules", "batch", "omit_from", "until")
# These name rules, beside files; of most of them snakemake takes any name.
OF_RULES = """
    allowed_rules batch cache consider_ancient forcerun groups omit_from preemptible_rules
    prioritize set_resources set_threads until
""".split()
HERE = (None, "local", "dryrun", "touch")  # executors that run jobs on this machine, or none
INTERRUPTED = 130  # exit status after Ctrl-C
NAME = re.compile(r"[A-Za-z0-9_.-]+")  # of a partition
ELSEWHERE = "(of another cluster)"  # in the place of a partition that is not known here


@dataclass(frozen=True)
class Command:
    """A command line of snakemake; ``by_program``: another program has loaded the Snakefile."""

    starts_jobs: bool
    by_program: bool = False  # what it will start is known only when it does
    plans_jobs: bool = False  # as a dry run does, too
    makes_all: bool = False  # it starts jobs, and names no part of the run
    dry_run: bool = False
    lists_jobs: bool = False  # it says itself what snakemake prints
    touches: bool = False  # it calls results current as they are
    submits: bool = False  # its jobs run elsewhere, by a scheduler
    on_slurm: bool = False
    # Of Slurm, of a rule; and of the rules that name none ("").
    partitions: Mapping[str, str] = field(default_factory=dict)
    programs: tuple[str, ...] = ()  # of Slurm, that the executor will call
    rules: tuple[tuple[str, str], ...] = ()  # each option that names one, and the name
    lost: tuple[str, ...] = ()  # options that stand twice, so that what stood first is lost

    def named_partitions(self) -> set[str]:
        """Return the partitions that are named, without the expressions that make a name."""
        values = [value.split(",") for value in self.partitions.values()]
        return {name for names in values if all(map(NAME.fullmatch, names)) for name in names}

    def partitions_of(self, rule: str) -> str:
        """Return the partitions of a rule, ``a,b``, as they are given; empty where none is."""
        return self.partitions.get(rule, self.partitions.get("", ""))


class _Twice(Namespace):
    """Options, and which of them stood twice with several values, of which the first are lost."""

    def __init__(self) -> None:
        self.__dict__["lost"] = []
        self.__dict__["times"] = Counter()

    def __setattr__(self, name: str, value: object) -> None:
        before = self.__dict__.get(name)
        self.times[name] += 1  # the first is the default
        if self.times[name] > 2 and not set(_several(before)) <= set(_several(value)):
            self.lost.append(name)
        super().__setattr__(name, value)


def _several(value: object) -> list[object]:
    """Return the several values of an option, as texts; none of one that has a single value."""
    if not isinstance(value, Collection) or isinstance(value, str):
        return []
    return list(map(str, value.items() if hasattr(value, "items") else value))


def program() -> str:
    """Return the name of this process's program; ``python -m snakemake`` is snakemake, too."""
    path = Path(sys.argv[0])
    return path.parent.name if path.name == "__main__.py" else path.name


def of_process() -> Command:
    """Return what this process was started for; the arguments of another program are its own."""
    if program() == "snakemake":
        return read(sys.argv[1:])
    return Command(starts_jobs=False, by_program=True)


def read(arguments: list[str]) -> Command:
    """Return what ``arguments`` ask for; of arguments that are not snakemake's, that no job starts."""
    options = _options(arguments)
    if options is None:
        return Command(starts_jobs=False)
    own = _options(arguments, profiles=False)
    report_only = options.reporter or (options.report and not options.report_after_run)
    looks = [name for name in STARTS_NOTHING if getattr(options, name, None)]
    starts_jobs = not (looks or report_only)
    named = [getattr(options, name, None) for name in OF_PARTS]
    is_whole = not any(named) and (not options.targets or "all" in options.targets)
    return Command(
        starts_jobs=starts_jobs,
        makes_all=starts_jobs and is_whole and not options.touch,
        plans_jobs=starts_jobs or options.dryrun,
        dry_run=looks == ["dryrun"] and not report_only,
        # By the command line itself, without its profiles.
        lists_jobs=own is None
        or any(getattr(own, name) for name in OF_PRINTING)
        or (own.dryrun and own.quiet is not None),  # asks for fewer lines of them
        touches=bool(options.touch),
        submits=options.executor not in HERE,
        on_slurm=options.executor == "slurm",
        partitions=_partitions(options),
        programs=tuple(_programs(options)),
        rules=tuple(_rules(options, own)),
        lost=() if own is None else tuple(own.lost),
    )


def run(arguments: list[str]) -> int:
    """Run ``snakemake ARGUMENTS``; return its exit status, or 130 if Ctrl-C ended it."""
    process = subprocess.Popen([sys.executable, "-P", "-m", "snakemake", *arguments])
    interrupted = False
    while True:
        try:
            status = process.wait()
            return INTERRUPTED if interrupted else status
        except KeyboardInterrupt:  # snakemake got it too, and says what it has saved
            interrupted = True


def of_profile(profile: str) -> Command:
    """Return what a start with a profile asks for: one that snakemake finds, or the project's."""
    for place in (profile, str(ROOT / profile)):
        if get_profile_dir(place):
            return read(["--cores", "1", "--profile", place])
    raise InputError("--profile", f"there is no profile {profile}", "name its folder")


def _options(arguments: list[str], profiles: bool = True) -> Namespace | None:
    """Return snakemake's options; without the profiles also if they are not found from here.

    None for arguments that are not snakemake's: another program has loaded the Snakefile.
    """
    with contextlib.redirect_stderr(io.StringIO()):  # snakemake has named its profiles
        if profiles:
            with contextlib.suppress(SystemExit, Exception):
                return parse_args(arguments)[1]
        with contextlib.suppress(SystemExit):
            return get_argument_parser().parse_args(arguments, namespace=_Twice())
    return None


def _rules(options: Namespace, own: Namespace | None) -> Iterator[tuple[str, str]]:
    """Yield each name of a rule, and the option that has it; a path is no rule."""
    for option in OF_RULES:
        typed = _names(own, option) if own is not None else []
        for name in _names(options, option):
            if "/" not in name:
                source = "" if name in typed else " of the profile"
                yield f"--{option.replace('_', '-')}{source}", name


def _names(options: Namespace, option: str) -> list[str]:
    value = getattr(options, option, None) or ()
    return [value.rulename] if isinstance(value, Batch) else [str(name) for name in value]


def _resources(options: Namespace, *names: str) -> Iterator[tuple[str, str]]:
    """Yield the rule, or "" for all, and the value of resources that the options give."""
    given = {"": options.default_resources or {}} | (options.set_resources or {})
    for rule, resources in given.items():
        for name in names:
            if name in resources:
                yield rule, str(resources[name].raw).strip("'\"")


def _partitions(options: Namespace) -> dict[str, str]:
    """Return the partitions of each rule that names some, if they are this cluster's."""
    if any(_resources(options, "cluster", "clusters", "slurm_cluster")):
        return {"": ELSEWHERE}
    return dict(_resources(options, "slurm_partition"))


def _programs(options: Namespace) -> Iterator[str]:
    yield from ("sbatch", "squeue", "scancel", "sinfo")
    names_account = any(_resources(options, "slurm_account"))
    # Without a value, the executor's options hold a placeholder that counts as true.
    if not names_account and getattr(options, "slurm_no_account", None) is not True:
        yield "sacct"  # the executor takes the account of the last job
