"""Write a model card and results in MTEB's form beside the weights of each trained model of a run.

The files lie in the model's own folder. No record of a training lists them: they hold scores, which
come after it. The record of this stage lists them.
"""

import time
from pathlib import Path

from semblance import layout
from semblance.audit.chain import Chain
from semblance.cards.writing import CardSettings, card_facts, models_of, write_card
from semblance.provenance import checked, named_beside, write_record
from semblance.reporting.scores import read_scores
from workflow.scripts.endings import run
from workflow.scripts.program import program


@program(__doc__)
def main(settings: CardSettings, results: str, record: Path, code: str = "") -> None:
    started = time.monotonic()
    scores = layout.place(results, layout.ALL_SCORES)
    collected = layout.place(results, layout.TABLE_RECORD, table=Path(scores).stem)
    read = checked(collected)
    models = list(models_of(Chain(results), read_scores(scores), settings))
    outputs = [name for model in models for name in write_card(model, settings.original)]
    digest = next(iter(read["outputs"].values()))
    write_record(
        record,
        "write_cards",
        outputs=outputs,
        started=started,
        code=code,
        inputs=named_beside(record, {scores: digest}),
        records=named_beside(record, {collected: read}),
        cards={model.place.path: card_facts(model) for model in models},
    )


if __name__ == "__main__":
    run(main)
