"""Tokenise a corpus's distinct sentences once for a tokenizer, special tokens included, untruncated.

The prompts of the base stand before them, if it has any.
"""

import time
from pathlib import Path

from semblance.data.corpus import read_rows, read_sentences
from semblance.data.tokens import tokenise, write_tokens
from semblance.models.prompts import Prompts
from semblance.models.saved import TOKENIZER, SavedModel
from semblance.provenance import checked, write_record
from workflow.scripts.endings import run
from workflow.scripts.program import program

FAQ = "prepare_faq"  # the stage whose corpora have questions and answers


def corpus_texts(record: Path, prompts: Prompts) -> list[str]:
    """Return the distinct sentences of a corpus, each with the prompt of its role.

    In a corpus of a FAQ bank, what stands as a query in any row is a question, and all else is an
    answer. In every other corpus a text is compared with its like and gets the default prompt.
    """
    sentences = read_sentences(record.parent)
    if not prompts:
        return sentences
    if checked(record, "rows.arrow")["stage"] != FAQ:
        return [prompts.default + sentence for sentence in sentences]
    asked = set(read_rows(record.parent).query.tolist())
    return prompts.of_faq(sentences, {sentences[number] for number in asked})


@program(__doc__)
def main(corpus: Path, base: Path, output: Path, code: str = "") -> None:
    started = time.monotonic()
    sentences = checked(corpus, "sentences.arrow")
    model = SavedModel.read(base, TOKENIZER)
    prompts = model.prompts
    tokens = tokenise(model.tokenizer, corpus_texts(corpus, prompts))
    write_tokens(output.parent / "tokens.arrow", tokens)
    inputs = {
        "sentences": sentences["outputs"]["sentences.arrow"],
        "tokenizer": model.record["outputs"][TOKENIZER],
    }
    facts = {}
    if prompts:
        inputs["rows"] = sentences["outputs"]["rows.arrow"]
        facts["prompts"] = prompts.as_json()
    write_record(
        output,
        "tokenise",
        outputs=["tokens.arrow"],
        started=started,
        code=code,
        tokenizer=model.tokenizer_digest,
        inputs=inputs,
        records={"sentences": sentences, "rows": sentences, "tokenizer": model.record},
        sentences=len(tokens.offsets) - 1,
        tokens=len(tokens.ids),
        **facts,
    )


if __name__ == "__main__":
    run(main)
