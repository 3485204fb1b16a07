"""Read data, models and checkpoints as the stages do, watching for anything that is unpickled.

``python -m tests.hostile.unpickling FOLDER`` prints a JSON line: the stages that ran, what was
unpickled while they ran, and what the watch saw when something really was unpickled at the end.
"""

import contextlib
import importlib
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
    from semblance.reporting.build import build
    from semblance.reporting.formats import markdown
    from semblance.reporting.scores import collect
    from semblance.training.keeping import finished
    from semblance.training.keeping.checkpoint import Checkpoints
    from tests.reliability.world import World
    from tests.scripts.flags import flags

    class Watched(World):
        """The tiny world, made in this process; pickles lie by its weights, as on many hubs."""

        ran = []

        def _prepare(self) -> None:
            for name in ("pytorch_model.bin", "training_args.bin", "optimizer.pt", "vocab.pkl"):
                Path("tiny-base", name).write_bytes(pickle.dumps(Evil(folder / "PWNED")))
            super()._prepare()

        def run(self, script: str, arguments: list[str], output: str) -> None:
            stage = importlib.import_module(f"workflow.scripts.{script}")
            stage.main([*arguments, *flags(output=output)])
            self.ran.append(script)

    world = Watched(folder / "world")
    script, arguments = world.trainings["nli/rcl-2"]
    # So that the second training goes on from the last step of the first.
    finished.keep = lambda *_: False
    Checkpoints.clear = lambda self, but=None: None
    for _ in range(2):
        world.run(script, [*arguments, *flags(checkpoint_steps=1)], "trained/record.json")
    world.run("evaluate_sts", world.sts("trained/record.json"), "scores/record.json")
    row = {"label": "r", "corpus": "nli", "base": "tiny", "method": "continued", "seeds": [1]}
    spec = {"name": "t", "title": "T", "layout": "sts", "tasks": ["stsb", "sickr"], "rows": [row]}
    assert "±" in markdown(build(spec, collect(["scores/scores.csv"])))
    return world.ran


def traps(folder: Path) -> list[str]:
    """Give readers files that run code when unpickled; return those that were not refused."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    import torch

    from semblance.data.arrow import read_parquet
    from semblance.errors import InputError
    from semblance.models.weights import load_weights

    evil = Evil(folder / "PWNED")
    folder.mkdir()
    torch.save({"x": evil}, folder / "model.safetensors")
    (folder / "x.safetensors").write_bytes(pickle.dumps(evil))
    (folder / "pickle.parquet").write_bytes(pickle.dumps(evil))
    read_text = lambda path: read_parquet(path, ("text",))
    left = []
    for read, name in (
        (load_weights, "model.safetensors"),
        (load_weights, "x.safetensors"),
        (load_weights, "absent.bin"),
        (read_text, "pickle.parquet"),
    ):
        with contextlib.suppress(InputError):
            read(folder / name)
            left.append(name)

    kind = {
        b"ARROW:extension:name": b"arrow.py_extension_type",
        b"ARROW:extension:metadata": pickle.dumps(evil),
    }
    text = pa.field("text", pa.string(), metadata=kind)
    schema = pa.schema([text], metadata={b"pandas": pickle.dumps(evil)})
    pq.write_table(pa.table({"text": ["a"]}, schema=schema), folder / "x.parquet")
    # The metadata are not looked at.
    assert read_text(folder / "x.parquet")["text"].to_pylist() == ["a"]
    return left


def main(folder: str) -> None:
    """Watch, run everything, then really unpickle, and print what was seen."""
    place = Path(folder)
    watch()
    ran, not_refused, during = stages(place), traps(place / "traps"), list(SEEN)
    SEEN.clear()
    pickle.loads(pickle.dumps(Evil(place / "REALLY")))
    names = ("PWNED", "traps/PWNED", "REALLY")
    marks = [name for name in names if (place / name).exists()]
    found = {"stages": ran, "not_refused": not_refused, "during": during, "really": SEEN}
    print(json.dumps(found | {"marks": marks}))


if __name__ == "__main__":
    main(sys.argv[1])
