"""What the command line of snakemake asks for, its profiles included."""

import contextlib
import io
import re
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass

from snakemake.cli import get_argument_parser, parse_args

# Each of these makes snakemake print, list or clean something; then it starts no job.
STARTS_NOTHING = (
    "archive",
    "cleanup_metadata",
    "cleanup_shadow",
    "conda_cleanup_envs",
    "conda_create_envs_only",
    "container_cleanup_images",
    "containerize",
    "d3dag",
    "dag",
    "delete_all_output",
    "delete_temp_output",
    "detailed_summary",
    "dryrun",
    "filegraph",
    "generate_unit_tests",
    "lint",
    "list_changes",
    "list_conda_envs",
    "list_input_changes",
    "list_params_changes",
    "list_rules",
    "list_target_rules",
    "list_untracked",
    "print_compilation",
    "rulegraph",
    "summary",
    "unlock",
)
# These look at the rules alone; all else writes notes below .snakemake, a dry run too.
WRITES_NOTHING = ("lint", "list_rules", "list_target_rules", "print_compilation")
NAME = re.compile(r"[A-Za-z0-9_.-]+")  # of a partition


@dataclass(frozen=True)
class Command:
    """A command line of snakemake.

    ``writes_notes``: whether snakemake will write below .snakemake in its working folder.
    ``partitions`` are those of Slurm that it names, as far as they are no expressions. ``programs``
    are those of Slurm that the executor will call.
    """

    starts_jobs: bool
    writes_notes: bool = False
    on_slurm: bool = False
    partitions: frozenset[str] = frozenset()
    programs: tuple[str, ...] = ()


def read(arguments: list[str]) -> Command:
    """Return what ``arguments`` ask for; of arguments that are not snakemake's, that no job starts."""
    options = _options(arguments)
    if options is None:
        return Command(starts_jobs=False)
    report_only = options.reporter or (options.report and not options.report_after_run)
    looks = any(getattr(options, name, None) for name in STARTS_NOTHING)
    return Command(
        starts_jobs=not (looks or report_only),
        writes_notes=not any(getattr(options, name, None) for name in WRITES_NOTHING),
        on_slurm=options.executor == "slurm",
        partitions=frozenset(_partitions(options)),
        programs=tuple(_programs(options)),
    )


def _options(arguments: list[str]) -> Namespace | None:
    """Return snakemake's options; without the profiles if they are not found from here."""
    with contextlib.redirect_stderr(io.StringIO()):  # snakemake has told of its profiles
        for parse in (_parse_with_profiles, _parse_without_profiles):
            with contextlib.suppress(SystemExit, Exception):
                return parse(arguments)
    return None  # another program has loaded the Snakefile


def _parse_with_profiles(arguments: list[str]) -> Namespace:
    _, options = parse_args(arguments)
    return options


def _parse_without_profiles(arguments: list[str]) -> Namespace:
    # With --directory, the working directory is no longer the one that profiles are relative to.
    return get_argument_parser().parse_args(arguments)


def _resources(options: Namespace, *names: str) -> Iterator[str]:
    """Yield the values of resources that the options give to all rules or to one."""
    sets = [options.default_resources or {}, *(options.set_resources or {}).values()]
    for resources in sets:
        for name in names:
            if name in resources:
                yield str(resources[name].raw).strip("'\"")


def _partitions(options: Namespace) -> Iterator[str]:
    """Yield the partitions of this cluster that are named, and no expression that makes a name."""
    if any(_resources(options, "cluster", "clusters", "slurm_cluster")):
        return  # they may be those of another cluster
    for value in _resources(options, "slurm_partition"):
        names = value.split(",")
        if all(NAME.fullmatch(name) for name in names):
            yield from names


def _programs(options: Namespace) -> Iterator[str]:
    yield from ("sbatch", "squeue", "scancel", "sinfo")
    # Without a value, the executor's options hold a placeholder that counts as true.
    if any(_resources(options, "slurm_account")):
        yield "sacctmgr"  # the executor asks it whether the account exists
    elif getattr(options, "slurm_no_account", None) is not True:
        yield "sacct"  # the executor takes the account of the last job
    if getattr(options, "slurm_status_command", None) == "sacct":
        yield "sacct"
