"""Base models: from a hub, a package or a folder to one uniform model folder with its record.

The folder ``model/`` beside the record is an ordinary sentence-transformers folder; the pooling and
the longest input are stored in it, once, and every training inherits them.
"""

import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from semblance.data.tokens import load_tokenizer, refuse_tokenizer
from semblance.data.vocabulary import MASK_TOKENS, read_vocabulary
from semblance.errors import InputError
from semblance.fetch.hub import Repository, fetch_repository, package_folder
from semblance.fetch.manifest import Hub
from semblance.files import copy_file, whole_folder
from semblance.layout import SOURCE
from semblance.models import word_average
from semblance.models.architecture import CLASSES, Architecture, read_architecture
from semblance.models.encoder import find_pooling
from semblance.models.folder import TOKENIZER_FILES, build, save
from semblance.models.modules import CONFIG, HEAD_FOLDER, ORDER, WHITENING_FOLDER, Modules
from semblance.models.prompts import Prompts, read_prompts, write_prompts
from semblance.models.saved import TOKENIZER_FILE, WEIGHTS_FILE
from semblance.models.stated import check_stated, check_tokenizer, read_lengths
from semblance.models.weights import load_weights, no_weights
from semblance.models.word_head import save_head, stored_head
from semblance.named_modules import POOLINGS, module_path
from semblance.provenance import file_digest, read_object, write_json, write_record

PARTS = tuple(part for part in ORDER if part not in (HEAD_FOLDER, WHITENING_FOLDER))  # of a base
VOCABULARIES = ("vocab.*", "*.model")  # of a tokenizer before tokenizer.json


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
    layers: int | None = None  # the first ones, which are kept
    pooling: str | None = None  # a module of models/poolings; None keeps the base's own
    prompts: dict[str, str] | None = None  # by role: query, document; None keeps the base's own
    default_prompt: str | None = None  # the name of the one before texts that have no role

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
        repository = Repository(settings.hub, settings.revision or "", hub, settings.weights_sha256)
        fetched = fetch_repository(repository, place / SOURCE, mirror)
        facts["source"] = {"hub": settings.hub, **fetched}
    source = _source(settings, place)
    weights = source if source.is_file() else source / WEIGHTS_FILE
    digest = _checked_digest(weights, settings.weights_sha256)
    with whole_folder(place / "model") as staging:
        files = _write_model(settings, source, staging)
    # Prompts stand in the record only if the settings state them.
    stated = {k: v for k, v in asdict(settings).items() if v is not None or "prompt" not in k}
    write_record(
        record,
        "download_model",
        outputs=[f"model/{file}" for file in files],
        started=started,
        code=code,
        inputs={"weights": digest},
        settings=stated,
        **facts,
    )


def _source(settings: BaseSettings, place: Path) -> Path:
    if settings.hub:
        return place / SOURCE
    if settings.folder:
        return Path(settings.folder)
    return package_folder(settings.package or "", settings.subfolder)


def _checked_digest(weights: Path, pinned: str | None) -> str:
    """Return the sha256 of the weights; InputError if there are none, or not the pinned ones."""
    if not weights.is_file():
        raise no_weights(weights)
    digest = file_digest(weights)
    if pinned not in (None, digest):
        problem = f"expected sha256 {pinned}, found {digest}"
        advice = "the copy is altered or the pin is wrong; correct one of them"
        raise InputError(weights, problem, advice)
    return digest


def _write_model(settings: BaseSettings, source: Path, target: Path) -> list[str]:
    """Write the uniform folder; return the names of its files."""
    if source.is_file():
        return word_average.write(source, settings.max_length, target)
    for name in (CONFIG, *TOKENIZER_FILES):
        if (source / name).is_file():
            copy_file(source / name, target / name)
    shape = read_architecture(source)
    check_stated(source, source)
    _ensure_tokenizer(source, target)
    modules = Modules.of_any(source)
    modules.check(PARTS)
    if modules.listed:
        _refuse_lower_case(source, target / TOKENIZER_FILE)
    if (settings.layers or 0) > shape.num_hidden_layers:
        problem = f"{settings.layers} asked of a model of {shape.num_hidden_layers}"
        raise InputError("layers", problem, "ask for fewer")
    shape = replace(shape, num_hidden_layers=settings.layers or shape.num_hidden_layers)
    pooling = settings.pooling or modules.pooling()
    if "masks" in find_pooling(pooling)[1]:
        shape = replace(shape, mask_token_id=_mask_token(target / TOKENIZER_FILE))
    write_json(target / CONFIG, _uniform_config(read_object(target / CONFIG), shape))
    path = source / WEIGHTS_FILE
    weights = load_weights(path)
    normalise = modules.find("Normalize") is not None
    encoder = build(shape, weights, path, pooling, normalise=normalise)
    prompts = read_prompts(source)
    if settings.prompts is not None:
        prompts = Prompts.of(settings.prompts, settings.default_prompt, "prompts")
    modules.check_prompts(prompts)
    write_prompts(prompts, target)
    files = save(encoder, target, target, settings.max_length, pooler=weights)
    return [*files, *save_head(stored_head(weights), target)]


def _mask_token(tokenizer: Path) -> int:
    """Return the number of a tokenizer's mask token; InputError for a tokenizer without one."""
    number = read_vocabulary(tokenizer).mask
    if number is None:
        problem = f"has no mask token: none of {', '.join(MASK_TOKENS)}"
        raise InputError(tokenizer, problem, "choose another pooling")
    return number


def _uniform_config(config: dict[str, Any], shape: Architecture) -> dict[str, Any]:
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
    if not (target / TOKENIZER_FILE).is_file():
        if not any(any(source.glob(name)) for name in VOCABULARIES):
            problem = f"neither {TOKENIZER_FILE} nor a vocabulary: {', '.join(VOCABULARIES)}"
            raise InputError(source, problem, "fetch the whole folder again")
        from transformers import AutoTokenizer

        with refuse_tokenizer(source, "choose a base with tokenizer.json"):
            tokenizer = AutoTokenizer.from_pretrained(
                str(source), local_files_only=True, trust_remote_code=False
            )
        tokenizer.save_pretrained(str(target))
    check_tokenizer(source if (source / TOKENIZER_FILE).is_file() else target)


def _refuse_lower_case(source: Path, tokenizer: Path) -> None:
    """Raise InputError where texts are to be put in lower case before a tokenizer that does not."""
    path, stated = read_lengths(source)
    normalizer = load_tokenizer(tokenizer).normalizer
    is_cased = normalizer is None or normalizer.normalize_str("A") == "A"
    if stated.get("do_lower_case") and is_cased:
        problem = f"do_lower_case is true, in {TOKENIZER_FILE} it is not: not supported of a base"
        raise InputError(path, problem, "choose another base, or remove the key")
