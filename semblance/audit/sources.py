"""Where the records lie that an input of a record comes from, by the stage and the input's name."""

import glob
from pathlib import Path
from typing import Any

from semblance import layout, names
from semblance.layout import RECORD

BASE = f"{{downloads}}/{layout.BASE}/{RECORD}"
BASE_OF_ANY = BASE.replace("{base}", "*")
CORPUS = f"{{root}}/{layout.CORPUS}/{RECORD}"
NEGATIVES = f"{{root}}/{layout.NEGATIVES}/{RECORD}"
# A base may be trained on another corpus than the method that starts from it.
PRETRAINED = f"{{root}}/{layout.PRETRAINED}/{RECORD}".replace("{corpus}", "*")
TOKENS = f"{{root}}/{layout.TOKENS}/{RECORD}"
# The tokens of a corpus may be those of another base, whose tokenizer is the same.
TOKENS_OF_ANY = TOKENS.replace("{base}", "*")
# A method may be trained on a part of a corpus.
PART = CORPUS.replace("{corpus}", layout.PART_CORPUS.format(corpus="{corpus}", percent="*", of="*"))
TOKENS_OF_PART = TOKENS_OF_ANY.replace(
    "{corpus}", layout.PART_CORPUS.format(corpus="{corpus}", percent="*", of="*")
)
STS_TEST = f"{{root}}/{layout.STS_TEST}/{RECORD}"
STS_DEV = f"{{root}}/{layout.STS_DEV_DATA}/{RECORD}"
FOLD_DEV = f"{{root}}/{layout.FOLD_DEV_DATA}/{RECORD}"
RELATEDNESS = f"{{root}}/{layout.RELATEDNESS_DATA}/{RECORD}"
TRANSFER = f"{{root}}/{layout.TRANSFER_DATA}/{RECORD}"
BANK = f"{{root}}/{layout.BANK}/{RECORD}"
MODEL = f"{{root}}/{layout.MODEL}/{RECORD}"
INITIAL = MODEL.replace("{method}", names.INITIAL)
OF_START = layout.EMBEDDINGS.replace("{method}", names.START).replace("{seed}", "0")
TRAINED = {
    "base": (BASE, PRETRAINED),
    "corpus": (CORPUS,),
    "tokens": (TOKENS, TOKENS_OF_ANY, TOKENS_OF_PART),
    "dev": (FOLD_DEV, STS_DEV),
}
SOURCES = {  # stage -> name of an input -> where the record that lists it may lie
    "tokenise": {"sentences": (CORPUS,), "tokenizer": (BASE,)},
    "train": TRAINED | {"corpus": (CORPUS, NEGATIVES, PART)},
    "train_initial": TRAINED,
    # The trainings on the folds go by their own paths.
    "train_final": TRAINED | {"corpus": (CORPUS, NEGATIVES)},
    "train_curve": TRAINED,
    "train_entropy": TRAINED | {"base": (INITIAL, BASE, PRETRAINED)},
    "pretrain": TRAINED | {"base": (BASE_OF_ANY,)},
    "fit_whitening": {"base": (BASE, PRETRAINED), "tokens": (TOKENS, TOKENS_OF_ANY)},
    "mine_negatives": {"corpus": (CORPUS,), "embeddings": (f"{{root}}/{OF_START}/{RECORD}",)},
    "embed": {"model": (MODEL,), "tokens": (TOKENS, TOKENS_OF_ANY)},
    "evaluate_sts": {"weights": (MODEL,), "data": (STS_TEST,), "dev": (STS_DEV,)},
    "evaluate_transfer": {"weights": (MODEL,), "data": (TRANSFER,)},
    "evaluate_relatedness": {"weights": (MODEL,), "data": (RELATEDNESS,)},
    "evaluate_faq": {"weights": (MODEL,), "data": (BANK,), "dev": (FOLD_DEV,)},
}
PLACES = (
    layout.NEGATIVES,
    layout.TOKENS,
    layout.PRETRAINED,
    layout.MODEL,
    layout.CURVE,
    layout.EMBEDDINGS,
    *layout.SCORES_OF.values(),
)
OF_PARTS = (PART, TOKENS_OF_PART)
OPTIONAL = {  # folders that only some runs have: nothing comes from one that is not here
    PRETRAINED: Path(layout.PRETRAINED).parts[0],
    NEGATIVES: Path(layout.NEGATIVES).parts[0],
}
OUTSIDE = ("published", "claims")  # inputs that lie outside of what a run keeps
OF_READ_MODEL = (
    "model",
    "weights",
)  # what an embedding or an evaluation calls the model that it reads
# Stages whose records name their inputs as files.
OF_FILES = (
    "collect_scores",
    "render_table",
    "compare_published",
    "judge_claims",
    "simulate_statistics",
    "compare_overlap",
    "thin_corpus",
    "draw_learning_curve",
    "build_answerer",
    "collect_figure",
    "measure_figure",
    "draw_figure",
    "write_cards",
    "report",
)


def is_prepared(stage: str) -> bool:
    """Tell whether a stage reads raw data."""
    return stage.startswith("prepare_")


def method_of_model(record: dict[str, Any]) -> str:
    """Return the method whose model an evaluation has read, if it is another than its own; or ""."""
    found: Any = record
    for key in ("settings", "ranking", "of"):
        if not isinstance(found, dict):
            return ""
        found = found.get(key)
    if isinstance(found, str):
        return found
    return ""


def sought(
    root: Path, downloads: tuple[Path, ...], path: Path, stage: str, name: str, of: str = ""
) -> tuple[str, ...]:
    """Return the patterns of where the record behind an input of the record ``path`` may lie.

    ``of`` is the method whose model was read, if it is another one than the path names.
    """
    if name.endswith(f"/{RECORD}"):  # frozen embeddings and models of folds go by their path
        parts = map(glob.escape, Path(name).parts[-6:])
        return ("/".join([glob.escape(str(root)), *parts]),)
    place = {key: glob.escape(value) for key, value in _place(root, path).items()}
    if of:
        place["method"] = glob.escape(of)
    patterns = SOURCES.get(stage, {}).get(name, ())
    is_base = place.get("method") == names.START or place.get("corpus") == names.NO_CORPUS
    if name in OF_READ_MODEL and is_base:
        patterns = (BASE, PRETRAINED)
    place |= {"root": glob.escape(str(root)), "bank": place.get("corpus", "").rpartition("-")[0]}
    found = []
    for pattern in patterns:
        if pattern in OPTIONAL and not (root / OPTIONAL[pattern]).exists():
            continue
        if pattern in OF_PARTS and not glob.glob(pattern.format(**place)):
            continue  # no part of this corpus was made
        if "{downloads}" in pattern:
            found += [pattern.format(downloads=glob.escape(str(f)), **place) for f in downloads]
        else:
            found.append(pattern.format(**place))
    return tuple(found)


def _place(root: Path, path: Path) -> dict[str, str]:
    """Return the corpus, base, method and seed that a record's path names."""
    folder = path.parent.relative_to(root).as_posix()
    for template in PLACES:
        if found := layout.parse(template, folder):
            return found
    return {}
