"""From raw NLI files to a training corpus of triples, with every count checked."""

from pathlib import Path

from semblance.data import nli
from semblance.data.corpus_rows import CorpusSettings, write_corpus_rows
from semblance.data.raw import Raw


def write_triples(raw: Raw, settings: CorpusSettings, folder: Path) -> dict[str, int]:
    """Write the NLI corpus, of ready-made triples or of SNLI and MultiNLI; return its counts."""
    rows: list[nli.Triple] = []
    pairs: list[nli.NliPair] = []
    for name in settings.datasets:
        if name in ("snli", "multinli"):
            found, unlabelled = nli.read_snli(raw.file(name))  # MultiNLI has the same format
            raw.check(name, pairs=len(found), train=len(found) + unlabelled)
            pairs += found
        else:
            found = nli.read_triples(raw.file(name))
            raw.check(name, triples=len(found))
            rows += found
    rows += nli.build_triples(pairs)
    chosen = rows[: settings.limit]
    return write_corpus_rows(folder, [(t.query, t.positive, t.negative) for t in chosen])
