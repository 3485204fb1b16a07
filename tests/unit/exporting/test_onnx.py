"""The ONNX export: the vectors of onnxruntime are ours, and sentence-transformers loads the folder.

Other libraries are needed for the second: optimum-onnx, whose releases up to 0.1.0 do not work with
transformers 5. SEMBLANCE_OPTIMUM_PYTHON may name a Python that has it with transformers 4.57 and
sentence-transformers 5.1.
"""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from semblance.data.tokens import tokenise
from semblance.errors import InputError
from semblance.models.base import BaseSettings, build_base
from semblance.models.folder import load
from tests.unit.faq.example_faq import ENTRIES, write_example, write_model
from tests.unit.models.tiny_models import make_source, sentences

WITHOUT = (
    "THE ONNX EXPORT WAS NOT TESTED: pip install -c constraints.txt onnx onnxruntime onnxscript"
)
onnxruntime = pytest.importorskip("onnxruntime", reason=WITHOUT)
pytest.importorskip("onnx", reason=WITHOUT)
pytest.importorskip("onnxscript", reason=WITHOUT)

from semblance.exporting import onnx_export  # noqa: E402
from semblance.exporting.onnx_export import MODEL, REPORT, input_names  # noqa: E402
from workflow.scripts import export  # noqa: E402

LENGTHS = (1, 2, 5, 9, 17, 30)  # words
TOLERANCE = 1e-4
LOADING = """
import json, sys
from sentence_transformers import SentenceTransformer
folder, name, texts = json.load(sys.stdin)
model = SentenceTransformer(folder, backend="onnx", model_kwargs={"file_name": name})
json.dump(model.encode(texts).tolist(), sys.stdout)
"""


@pytest.fixture(scope="module")
def roberta(tmp_path_factory):
    """A model of RoBERTa's family, its record's folder, and its export."""
    place = tmp_path_factory.mktemp("roberta")
    base = base_of(place, "roberta", "cls")
    export.main([str(base), "--onnx", "--output", str(place / "out")])
    return base / "model", place / "out"


@pytest.fixture(scope="module")
def faq(tmp_path_factory):
    """The folder of a trained FAQ, and its export."""
    place = tmp_path_factory.mktemp("faq")
    write_example(place / "faq", write_model(place / "base"))
    export.main([str(place / "faq"), "--onnx", "--output", str(place / "out")])
    return place / "faq", place / "out"


