"""A small FAQ and the folder of its answerer, with a random model of two layers."""

from pathlib import Path

from semblance.models.saved import SavedModel
from semblance_faq.answer.bank import FaqEntry
from semblance_faq.answer.folder import AnsweringSettings, Threshold, embed_answerer, write_answerer

ENTRIES = (
    FaqEntry("reset", "How do I reset my password?", "Open Settings.", ("forgot my password",)),
    FaqEntry("login", "I cannot log in. Why?", "Open  Settings.", ()),
    FaqEntry(
        "refund", "Can I get a refund?", "Write to us within 14 days.", ("money back please",)
    ),
    FaqEntry("ship", "When does it ship?", "Within two days.", ()),
)
ANSWERS = 3  # the first two entries have one answer, but for white space
TEXTS = {"answer": 3, "question": 6, "better": 9}
THRESHOLD = Threshold(0.999, 0.9, 0.5)


def write_example(folder: Path, model: SavedModel, **changes: object) -> Path:
    """Write an answerer of the example's entries; ``changes`` are those of its settings."""
    values = {"ranking": "vectors", "match": "better", "max_length": 32, "threshold": THRESHOLD}
    entries = changes.pop("entries", ENTRIES)
    settings = AnsweringSettings(**(values | changes))
    write_answerer(folder, model, embed_answerer(entries, model, settings))
    return folder
