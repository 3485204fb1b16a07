"""A copy of the project with a configuration so small that the whole DAG runs in a minute."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import torch
import yaml
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from semblance.models.base import BaseSettings, build_base
from semblance.models.saved import SavedModel

ROOT = Path(__file__).resolve().parents[2]
COPIED = (
    "Snakefile",
    "config.yaml",
    "pyproject.toml",
    "papers",
    "semblance",
    "faq",
    "workflow",
    "profiles",
    "slurm",
    "envs",
    "demo",
)
TRAP = Path(__file__).parent / "no_network"  # refuses and notes every call to the network


def rows(corpus: str, *methods: str, base: str = "tiny") -> list[dict]:
    """Return the rows of a table or a figure: some methods on one corpus and one base."""
    return [{"corpora": [corpus], "bases": [base], "methods": list(methods)}]


FIGURE_ROWS = rows("wiki1m", "start", "simcse")
TABLES = []  # of the project's own config
for paper in sorted((ROOT / "papers").glob("*.yaml")):
    TABLES += yaml.load(paper.read_text(), yaml.CSafeLoader).get("tables", {})

CONFIG = {
    "output": "results",
    "downloads": "resources",
    "manifest": "demo/manifest.yaml",
    "mirror": "demo/data",
    "resources": {"gpus": 0},
    "seeds": {"rcl": [1], "ssimcse": [1], "simcse": [1]},
    "bases": {
        "tiny": {"folder": "tiny-base", "pooling": "mean", "max_length": 64, "tokenizer": "tiny"},
        "tiny-pretrained": {
            "base": "tiny",
            "corpus": "wiki1m",
            "pretrain": {
                "batch_size": 8,
                "epochs": 1,
                "learning_rate": 1e-4,
                "max_length": 16,
                "seed": 1,
                "warmup": 0.0,
                "weight_decay": 0.0,
            },
        },
    },
    "faq": {
        "folds": 3,
        "banks": {
            "faqir": None,
            "cough": None,
            "stackfaq": {"kind": "stackfaq", "dataset": "stackfaq"},
        },
    },
    "training": {"max_steps": 2},
    "recipes": {
        "unsupervised": {"batch_size": 8, "evaluate_every": 1},
        "supervised": {"batch_size": 8, "epochs": 1},
        "rcl": {"batch_size": 8, "on_faq": {"epochs": 1, "max_length": 32}},
    },
    "methods": {},
    "embed": {"threads": 1},
    "fit_whitening": {"threads": 1},
    "evaluate_sts": {"threads": 1},
    "evaluate_transfer": {"threads": 1, "folds": 2},
    "evaluate_faq": {"threads": 1, "max_length": 32},
    "build_answerer": {"threads": 1},
    "answerers": {
        "tiny": {
            "bank": "stackfaq",
            "base": "tiny",
            "methods": ["start", "bm25", "attention-dropout-0.1", "rcl-2"],
            "seeds": "rcl",
        }
    },
    "train_curve": {"steps": 2, "every": 1},
    "measure_figure": {"threads": 1},
    "figures": {
        "simcse_figure2": {"rows": rows("wiki1m", "simcse-delete-one")},
        "simcse_figureF1": {"rows": FIGURE_ROWS},
        "simcse_figureG1": {"rows": FIGURE_ROWS},
        "simcse_table8": {
            "kind": "retrieval",
            "collection": "nli",
            "options": {"queries": ["A dog runs.", "A man reads."], "top": 2},
            "seeds": "rcl",
            "rows": rows("nli", "start", "rcl-2"),
        },
        "rcl_anisotropy": {"rows": rows("nli", "start", "rcl-2")},
        "rcl_regulators": {"rows": rows("nli", "start", "rcl-2")},
        "rcl_phi": {"rows": rows("nli", "entropy-0.01", "rcl-2")},
    },
    "tables": {
        **dict.fromkeys(TABLES),
        "simcse_table4": {"control": None, "rows": rows("qqp", "simcse-sup-no-negatives")},
        "rcl_table1a": {
            "rows": [
                *rows("nli", "start", "attention-dropout-0.1", "rcl-2-start"),
                *rows("nli", "start", base="tiny-pretrained"),
            ]
        },
        "simcse_tableC1": {"rows": rows("nli", "whitening", "whitening-target")},
        "simcse_tableB3": {"seeds": "rcl", "rows": FIGURE_ROWS},
        "simcse_tableE1": {"seeds": "rcl", "rows": FIGURE_ROWS},
        "rcl_table2a": {
            "control": None,
            "rows": rows("stackfaq", "start", "bm25", "attention-dropout-0.1", "rcl-2"),
        },
        "rcl_table4": {"rows": rows("nli", "start", "rcl-2")},
        "rcl_table5": {"control": "rcl-2", "rows": rows("nli", "entropy-0.01", "rcl-2")},
        "ssimcse_table1": {"rows": rows("wiki1m", "simcse", "ssimcse-sd")},
    },
}


SHAPE = {  # of the tiny base
    "model_type": "bert",
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "vocab_size": 200,
    "max_position_embeddings": 128,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    "hidden_dropout_prob": 0.1,
    "attention_probs_dropout_prob": 0.1,
    "pad_token_id": 0,
    "hidden_act": "gelu",
}


def write_base(folder: Path, positions: int = 128) -> None:
    """Write a random BERT of 2 layers with a character tokenizer, as a raw model folder.

    ``positions`` is the longest input.
    """
    folder.mkdir(parents=True)
    letters = [chr(code) for code in range(33, 127)]
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *letters, *(f"##{c}" for c in letters), "[MASK]"]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        "[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    tokenizer.save(str(folder / "tokenizer.json"))
    named = {"tokenizer_class": "PreTrainedTokenizerFast"}
    named |= {f"{role}_token": f"[{role.upper()}]" for role in ("pad", "cls", "sep", "unk")}
    (folder / "tokenizer_config.json").write_text(json.dumps(named))
    shape = SHAPE | {"max_position_embeddings": positions}
    (folder / "config.json").write_text(json.dumps(shape))
    save_file(_random_weights(positions), folder / "model.safetensors")


def write_model(place: Path, **more: object) -> SavedModel:
    """Write a base model and its record into a folder; ``more`` are settings of the base."""
    write_base(place / "raw")
    settings = BaseSettings(max_length=32, folder=str(place / "raw"), pooling="mean", **more)
    build_base(settings, place / "record.json", "code")
    return SavedModel.read(place / "record.json")


def _random_weights(positions: int) -> dict[str, torch.Tensor]:
    d, inner = SHAPE["hidden_size"], SHAPE["intermediate_size"]
    generator = torch.Generator().manual_seed(0)
    weights = {}

    def add_linear(name: str, outputs: int, inputs: int) -> None:
        weights[f"{name}.weight"] = torch.randn(outputs, inputs, generator=generator) * 0.2
        weights[f"{name}.bias"] = torch.zeros(outputs)

    for name, count in {
        "word": SHAPE["vocab_size"],
        "position": positions,
        "token_type": 2,
    }.items():
        table = torch.randn(count, d, generator=generator)
        weights[f"embeddings.{name}_embeddings.weight"] = table
    norms = ["embeddings"]
    for layer in (f"encoder.layer.{number}" for number in range(SHAPE["num_hidden_layers"])):
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            add_linear(f"{layer}.attention.{part}", d, d)
        add_linear(f"{layer}.intermediate.dense", inner, d)
        add_linear(f"{layer}.output.dense", d, inner)
        norms += [f"{layer}.attention.output", f"{layer}.output"]
    for norm in norms:
        weights[f"{norm}.LayerNorm.weight"] = torch.ones(d)
        weights[f"{norm}.LayerNorm.bias"] = torch.zeros(d)
    add_linear("pooler.dense", d, d)  # BERT's own pooler, which a base of config.yaml is pooled by
    return weights


def trapped(notes: Path) -> dict[str, str]:
    """Return the environment variables of processes that may not call the network; attempts are noted in a folder."""
    notes.mkdir(exist_ok=True)
    return {"PYTHONPATH": str(TRAP), "NETWORK_TRAP": str(notes)}


def run_module(
    folder: Path, *command: str, timeout: float | None = 900, umask: int = -1, **variables: str
) -> subprocess.CompletedProcess:
    """Run a module with arguments in a folder, with more environment variables if wished."""
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": "", "TQDM_DISABLE": "1", **variables},
        capture_output=True,
        text=True,
        timeout=timeout,
        umask=umask,
    )


def printed(done: subprocess.CompletedProcess) -> str:
    """Return the ends of both streams of a process."""
    return done.stdout[-3000:] + done.stderr[-6000:]


def copy_project(folder: Path, names: Iterable[str]) -> None:
    """Copy files and folders of the project into a new folder, without what was made in them."""
    folder.mkdir(parents=True)
    ignored = shutil.ignore_patterns("__pycache__", "results", "resources")
    for name in names:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, folder)


class Job(NamedTuple):
    """A job of a plan: a line of what tests/dag/stale.py prints."""

    rule: str
    wildcards: dict[str, str]
    runs: bool
    is_stale: bool  # of itself, not because of what it reads
    readers: list[int]  # the numbers of the jobs that read from it


class Project:
    """A scratch copy of the project, to run, mutate and run again."""

    def __init__(self, folder: Path):
        self.folder = folder
        copy_project(folder, COPIED)
        write_base(folder / "tiny-base")
        self.write_config(CONFIG)

    def write_config(self, config: dict) -> None:
        """Write the override config."""
        (self.folder / "tiny.yaml").write_text(yaml.safe_dump(config, sort_keys=False))

    def snakemake(self, *arguments: str, check: bool = True, **variables: str) -> str:
        """Run snakemake in the copy, with more environment variables if wished.

        Return what it printed, and then what the run's log has of it and its jobs.
        """
        log = self.folder / "results/logs/run.log"
        before = log.stat().st_size if log.exists() else 0
        words = ("snakemake", "--configfile", "tiny.yaml", *arguments)
        done = run_module(self.folder, *words, **variables)
        logged = log.read_bytes()[before:].decode() if log.exists() else ""
        assert not (check and done.returncode), printed(done) + logged[-6000:]
        return done.stdout + done.stderr + logged

    def python(self, *command: str, check: bool = True) -> subprocess.CompletedProcess:
        """Run a module of the copy, with arguments, in its folder."""
        done = run_module(self.folder, *command)
        assert not (check and done.returncode), printed(done)
        return done

    @classmethod
    def at(cls, folder: Path) -> "Project":
        """Return the project of a folder that holds one."""
        project = object.__new__(cls)
        project.folder = folder
        return project

    def copy(self, folder: Path) -> "Project":
        """Return a copy of the project and of its finished run, for a test that damages it."""
        # cp keeps hard links, so that the copy takes as much of the disk
        subprocess.run(["cp", "-a", str(self.folder), str(folder)], check=True)
        note = folder / "results/logs/command.json"
        note.write_text(note.read_text().replace(f'"{self.folder}"', f'"{folder}"'))
        return Project.at(folder)

    def planned(self, *targets: str) -> Counter[str]:
        """Return the number of jobs that a dry run would start, by rule."""
        return Counter(job.rule for job in self.jobs(*targets) if job.runs)

    @contextlib.contextmanager
    def edited(self, edits: Mapping[Path, str | bytes]) -> Iterator[None]:
        """Give files other contents, or make them, for a while; contents and times come back."""
        before = {file: (file.read_bytes(), file.stat()) for file in edits if file.exists()}
        try:
            for file, content in edits.items():
                file.write_bytes(content if isinstance(content, bytes) else content.encode())
            yield
        finally:
            for file in edits.keys() - before.keys():
                file.unlink()
            for file, (content, times) in before.items():
                file.write_bytes(content)
                os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))

    def jobs(self, *targets: str) -> list[Job]:
        """Return each job of the plan, and what a dry run would make of it."""
        words = ("stale", *targets, "--configfile", "tiny.yaml")
        done = run_module(self.folder, *words, PYTHONPATH=str(Path(__file__).parent))
        assert done.returncode == 0, printed(done)
        return [Job(*json.loads(line)) for line in done.stdout.splitlines()]

    def jobs_after(self, edits: Mapping[Path, str | bytes]) -> list[Job]:
        """Return the jobs of a dry run with other or new contents of files."""
        with self.edited(edits):
            return self.jobs()

    @contextlib.contextmanager
    def configured(self, config: dict) -> Iterator[None]:
        """Have another override config for a while."""
        with self.edited({self.folder / "tiny.yaml": ""}):
            self.write_config(config)
            yield

    def jobs_with(self, config: dict) -> list[Job]:
        """Return the jobs of a dry run with another config."""
        with self.configured(config):
            return self.jobs()
