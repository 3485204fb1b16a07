"""Write a model card and results in MTEB's form beside the weights of each trained model of a run.

The files lie in the model's own folder. No record of a training lists them: they hold scores, which
come after it. The record of this stage lists them.
"""

import argparse
import time
from pathlib import Path

from semblance import layout
from semblance.audit.chain import Chain
from semblance.cards.writing import CardSettings, card_facts, models_of, write_card
from semblance.provenance import checked, named_beside, write_record
from semblance.reporting.scores import read_scores
from semblance.settings import decode_json
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", required=True, help="JSON: the data sets and their licences")
    parser.add_argument("--results", required=True, help="the results folder")
    parser.add_argument("--code", default="", help="digest of the code, for the record")
    parser.add_argument("--record", required=True, type=Path, help="the record to write")
    args = parser.parse_args(argv)
    started = time.monotonic()
    settings = decode_json(CardSettings, args.settings)
    scores = layout.place(args.results, layout.ALL_SCORES)
    collected = layout.place(args.results, layout.TABLE_RECORD, table=Path(scores).stem)
    read = checked(collected)
    models = list(models_of(Chain(args.results), read_scores(scores), settings))
    outputs = [name for model in models for name in write_card(model, settings.original)]
    digest = next(iter(read["outputs"].values()))
    write_record(
        args.record,
        "write_cards",
        outputs=outputs,
        started=started,
        code=args.code,
        inputs=named_beside(args.record, {scores: digest}),
        records=named_beside(args.record, {collected: read}),
        cards={model.place.path: card_facts(model) for model in models},
    )


if __name__ == "__main__":
    run(main)
