"""Read data, models and checkpoints as the stages do, watching for anything that is unpickled.

``python -m tests.hostile.unpickling FOLDER`` prints a JSON line: the stages that ran, what was unpickled
while they ran, and what the watch saw when something really was unpickled at the end.
"""

import contextlib
import json
import pickle
import sys
from pathlib import Path

SEEN: list[str] = []


def watch() -> None:
    """Note every class that an unpickler looks up, and every call that unpickles."""
    sys.addaudithook(
        lambda event, args: SEEN.append(f"{event} {args}") if event == "pickle.find_class" else None
    )
    for name in ("load", "loads"):
        setattr(pickle, name, noted(getattr(pickle, name), f"pickle.{name}"))

    class Watched(pickle.Unpickler):
        load = noted(pickle.Unpickler.load, "Unpickler.load")

    pickle.Unpickler = Watched


def noted(function, name: str):
    """Wrap a function so that its calls are seen."""

    def call(*arguments, **options):
        SEEN.append(name)
        return function(*arguments, **options)

    return call


class Evil:
    """What leaves a file behind when it is unpickled."""

    def __init__(self, mark: Path):
        self.mark = mark

    def __reduce__(self):
        return (Path.write_text, (self.mark, "unpickled"))


def stages(folder: Path) -> list[str]:
    """Run what reads data and models once, small; return the names of the stages."""
    import torch

    torch.load = noted(torch.load, "torch.load")
    from semblance.data import corpus, prepare_dev, prepare_nli, prepare_sts, tokens
    from semblance.data.corpus_rows import CorpusSettings
    from semblance.data.raw import Raw
    from semblance.evaluation.run import StsRun, evaluate_sts
    from semblance.evaluation.scored import Target
    from semblance.fetch.manifest import load_manifest
    from semblance.models.base import BaseSettings, build_base
    from semblance.provenance import write_record
    from semblance.reporting.build import build
    from semblance.reporting.formats import markdown
    from semblance.reporting.scores import read_scores
    from semblance.training import run
    from semblance.training.embeddings import embed
    from semblance.training.inputs import TrainingInputs
    from semblance.training.keeping import finished
    from semblance.training.keeping.checkpoint import Cadence, Checkpoints
    from tests.dag.tiny import ROOT, write_base
    from tests.example_settings import COMPUTE, train_settings

    write_base(folder / "raw")
    for name in (
        "pytorch_model.bin",
        "training_args.bin",
        "optimizer.pt",
        "vocab.pkl",
    ):  # beside the weights, as many hubs have them
        (folder / "raw" / name).write_bytes(pickle.dumps(Evil(folder / "PWNED")))
    build_base(
        BaseSettings(32, folder=str(folder / "raw"), pooling="mean"),
        folder / "base/record.json",
        "",
    )
    base = str(folder / "base/record.json")

    raw = Raw(load_manifest(ROOT / "demo/manifest.yaml"), ROOT / "demo/data")
    prepare_nli.write_triples(raw, CorpusSettings("nli", ("nli-simcse",), 32), folder / "corpus")
    write_record(
        folder / "corpus/record.json",
        "prepare_nli",
        outputs=["sentences.arrow", "rows.arrow"],
        started=0.0,
    )
    prepare_sts.write_test_pairs(
        raw, prepare_sts.StsSettings(("stsb", "sick"), "senteval"), folder / "sts"
    )
    write_record(
        folder / "sts/record.json",
        "prepare_sts",
        outputs=["pairs.parquet"],
        started=0.0,
        settings={"protocol": "senteval"},
    )
    prepare_dev.write_dev_pairs(raw, prepare_dev.DevSettings("stsb", "senteval"), folder / "dev")
    write_record(
        folder / "dev/record.json",
        "prepare_dev",
        outputs=["pairs.parquet"],
        started=0.0,
        settings={"protocol": "senteval"},
    )

    tokenizer = folder / "base/model/tokenizer.json"
    tokens.write_tokens(
        folder / "tokens/tokens.arrow",
        tokens.tokenise(tokenizer, corpus.read_sentences(folder / "corpus")),
    )
    write_record(
        folder / "tokens/record.json",
        "tokenise",
        outputs=["tokens.arrow"],
        started=0.0,
        tokenizer=json.loads((folder / "base/record.json").read_text())["outputs"][
            "model/tokenizer.json"
        ],
    )
    rest = (str(folder / "corpus/record.json"), str(folder / "tokens/record.json"))

    embed(base, rest[1], str(folder / "embeddings"), 32, COMPUTE, "")
    settings = train_settings(
        loss="regulators", batch_size=8, learning_rate=1e-4, max_length=32, max_steps=2
    )
    # So that the second training goes on from the last step of the first.
    finished.keep = lambda *_: False
    Checkpoints.clear = lambda self, but=None: None
    for _ in range(2):
        run.train(
            TrainingInputs(base, *rest, regulators=[str(folder / "embeddings/record.json")]),
            str(folder / "trained"),
            settings,
            stage="train",
            code="",
            cadence=Cadence(minutes=10.0, steps=1),
        )
    evaluate_sts(
        StsRun("nli", "tiny", "rcl", "1"),
        str(folder / "trained/record.json"),
        str(folder / "sts/record.json"),
        str(folder / "dev/record.json"),
        Target(folder / "scores/record.json", COMPUTE, "0123"),
    )
    spec = {
        "name": "t",
        "title": "T",
        "layout": "sts",
        "tasks": ["stsb", "sickr"],
        "rows": [{"label": "r", "corpus": "nli", "base": "tiny", "method": "rcl", "seeds": [1]}],
    }
    assert "±" in markdown(build(spec, read_scores(folder / "scores/scores.csv")))
    return [
        "build_base",
        "write_triples",
        "write_test_pairs",
        "write_dev_pairs",
        "tokenise",
        "embed",
        "train",
        "restore",
        "evaluate_sts",
        "build",
    ]