def token_states(folder: Path, file: Path, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """One padded batch through onnxruntime alone: (n, t, d), and where the tokens are, (n, t)."""
    tokens = tokenise(folder / "tokenizer.json", texts)
    lengths = tokens.lengths()
    real = np.arange(lengths.max()) < lengths[:, None]
    padding = json.loads((folder / "config.json").read_text())["pad_token_id"]
    ids = np.full(real.shape, padding, np.int64)
    ids[real] = tokens.ids
    given = {
        "input_ids": ids,
        "attention_mask": real.astype(np.int64),
        "token_type_ids": np.zeros_like(ids),
    }
    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    assert [each.name for each in session.get_inputs()] == input_names(folder)
    [states] = session.run(None, {name: given[name] for name in input_names(folder)})
    return states, real


def ours(folder: Path, texts: list[str]) -> np.ndarray:
    return load(folder).eval().encode(tokenise(folder / "tokenizer.json", texts), 1000)


def test_the_states_of_robertas_first_token_are_our_vectors_in_a_padded_batch(roberta):
    model, out = roberta
    texts = sentences(LENGTHS)
    states, _ = token_states(model, out / MODEL, texts)
    assert states[:, 0] == pytest.approx(ours(model, texts), abs=TOLERANCE)
    assert input_names(model) == ["input_ids", "attention_mask"]


@pytest.mark.parametrize("length", LENGTHS)
def test_one_text_of_any_length_has_our_vector(roberta, length):
    model, out = roberta
    texts = sentences([length], seed=length)
    states, real = token_states(model, out / MODEL, texts)
    assert real.all()
    assert states[:, 0] == pytest.approx(ours(model, texts), abs=TOLERANCE)


def test_the_mean_of_berts_tokens_is_our_vector_in_a_padded_batch(faq):
    model = faq[0] / "model"
    texts = [entry.question for entry in ENTRIES] + ["a", "a longer text " * 6]
    states, real = token_states(model, faq[1] / MODEL, texts)
    means = (states * real[:, :, None]).sum(1) / real.sum(1)[:, None]
    assert means == pytest.approx(ours(model, texts), abs=TOLERANCE)
    assert input_names(model)[2:] == ["token_type_ids"]


def test_the_model_beside_the_onnx_file_is_unchanged(faq):
    folder, out = faq
    files = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    of_model = [path for path in (folder / "model").rglob("*") if path.is_file()]
    for path in of_model:
        assert (out / path.relative_to(folder / "model")).read_bytes() == path.read_bytes()
    names = {path.relative_to(folder / "model").as_posix() for path in of_model}
    assert files == names | {MODEL, REPORT}


def test_the_report_and_the_lines_tell_the_digest_and_the_difference(roberta, tmp_path, capsys):
    folder, out = roberta
    export.main([str(folder.parent), "--onnx", "--output", str(tmp_path / "out")])
    printed = capsys.readouterr().out
    for place in (out, tmp_path / "out"):
        [facts] = json.loads((place / REPORT).read_text())["files"].values()
        assert facts["sha256"] == hashlib.sha256((place / MODEL).read_bytes()).hexdigest()
        assert facts["largest difference"] < TOLERANCE and facts["least cosine"] > 1 - TOLERANCE
    assert f"{MODEL}: {facts['size'] / 1e6:.1f} MB" in printed
    assert f"{facts['largest difference']:.1e} away at most; least cosine 1.0000" in printed


def base_of(place: Path, family: str, pooling: str, **shape: int) -> Path:
    """Write a base with a record; return its folder."""
    make_source(place / "raw", family, **shape)
    settings = BaseSettings(max_length=38, folder=str(place / "raw"), pooling=pooling)
    build_base(settings, place / "base/record.json", "")
    return place / "base"


def test_another_model_in_the_file_is_refused_and_nothing_is_left(roberta, tmp_path, monkeypatch):
    base = base_of(tmp_path, "roberta", "cls", layers=1)
    wrong = (roberta[1] / MODEL).read_bytes()
    monkeypatch.setattr(onnx_export, "write_onnx", lambda _, path: path.write_bytes(wrong))
    with pytest.raises(InputError, match="gives other vectors"):
        export.main([str(base), "--onnx", "--output", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()


def test_a_model_whose_vectors_are_zero_is_refused(tmp_path, monkeypatch):
    base = base_of(tmp_path, "roberta", "cls", layers=1)
    monkeypatch.setattr("semblance.models.encoder.Encoder.encode", zero_vectors)
    with pytest.raises(InputError, match="gives vectors that have no direction"):
        export.main([str(base), "--onnx", "--output", str(tmp_path / "out")])


def zero_vectors(self, tokens, max_length):
    return np.zeros((len(tokens.offsets) - 1, self.shape.hidden_size), np.float32)


def test_what_cannot_be_exported_and_a_folder_that_is_there_are_refused(roberta, tmp_path):
    layers = base_of(tmp_path, "bert", "first_last")
    out = tmp_path / "out"
    for source, output, problem in (
        (layers, out, "pooling 'first_last' reads more than"),
        (roberta[0], roberta[1], "exists already; name a new folder"),
        (tmp_path, out, "holds no model"),
    ):
        with pytest.raises(InputError, match=problem):
            export.main([str(source), "--onnx", "--output", str(output)])


def test_without_the_packages_one_line_says_how_to_install_them(monkeypatch):
    monkeypatch.setattr(onnx_export.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="pip install onnx onnxruntime onnxscript"):
        export.main(["model", "--onnx", "--output", "out"])


def test_sentence_transformers_loads_the_folder_with_its_onnx_backend(faq):
    python = os.environ.get("SEMBLANCE_OPTIMUM_PYTHON", sys.executable)
    probe = "import optimum.onnxruntime, sentence_transformers"
    if subprocess.run([python, "-c", probe], capture_output=True).returncode:
        pytest.skip("NO optimum-onnx: THAT sentence-transformers LOADS THE EXPORT WAS NOT TESTED")
    texts = ["a", *(entry.question for entry in ENTRIES)]
    given = json.dumps([str(faq[1]), MODEL, texts])
    done = subprocess.run([python, "-c", LOADING], input=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = np.asarray(json.loads(done.stdout))
    assert np.abs(found - ours(faq[0] / "model", texts)).max() < TOLERANCE
