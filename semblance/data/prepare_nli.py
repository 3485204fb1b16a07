"""From raw NLI files to a training corpus of triples, with every count checked."""

from collections.abc import Callable, Iterable
from pathlib import Path

from semblance.data import anli, nli
from semblance.data.corpus_rows import CorpusSettings, write_corpus_rows
from semblance.data.pair import UNLABELLED
from semblance.data.raw import Raw

LABELLED: dict[str, Callable[[Path], Iterable[nli.NliPair]]] = {  # data sets of labelled pairs
    "snli": nli.labelled_pairs,
    "multinli": nli.labelled_pairs,  # the same format
    "anli": anli.read_anli,
    "nli-pairs-sample": nli.read_table,
}


def write_triples(raw: Raw, settings: CorpusSettings, folder: Path) -> dict[str, int]:
    """Write the NLI corpus, of ready-made triples and of labelled pairs; return its counts."""
    rows: list[nli.Triple] = []
    pairs: list[nli.NliPair] = []
    for name in settings.datasets:
        if name in LABELLED:
            pairs += _read_labelled(raw, name)
        else:
            found = nli.read_triples(raw.file(name))
            raw.check(name, triples=len(found))
            rows += found
    rows += nli.build_triples(pairs)
    chosen = rows[: settings.limit]
    return write_corpus_rows(folder, [(t.query, t.positive, t.negative) for t in chosen])


def _read_labelled(raw: Raw, name: str) -> list[nli.NliPair]:
    """Return the pairs of a data set that have a label, and check how many there are."""
    pairs = [pair for path in raw.files(name) for pair in LABELLED[name](path)]
    labelled = [pair for pair in pairs if pair.label != UNLABELLED]
    raw.check(name, pairs=len(labelled), train=len(pairs))
    return labelled
