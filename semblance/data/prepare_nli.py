"""From raw NLI files to a training corpus of triples, with every count checked."""

from pathlib import Path

from semblance.data import nli
from semblance.data.corpus_rows import CorpusSettings, write_corpus_rows
from semblance.data.labelled import READERS, check_neutral
from semblance.data.pair import UNLABELLED
from semblance.data.raw import Raw


def write_triples(raw: Raw, settings: CorpusSettings, folder: Path) -> dict[str, int]:
    """Write the NLI corpus, of ready-made triples and of labelled pairs; return its counts.

    With ``neutral`` a row has a fourth sentence, which is neutral to the premise; ready-made triples
    have none and raise InputError.
    """
    if settings.neutral:
        check_neutral(settings.datasets, "settings.neutral")
    rows: list[tuple[str, ...]] = []
    pairs: list[nli.NliPair] = []
    for name in settings.datasets:
        if name in READERS:
            pairs += _read_labelled(raw, name)
        else:
            found = nli.read_triples(raw.file(name))
            raw.check(name, triples=len(found))
            rows += [(t.query, t.positive, t.negative) for t in found]
    others = ("contradiction",)
    if settings.neutral:
        others = ("contradiction", "neutral")
    rows += nli.build_rows(pairs, others)
    return write_corpus_rows(folder, rows[: settings.limit], len(others))


def _read_labelled(raw: Raw, name: str) -> list[nli.NliPair]:
    """Return the pairs of a data set that have a label, and check how many there are."""
    pairs = [pair for path in raw.files(name) for pair in READERS[name](path)]
    labelled = [pair for pair in pairs if pair.label != UNLABELLED]
    raw.check(name, pairs=len(labelled), train=len(pairs))
    return labelled
