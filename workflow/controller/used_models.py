"""The second copies of models that Snakemake deletes after their use (``keep.models: final``).

A finished training keeps its outputs a second time, for a controller that dies before it notes the
job's end (``training.keeping.finished``). Once the weights are used and deleted, nobody needs that
copy, and it would hold the room on the disk.
"""

import shutil
import time
from pathlib import Path
from threading import Thread

from semblance import layout
from workflow.planning.plan import deletes_models

LOOK = 10.0  # seconds between two looks
COPIES = "checkpoints"  # beside the record of a training


def remove_copies(config: dict) -> None:
    """Remove the copies of the models of a run whose weights are gone and whose records are there."""
    if not deletes_models(config):
        return
    for record in Path(config["output"]).glob(f"{layout.pattern(layout.MODEL)}/{layout.RECORD}"):
        copies = record.parent / COPIES
        if copies.is_dir() and not (record.parent / layout.WEIGHTS).exists() and record.exists():
            shutil.rmtree(copies, ignore_errors=True)


def watch(config: dict) -> Thread:
    """Remove such copies from now on, until this process ends."""
    thread = Thread(target=_keep_removing, args=(config,), daemon=True)
    if deletes_models(config):
        thread.start()
    return thread


def _keep_removing(config: dict) -> None:
    while True:
        time.sleep(LOOK)
        remove_copies(config)
