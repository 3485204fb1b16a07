"""The STS tests and the dev set of a config: data sets of the manifest, and a user's own pairs."""

from collections.abc import Iterable
from typing import Any

from semblance.errors import InputError
from semblance.names import (
    RELATEDNESS_DATASETS,
    STS_DEV,
    STS_TASKS,
    TRAINING,
    TRANSFER_TASKS,
)
from semblance.reporting.layouts import AVERAGE, find_layout

WITH_DEV = RELATEDNESS_DATASETS  # those of the manifest that are released with dev pairs
# A user's own set is a task of this name, and no two tasks may share one.
TAKEN = {*STS_TASKS, STS_DEV, *WITH_DEV, *TRANSFER_TASKS, TRAINING, AVERAGE}


def own_sets(config: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the user's own sets of pairs by name; none of a config without them."""
    return config["sts"].get("own", {})


def of_manifest(config: dict[str, Any], names: Iterable[str]) -> list[str]:
    """Return those names that are data sets of the manifest."""
    own = own_sets(config)
    return [name for name in names if name not in own]


def own_paths(config: dict[str, Any], names: Iterable[str]) -> dict[str, str]:
    """Return the path of each of the names that is a user's own set."""
    own = own_sets(config)
    return {name: own[name]["path"] for name in names if name in own}


def scored_sets(config: dict[str, Any], stage: str) -> list[str]:
    """Return the names of all sets that ``prepare_sts`` or ``prepare_dev`` reads."""
    if stage == "prepare_dev":
        return [config["sts"]["dev"]]
    return config["sts"]["datasets"]


def tests(config: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of ``prepare_sts``: the test sets and their protocol."""
    sts = config["sts"]
    settings = {"datasets": sts["datasets"], "protocol": sts["protocol"]}
    own = {name: entry for name, entry in own_sets(config).items() if name in sts["datasets"]}
    if own:
        settings["own"] = own
    return settings


def dev(config: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of ``prepare_dev``: a new test set leaves them as they are."""
    sts = config["sts"]
    settings = {"dataset": sts["dev"], "protocol": sts["protocol"]}
    if sts["dev"] in own_sets(config):
        settings["own"] = own_sets(config)[sts["dev"]]
    return settings


def check_sts(config: dict[str, Any]) -> None:
    """Raise InputError, at the key, for a dev set that is none."""
    sts = config["sts"]
    known = [*WITH_DEV, *own_sets(config)]
    if sts["dev"] not in known:
        problem = f"{sts['dev']!r} has no dev pairs"
        raise InputError("config.sts.dev", problem, f"choose one of {', '.join(known)}")


def check_own(config: dict[str, Any], name: str) -> None:
    """Raise InputError, at the key, for a set of a user's own that cannot be meant."""
    sts = config["sts"]
    where = f"config.sts.own.{name}"
    if name in TAKEN or name in config["faq"]["banks"]:
        raise InputError(where, "another task has this name", "choose another")
    is_test = name in sts["datasets"]
    is_dev = name == sts["dev"]
    if is_test and is_dev:
        problem = "is the dev set and a test set: the test would choose its own model"
        raise InputError(where, problem, "write two files")
    if not is_test and not is_dev:
        raise InputError(where, "has no effect", "name it in sts.datasets or in sts.dev")


def check_tasks(config: dict[str, Any], name: str, table: dict[str, Any]) -> None:
    """Raise InputError for a table whose own list of tasks it cannot show."""
    where = f"config.tables.{name}.tasks"
    layout = find_layout(table["layout"])
    if layout.over_folds or layout.tasks is not None:
        raise InputError(where, "has no effect here", f"layout {layout.name} has tasks of its own")
    known = [*STS_TASKS, *(n for n in config["sts"]["datasets"] if n not in WITH_DEV)]
    for task in table["tasks"]:
        if task not in known:
            problem = f"there is no task {task!r}"
            raise InputError(where, problem, f"known are {', '.join(dict.fromkeys(known))}")
