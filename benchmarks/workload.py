"""The real input of the benchmarks: corpora, tokens and encoders, made by the workflow itself."""

import argparse
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from semblance.data.corpus import Rows, read_rows, read_sentences
from semblance.data.tokens import Tokens, read_tokens
from semblance.evaluation.prepared import read_pairs
from semblance.files import whole_folder
from semblance.models.saved import WEIGHTS_FILE
from semblance.provenance import write_json
from semblance.training.batching import batches

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ["corpora/nli", "corpora/wiki", "tokens/minilm/nli", "tokens/minilm/wiki", "sts"]
RESOURCES = ["models/minilm", "models/minilm-3"]
# all-MiniLM-L6-v2, its first 3 layers, and BERT-base's 12 layers with random weights
RANDOM = "bert-base-shape"
BASES = ("minilm", "minilm-3", RANDOM)
FOLDER = ROOT / "results-benchmarks"  # the workflow writes below it alone


@dataclass(frozen=True)
class Task:
    """What one side of a comparison does: a kind of work, by us or by a peer.

    The peers are sentence-transformers as it comes (``plain``), with all that makes it faster
    (``tuned``), and with flash attention, which drops the padding (``flash``).
    """

    work: str  # a module of this folder
    folder: str
    threads: int
    gpus: int
    matmul: str
    side: str = "ours"
    records: bool = True  # whether a GPU may record a step of ours
    base: str = ""
    precision: str = "fp32"
    objective: str = ""
    corpus: str = "nli"
    batch: int = 64
    steps: int = 0


def task_of(args: argparse.Namespace, work: str, **more: Any) -> Task:
    """Return a task under the flags of the command line; tf32 is fp32 with shorter products."""
    options = {"matmul": args.matmul, "batch": args.batch, "steps": args.steps, **more}
    if options.get("precision") == "tf32":
        options |= {"precision": "fp32", "matmul": "high"}
    return Task(work, str(FOLDER), args.threads, args.gpus, **options)


def prepare(data: Path) -> None:
    """Run the workflow's own preparing stages; ``data`` is a mirror of the raw files."""
    subprocess.run([sys.executable, *preparing(data)], cwd=ROOT, check=True)


def preparing(data: Path) -> list[str]:
    """Return the arguments of Python that run these stages."""
    out, resources = f"{FOLDER.name}/results", f"{FOLDER.name}/resources"  # from the root
    return [
        *("-m", "snakemake", "--cores", "all", "--quiet", "rules"),
        *("--configfile", "configs/minilm.yaml"),
        *("--config", f"mirror={data}", f"output={out}", f"downloads={resources}", "--"),
        *(f"{out}/{folder}/record.json" for folder in RESULTS),
        *(f"{resources}/{folder}/record.json" for folder in RESOURCES),
    ]


def random_base() -> None:
    """Write the base of BERT-base's shape, unless it is there: MiniLM's folder with other weights."""
    models = FOLDER / "resources/models"
    place = models / RANDOM / "model"
    if place.is_dir():
        return
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    config = BertConfig()
    with whole_folder(place) as folder:
        leave_out = shutil.ignore_patterns("config.json", WEIGHTS_FILE)
        shutil.copytree(models / "minilm/model", folder, ignore=leave_out, dirs_exist_ok=True)
        BertModel(config).save_pretrained(folder)
        pooling = {"word_embedding_dimension": config.hidden_size, "pooling_mode_mean_tokens": True}
        write_json(folder / "1_Pooling/config.json", pooling)


class Workload:
    """What ``prepare`` made; opened in each process of a benchmark."""

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)

    def base(self, name: str) -> Path:
        """Return the model folder of a base."""
        return self.folder / "resources/models" / name / "model"

    def tokens(self, corpus: str) -> Tokens:
        """Return the tokens of each distinct sentence of a corpus."""
        return read_tokens(self.folder / f"results/tokens/minilm/{corpus}/tokens.arrow")

    def rows(self, corpus: str) -> Rows:
        """Return the rows of a corpus as sentence numbers."""
        return read_rows(self.folder / f"results/corpora/{corpus}")

    def sentences(self, corpus: str) -> list[str]:
        """Return the distinct sentences of a corpus, or of the seven STS sets ("sts")."""
        if corpus == "sts":
            pairs = read_pairs(self.folder / "results/sts")
            return sorted({*pairs["sentence1"], *pairs["sentence2"]})
        return read_sentences(self.folder / f"results/corpora/{corpus}")


def text_batches(
    rows: Rows, sentences: Sequence[str], size: int, seed: int
) -> Iterator[list[tuple[str, ...]]]:
    """Yield the batches that a training with this seed draws, each row (query, positive[, negative])."""
    for chosen in batches(rows, size, seed):
        numbers = np.stack([column[chosen] for column in rows.views()], axis=1)
        yield [tuple(sentences[number] for number in row) for row in numbers]
