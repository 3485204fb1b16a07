"""The thorough config of an own FAQ: a grid of trainings with 5 seeds, RCL and its control.

It is the quick config with more to choose from; the choice and its verdict are those of the quick one.
"""

from typing import Any

from semblance_faq.commands.config import (
    BANK,
    TUNED,
    OwnFaq,
    quick_config,
    rankings_of,
    vectors_way,
)

SEEDS = [1, 2, 3, 4, 5]  # [RCL Table 2: 5 random runs]
PHIS = [0.01, 0.02, 0.03, 0.04]  # of RCL's 8 regulators [RCL App. A.1.1]
PARTS = (1, 2, 4)  # how many of these φ a training has: nested sets, as in the paper's grid
KINDS = {32: "entropy-batch32", 64: "entropy"}  # batch size -> the entropy models that have it, too
FEWEST_BATCHES = 2  # of an epoch, for a batch size to be tried
FEWEST_MINED = 16  # rows of a fold: a batch cannot hold a row and the one whose answer it has
HARD = "tuned-hard"
RCL = "rcl"


def thorough_config(known: dict, bases: dict, own: OwnFaq) -> dict[str, Any]:
    """Return the config to lay over ``known``, which is config.yaml; ``bases`` are added to its own."""
    config = quick_config(known, bases, own)
    added = trainings(own)
    ways = []
    for name in list(added):
        hybrid = name in (HARD, RCL)
        added |= rankings_of(own, name, added[name]["label"], hybrid)
        ways += [vectors_way(own, name), *([f"{name}-hybrid"] if hybrid else [])]
    tried = [*config["answerers"][BANK]["methods"], *ways]
    table = config["tables"][BANK]
    [row] = table["rows"]
    rows = [{**row, "methods": [*row["methods"], *ways]}]
    return {
        **config,
        "seeds": {**config["seeds"], BANK: SEEDS},
        "methods": {**config["methods"], **added},
        "tables": {**config["tables"], BANK: {**table, "rows": rows}},
        "answerers": {BANK: {**config["answerers"][BANK], "methods": tried}},
    }


def trainings(own: OwnFaq) -> dict[str, dict]:
    """Return the trainings that are tried besides the quick one, by name."""
    found = {}
    if rows_of_fold(own) >= FEWEST_MINED:
        found[HARD] = {**TUNED, "label": "Tuned, hard negatives", "mined_negatives": True}
    found |= {
        "tuned-dropout-0.2": {
            **TUNED,
            "label": "Tuned, attention dropout 0.2",
            "dropout": {"attention": 0.2},
        },
        "tuned-drophead-0.1": {
            **TUNED,
            "label": "Tuned, DropHead 0.1",
            "dropout": {"attention": 0.0, "drophead": 0.1},
        },
    }
    for size in batch_sizes(own):
        if size != TUNED["on_faq"]["batch_size"]:
            found[f"tuned-batch-{size}"] = {
                **TUNED,
                "label": f"Tuned, batch {size}",
                "on_faq": {**TUNED["on_faq"], "batch_size": size},
            }
        for parts in PARTS:
            name, method = _rcl(parts, size)
            found[name] = method
    return found


def batch_sizes(own: OwnFaq) -> list[int]:
    """Return the batch sizes to try: the quick one, and the paper's other one if a fold can fill it."""
    quick = TUNED["on_faq"]["batch_size"]
    rows = rows_of_fold(own)
    entries = own.entries  # about how many a fold trains on; one stands only once in a batch
    if not own.holds_out_wordings:
        entries = entries * 3 // 5
    fits = {size: rows >= FEWEST_BATCHES * size and entries >= size for size in KINDS}
    return [size for size in KINDS if size == quick or fits[size]]


def rows_of_fold(own: OwnFaq) -> int:
    """Return about how many rows a fold trains on: 3 of its 5 parts, a wording with two rows."""
    if own.holds_out_wordings:
        return own.entries + 2 * own.wordings * 3 // 5
    return (own.entries + 2 * own.wordings) * 3 // 5


def _rcl(parts: int, size: int) -> tuple[str, dict[str, Any]]:
    """Return the name of an RCL training and the training.

    RCL alone is the paper's, at the quick batch size. Each entropy model gives two regulators
    [RCL Eq. 3].
    """
    name = RCL
    label = f"RCL, {2 * parts} regulators"
    if parts != len(PHIS):
        name += f"-of-{2 * parts}"
    if size != TUNED["on_faq"]["batch_size"]:
        name += f"-batch-{size}"
        label += f", batch {size}"
    return name, {
        **TUNED,
        "label": label,
        "loss": "regulators",
        "regulators": {"kind": KINDS[size], "phis": PHIS[:parts]},
        "on_faq": {**TUNED["on_faq"], "batch_size": size},
    }
