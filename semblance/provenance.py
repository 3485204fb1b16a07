"""Where a number comes from: digests of files, the environment, run records.

Standard library only, so that the workflow's controller can import it for nothing.
"""

import hashlib
import importlib.metadata
import json
import os
import platform
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from semblance.errors import InputError, at
from semblance.files import write_text

ROOT = Path(__file__).resolve().parent.parent
SEAL = "sha256"  # of a record: the digest of all else that it says
LIBRARIES = (
    "torch",
    "transformers",
    "tokenizers",
    "safetensors",
    "datasets",
    "pyarrow",
    "numpy",
    "scipy",
    "pandas",
    "snakemake",
)


def file_digest(path: str | os.PathLike) -> str:
    """Return the sha256 of a file's content as 64 hex digits."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def text_digest(text: str) -> str:
    """Return the sha256 of a text in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def canonical(value: Any) -> str:
    """Return the one JSON form of a value: sorted keys, no white space."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def environment() -> dict[str, str]:
    """Return the versions and the machine that a result may depend on."""
    found = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "system": platform.system(),
    }
    for name in LIBRARIES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "absent"
    return found


def write_json(path: str | os.PathLike, value: Any) -> None:
    """Write JSON for people, atomically, with sorted keys."""
    write_text(path, _pretty(value))


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def read_text(path: str | os.PathLike) -> str:
    """Read a UTF-8 text file; InputError names it if it is missing, and the line that is not UTF-8."""
    try:
        content = Path(path).read_bytes()
        return content.decode("utf-8")
    except FileNotFoundError:
        raise InputError(path, "no such file", "run the stage that writes it") from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            at(path, line), f"not UTF-8: {error.reason}", "delete it and run again"
        ) from None


def read_json(path: str | os.PathLike) -> Any:
    """Read a JSON file; InputError names the file if it is missing or damaged, and the line if it can."""
    try:
        return json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise InputError(
            at(path, error.lineno), f"not readable as JSON ({error.msg})", "delete it and run again"
        ) from None
    except (ValueError, RecursionError) as error:
        raise InputError(
            path, f"not readable as JSON ({error})", "delete it and run again"
        ) from None


def read_object(path: str | os.PathLike) -> dict[str, Any]:
    """Read a JSON file that holds an object; InputError if it holds anything else."""
    value = read_json(path)
    if not isinstance(value, dict):
        raise InputError(
            path, f"a JSON {type(value).__name__}, not an object", "delete it and run again"
        )
    return value


def write_sealed(path: str | os.PathLike, value: dict) -> None:
    """Write a JSON object together with the digest of itself."""
    write_json(path, {**value, SEAL: text_digest(canonical(value))})


def read_sealed(path: str | os.PathLike) -> dict:
    """Read what ``write_sealed`` wrote; InputError if so much as one bit is not as it was written."""
    text = Path(path).read_text(encoding="utf-8", errors="replace") if Path(path).is_file() else ""
    value = read_json(path)
    expected = value.pop(SEAL, None) if isinstance(value, dict) else None
    try:
        actual = text_digest(canonical(value))
    except (
        ValueError,
        RecursionError,
    ) as error:  # NaN or half a surrogate pair, as none of ours has
        raise InputError(path, f"damaged: {error}", "delete it and run again") from None
    if expected != actual or text != _pretty({**value, SEAL: expected}):
        raise InputError(
            path,
            f"damaged: expected sha256 {expected} of its content, found {actual}",
            "delete it and run again",
        )
    return value


def digests(folder: str | os.PathLike, names: Iterable[str]) -> dict[str, str]:
    """Return {name: sha256} of files in a folder."""
    return {name: file_digest(Path(folder, name)) for name in sorted(names)}


def beside(record_path: str | os.PathLike, path: str | os.PathLike) -> str:
    """Return a path as a record names it: relative to the record's folder, so that a copy of both stays true."""
    return Path(os.path.relpath(path, Path(record_path).parent)).as_posix()


def write_record(
    path: str | os.PathLike,
    stage: str,
    *,
    outputs: Iterable[str],
    started: float,
    code: str = "",
    inputs: dict[str, str] | None = None,
    **facts: Any,
) -> dict:
    """Write the record of a stage beside its outputs, last, so that it vouches for them.

    ``outputs`` are names relative to the record's folder; ``inputs`` maps what was read to its
    digest; ``facts`` are the settings, seeds, device, steps and the like. ``started`` is
    ``time.monotonic()`` then: a clock that jumps makes no time negative.
    """
    Path(path).parent.mkdir(
        parents=True, exist_ok=True
    )  # ../ leads nowhere from a folder that is not there
    record = {
        "stage": stage,
        "outputs": digests(Path(path).parent, outputs),
        "inputs": inputs or {},
        "code": code,
        "environment": environment(),
        "seconds": round(time.monotonic() - started, 3),
        "finished": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        **facts,
    }
    write_sealed(path, record)
    return record


def checked(record_path: str | os.PathLike, *names: str) -> dict:
    """Return a record after checking files beside it (all of them by default) against it.

    Raises InputError with the expected and the actual digest, and how to rebuild just that.
    """
    record, folder = read_sealed(record_path), Path(record_path).parent
    if not isinstance(record.get("outputs"), dict):
        raise InputError(
            record_path, "no record of a stage: it lists no outputs", "delete it and run again"
        )
    for name in names or tuple(record["outputs"]):
        path, expected = folder / name, record["outputs"].get(name)
        if expected is None:
            raise InputError(
                path, f"not vouched for by {record_path}", f"delete {record_path} and run again"
            )
        if not path.is_file():
            raise InputError(path, "missing", f"delete {record_path} and run again")
        actual = file_digest(path)
        if actual != expected:
            raise InputError(
                path,
                f"damaged: expected sha256 {expected}, found {actual}",
                f"delete {record_path} and run again",
            )
    return record
