"""The dev set that chooses a training's checkpoint: STS-B's pairs, or a fold's dev questions."""

from pathlib import Path
from typing import Callable

from semblance.evaluation.retrieval import Retrieval, read_bank
from semblance.evaluation.similarity import DEV, Sts, read_pairs
from semblance.models.encoder import Encoder
from semblance.models.folder import stored_length
from semblance.provenance import canonical, checked, text_digest


def dev_set(
    record: str, base: str, faq_length: int, fold: int | None
) -> tuple[Callable[[Encoder], float], dict[str, str]]:
    """Return the dev score as a function of the encoder, and the digest of the data behind it.

    ``record`` is that of the prepared STS pairs, or, with ``fold``, of a FAQ bank, whose dev part
    follows its test part in rotation; ``base`` is the record of the model whose tokenizer reads it.
    STS sentences are read up to the base's own longest input, as in the test; FAQ texts up to
    ``faq_length`` tokens, as in training.
    """
    vouched = checked(record)
    checked(base, "model/tokenizer.json", "model/sentence_bert_config.json")
    model, folder = Path(base).parent / "model", Path(record).parent
    tokenizer, max_length = model / "tokenizer.json", faq_length
    if fold is None:
        data = Sts(read_pairs(folder / "pairs.parquet"), tokenizer, (DEV,))
        max_length = stored_length(model)
    else:
        bank = read_bank(folder)
        part = (fold + 1) % vouched["folds"]
        data = Retrieval(
            bank, [q for q in bank.questions if q.part == part and q.protocol == "pairs"], tokenizer
        )
    return lambda encoder: data.dev_score(encoder, max_length), {
        "dev": text_digest(canonical(vouched["outputs"]))
    }
