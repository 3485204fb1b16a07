"""The sentences of a corpus as a model with prompts reads them."""

from pathlib import Path

from semblance.data.corpus import read_rows, read_sentences
from semblance.models.prompts import Prompts
from semblance.provenance import checked

FAQ = "prepare_faq"  # the stage whose corpora have questions and answers


def corpus_texts(record: str | Path, prompts: Prompts) -> list[str]:
    """Return the distinct sentences of a corpus, each with the prompt of its role.

    In a corpus of a FAQ bank, what stands as a query in any row is a question, and all else is an
    answer. In every other corpus a text is compared with its like and gets the default prompt.
    """
    folder = Path(record).parent
    sentences = read_sentences(folder)
    if not prompts:
        return sentences
    if checked(record, "rows.arrow")["stage"] != FAQ:
        return [prompts.default + sentence for sentence in sentences]
    asked = set(read_rows(folder).query.tolist())
    return prompts.of_faq(sentences, {sentences[number] for number in asked})