def traps(folder: Path) -> list[str]:
    """Give every reader a file that runs code when it is unpickled; return those that were not refused."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
    import torch

    from semblance.data.arrow import read_parquet
    from semblance.errors import InputError
    from semblance.models.weights import load_weights
    from semblance.reporting.predictions import read_predictions
    from semblance.training.embeddings import read_embeddings

    evil = Evil(folder / "PWNED")
    folder.mkdir()
    np.save(folder / "x.npy", np.asarray([evil], dtype=object), allow_pickle=True)
    (folder / "plain.npy").write_bytes(pickle.dumps(evil))
    torch.save({"x": evil}, folder / "model.safetensors")
    (folder / "x.safetensors").write_bytes(pickle.dumps(evil))
    kind = {
        b"ARROW:extension:name": b"arrow.py_extension_type",
        b"ARROW:extension:metadata": pickle.dumps(evil),
    }
    table = pa.table(
        {"text": ["a"]},
        schema=pa.schema(
            [pa.field("text", pa.string(), metadata=kind)], metadata={b"pandas": pickle.dumps(evil)}
        ),
    )
    pq.write_table(table, folder / "x.parquet")
    (folder / "pickle.parquet").write_bytes(pickle.dumps(evil))

    refused = {
        read_embeddings: ["x.npy", "plain.npy"],
        load_weights: ["model.safetensors", "x.safetensors", "absent.bin"],
        lambda path: read_parquet(path, ("text",)): ["pickle.parquet"],
        lambda path: read_predictions(path, ["text"]): ["pickle.parquet"],
    }
    left = []
    for read, names in refused.items():
        for name in names:
            with contextlib.suppress(InputError):
                read(folder / name)
                left.append(name)
    assert read_parquet(folder / "x.parquet", ("text",))["text"].to_pylist() == [
        "a"
    ]  # the metadata are not looked at
    with contextlib.suppress(InputError):  # pandas finds its own metadata damaged
        read_predictions(folder / "x.parquet", ["text"])
    return left


def main(folder: str) -> None:
    """Watch, run everything, then really unpickle, and print what was seen."""
    place = Path(folder)
    watch()
    ran, not_refused, during = stages(place), traps(place / "traps"), list(SEEN)
    SEEN.clear()
    pickle.loads(pickle.dumps(Evil(place / "REALLY")))
    print(
        json.dumps(
            {
                "stages": ran,
                "not_refused": not_refused,
                "during": during,
                "really": SEEN,
                "marks": [
                    name for name in ("PWNED", "traps/PWNED", "REALLY") if (place / name).exists()
                ],
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1])
