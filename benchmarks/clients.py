"""Read a trained folder by other clients, and print how far their vectors are from ours.

    python -m benchmarks.clients results/models/nli/bert-base/simcse/seed-1/model \\
        --python new/bin/python old/bin/python --node FOLDER_WITH_NODE_MODULES

Each interpreter is asked for each client that it has, in a process of its own. The folder is copied
first: the export to ONNX writes into the copy, where fastembed and transformers.js find it.
"""

import argparse
import itertools
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from semblance.data.tokens import tokenise
from semblance.models.folder import load
from semblance.models.saved import stored_length

TEXTS = ["A man plays a guitar.", "Café, naïve: 東京!", "Où est la gare ?", 600 * "semblance "]
CLIENTS = {  # the distribution whose version is printed, and what makes vectors by it
    "sentence-transformers": """
from sentence_transformers import SentenceTransformer
vectors = SentenceTransformer(folder, device="cpu").encode(texts)
""",
    "optimum-onnx": """
from sentence_transformers import SentenceTransformer
model = SentenceTransformer(folder, device="cpu", backend="onnx")
model.save_pretrained(folder)
vectors = model.encode(texts)
""",
    "langchain-huggingface": """
from langchain_huggingface import HuggingFaceEmbeddings
vectors = HuggingFaceEmbeddings(model_name=folder).embed_documents(texts)
""",
    "llama-index-embeddings-huggingface": """
from llama_index.embeddings.huggingface import HuggingFaceEmbedding
vectors = HuggingFaceEmbedding(folder, device="cpu").get_text_embedding_batch(texts)
""",
    "ctranslate2": """
from ctranslate2 import Encoder, converters
from transformers import AutoTokenizer
encoder = Encoder(converters.TransformersConverter(folder).convert(f"{folder}/ctranslate2"))
tokens = AutoTokenizer.from_pretrained(folder)(texts, truncation=True)["input_ids"]
states = [encoder.forward_batch([each]).last_hidden_state for each in tokens]
vectors = [np.array(each)[0].mean(axis=0) for each in states]
""",
    "fastembed": """
from fastembed import TextEmbedding
from fastembed.common.model_description import ModelSource, PoolingType
how = {"pooling": PoolingType.MEAN, "normalization": True, "dim": 0}
TextEmbedding.add_custom_model("own/model", sources=ModelSource(hf="own/model"), **how)
vectors = list(TextEmbedding("own/model", specific_model_path=folder).embed(texts))
""",
}
ASK = """
import importlib.metadata, json, sys
import numpy as np
name, program, folder, texts = sys.argv[1:]
try:
    found = importlib.metadata.version(name)
except importlib.metadata.PackageNotFoundError:
    sys.exit("not here")
scope = {"np": np, "folder": folder, "texts": json.loads(texts)}
exec(program, scope)
print(json.dumps([found, np.array(scope["vectors"], dtype=float).tolist()]))
"""
NODE = """
import {env, pipeline} from "@huggingface/transformers";
const [folder, texts] = process.argv.slice(-2);
env.localModelPath = folder + "/..";
env.allowRemoteModels = false;
const embed = await pipeline("feature-extraction", "model", {dtype: "fp32"});
const how = {pooling: "mean", normalize: true}, rows = [];
for (const text of JSON.parse(texts)) rows.push((await embed(text, how)).tolist()[0]);
console.log(JSON.stringify([env.version, rows]));
"""


def deviations(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Return the largest difference in a number of two texts' unit vectors, for each text, (N,)."""
    units = [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (ours, theirs)]
    return np.abs(units[0] - units[1]).max(axis=1)


def row(name: str, command: list[str], ours: np.ndarray, cwd: str | None = None) -> str:
    """Return the line of a client, whose process prints its version and its vectors; "" without it."""
    done = subprocess.run(command, text=True, capture_output=True, check=False, cwd=cwd)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or [""])[-1]
        return "" if said == "not here" else f"| {name} | failed: {said} | | |"
    version, vectors = json.loads(done.stdout.splitlines()[-1])
    *short, long = deviations(ours, np.array(vectors))
    return f"| {name} | {version} | {max(short):.0e} | {long:.0e} |"


def main() -> None:
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("folder", type=Path, help="the folder model/ of a training; it is only read")
    flags.add_argument("--python", nargs="+", default=[sys.executable])
    flags.add_argument("--node", help="a folder with node_modules/@huggingface/transformers")
    args = flags.parse_args()
    print("| client | version | short texts | a text beyond the limit |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as place:
        folder, texts = shutil.copytree(args.folder, Path(place, "model")), json.dumps(TEXTS)
        tokens = tokenise(folder / "tokenizer.json", TEXTS)
        ours = load(folder).eval().encode(tokens, stored_length(folder))
        for (name, program), python in itertools.product(CLIENTS.items(), args.python):
            command = [python, "-c", ASK, name, program, str(folder), texts]
            if line := row(name, command, ours):
                print(line, flush=True)
        if args.node:
            command = ["node", "--input-type=module", "-e", NODE, str(folder), texts]
            print(row("transformers.js", command, ours, args.node))


if __name__ == "__main__":
    main()
