"""Doubt a loss that somebody kept: train further seeds of both sides, and judge all of them anew.

ENTRY is the folder of a `semblance try`, or what `semblance keep` made of it, with the ledger and the
losses beside. The entry and the doubt stand in your ledger, on your budget. A word that ended a try
stays; that of a doubt is of all seeds as they are now, so that it may fall back to OPEN.

Exit status 0: the trainings are done, whatever they show. 2: nothing in the folder can be doubted.
"""

import argparse
import contextlib
import dataclasses
import importlib
import sys
from pathlib import Path

from semblance import layout
from semblance.errors import InputError
from semblance.files import copy_file, write_text
from semblance.locks import exclusive, name_for
from semblance.named_modules import OWN_LOSS
from semblance.provenance import read_object
from semblance.reporting.ledger import Ledger, Look
from semblance.strict_yaml import as_yaml
from workflow.run.costs import estimates
from workflow.scripts import cli

trying = importlib.import_module("workflow.scripts.try")  # `try` is a word of Python


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance doubt", __doc__)
    flags.add_argument("entry", type=Path, metavar="ENTRY", help="the folder of a kept try")
    flags.add_argument("--seeds", type=int, default=5, metavar="N", help="further ones; default: 5")
    trying.add_run(flags, "default: doubt-LOSS")
    return flags


def main(argv: list[str] | None = None) -> None:
    """Find the kept try, train further seeds, judge all, and print what is shown."""
    args = parser().parse_args(argv)
    kept = kept_look(args.entry)
    before = len(kept.scores)
    args.seeds += before
    if args.seeds not in trying.SEEDS:
        raise InputError("--seeds", f"{args.seeds} in all are more than {trying.SEEDS[-1]}")
    with contextlib.ExitStack() as held:
        one = prepare(kept, args, held)
        cost = estimates(one.layers)
        if one.budget(cost.plan) != kept.budget:
            problem = f"{kept.control} has other settings here than in the entry"
            raise InputError(one.layers[0], problem, "doubt it with the config of that try")
        if one.digest(cost.plan) != kept.digest:
            print("note: the code here is not that of the entry", file=sys.stderr)
        look = trying.looked(one, cost, kept, args)
        place = trying.ledger_of(args)
        if kept.digest not in Ledger(place).tries(kept.budget):
            trying.written(kept, one, place)
        trying.show(trying.written(dataclasses.replace(look, doubted=before), one, place), args)


def kept_look(folder: Path) -> Look:
    """Return the last look in the ledger of a folder at a try that is kept."""
    looks = [
        look for look in Ledger(folder / trying.LEDGER).looks if look.verdict["word"] == "KEEP"
    ]
    if not looks:
        raise InputError(folder / trying.LEDGER, "no try is kept there", "name the folder of one")
    return looks[-1]


def prepare(kept: Look, args: argparse.Namespace, held: contextlib.ExitStack) -> trying.Try:
    """Write the config of the run: that of the entry, with further seeds and a copy of its loss."""
    places = [args.entry / "config.json", Path(layout.place(args.entry, layout.CONFIG))]
    config = next((place for place in places if place.is_file()), places[0])
    output = (args.output or f"doubt-{kept.loss}").rstrip("/")
    held.enter_context(exclusive(output, name_for(trying.LEDGER)))
    method, corpus, base = (kept.settings[key] for key in ("method", "corpus", "base"))
    row = {"corpora": [corpus], "bases": [base], "methods": ["start", kept.control, method]}
    methods = read_object(config).get("methods", {})
    layer = {
        "output": output,
        "seeds": {trying.TABLE: list(range(1, args.seeds + 1))},
        "tables": {trying.TABLE: {"rows": [row]}},
        # The folder's config is that of its last try.
        "methods": {name: None for name, each in methods.items() if each.get("loss") == OWN_LOSS},
    }
    if args.mirror:
        layer["mirror"] = args.mirror
    if own := kept.settings.get("own", {}):
        copy = f"{output}/losses/{method}.py"
        copy_file(args.entry / f"losses/{method}.py", Path(copy))
        layer["methods"][method] = own | {"options": own["options"] | {"file": copy}}
    path = Path(f"{output}.yaml")
    write_text(path, trying.HEADER + as_yaml(layer))
    layers = [str(config), str(path)]
    return trying.Try(kept.loss, method, kept.control, corpus, base, output, layers, own)
