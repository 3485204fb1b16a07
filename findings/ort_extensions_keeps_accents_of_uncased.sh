#!/usr/bin/env bash
# The tokenizer that onnxruntime-extensions makes of an uncased BERT keeps accents, so that accented words are unknown.
#
# Seen with onnxruntime-extensions 0.15.2 and transformers 5.23.0, 2026-11-29: `strip_accents: null`, which nearly every
# uncased BERT has in tokenizer_config.json, means as lower case does. gen_processing_models writes it into the graph as
# an empty text, which its operator takes for no: "café", "façade" and the German "Quarantäne" become [UNK] in the ONNX
# model and three known words in Python. With strip_accents=True, which is the same tokenizer, both agree.
# Exit status 0 while it is so.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check onnxruntime-extensions==0.15.2 \
    transformers==5.23.0 onnx==1.23.2 onnxruntime==1.32.0
"$folder/venv/bin/python" -W ignore - 2>/dev/null <<'PYTHON'
from importlib.metadata import version

from onnxruntime_extensions import OrtPyFunction, gen_processing_models
from transformers import BertTokenizer

TEXT = "The Café, a façade: Quarantäne?"
words = "[PAD] [UNK] [CLS] [SEP] [MASK] the cafe , a facade : qu ##aran ##tane ?".split()
print(", ".join(f"{name} {version(name)}" for name in ("onnxruntime-extensions", "transformers")), "-", TEXT)
unknown = {}
for strip in (None, True):
    tokenizer = BertTokenizer(vocab={word: n for n, word in enumerate(words)}, do_lower_case=True, strip_accents=strip)
    graph, _ = gen_processing_models(tokenizer, pre_kwargs={})
    ids = {"Python": tokenizer(TEXT)["input_ids"], "ONNX": OrtPyFunction(graph)([TEXT])[0].ravel().tolist()}
    for name, of in ids.items():
        print(f"strip_accents={strip}, {name}: {' '.join(tokenizer.convert_ids_to_tokens(of))}")
        unknown[strip, name] = of.count(words.index("[UNK]"))
assert unknown == {(None, "Python"): 0, (None, "ONNX"): 3, (True, "Python"): 0, (True, "ONNX"): 0}, "the behaviour has changed"
PYTHON
