"""What the folds of a bank say of a model that was trained on the whole bank."""

from collections.abc import Iterator

from semblance import layout
from semblance.cards.origin import Records
from semblance.cards.scores import Place
from semblance.cards.text import plain


def fold_lines(place: Place, weights: str, records: Records) -> list[str]:
    """Return one line for each answerer that holds a model, known by its weights' digest."""
    found = []
    for path in sorted(records.root.glob(f"{layout.pattern(layout.ANSWERER)}/{layout.RECORD}")):
        if records.is_readable(path):
            found += _lines(records.read(path), place, weights)
    return found


def _lines(record: dict, place: Place, weights: str) -> Iterator[str]:
    made = record.get("answerer", {})
    evidence = record.get("evidence", {})
    if record["outputs"].get(layout.WEIGHTS) != weights or not {"low", "high"} <= evidence.keys():
        return
    if (layout.whole_corpus(made["bank"]), made["base"]) != (place.corpus, place.base):
        return
    score, low, high = (100 * evidence[name] for name in ("score", "low", "high"))
    yield (
        f"This model was trained on the whole bank, so no question is left to test it. Its way to"
        f" answer, chosen for the answerer {plain(made['name'])}, was tested on the folds of the bank: MAP"
        f" {score:.2f} (95 % interval {low:.2f} to {high:.2f}), protocol {plain(made['protocol'])},"
        f" {evidence['questions']} questions, chosen in each fold by other questions (nested)."
    )
