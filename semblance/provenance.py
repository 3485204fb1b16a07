"""Where a number comes from: digests of files, the environment, run records.

Standard library only: Snakemake imports it at each start.
"""

import contextlib
import functools
import hashlib
import importlib.metadata
import json
import os
import platform
import resource
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from semblance import strict_json
from semblance.errors import InputError, at
from semblance.files import open_regular, read_regular, write_text

ROOT = Path(__file__).resolve().parent.parent
# The project, and the distributions that have folders of their own in it.
DISTRIBUTIONS = (ROOT, *sorted(path.parent for path in ROOT.glob("*/pyproject.toml")))
# The packages of code that counts, and the folder that each lies in.
PACKAGES = {
    path.parent.name: folder for folder in DISTRIBUTIONS for path in folder.glob("*/__init__.py")
}
SEAL = "sha256"  # the key of a record that holds the digest of all its other keys
# When, how long and how often a stage ran. No result depends on it, so no record says it: a record
# that is made again of equal results has the same bytes, and what has read it stays valid. Records
# of earlier versions, such as those of kept runs, hold it, and their digests leave it out.
CIRCUMSTANCES = frozenset({"seconds", "processor_seconds", "memory", "finished", "attempts"})
BESIDE = ".circumstances"  # the ending of the file beside a record that says it
DELETE = "delete it and run again"
# The flags of a stage by which a config reaches its result; all others name files, code or cadence.
SETTINGS = (
    "--settings",
    "--run",
    "--threads",
    "--precision",
    "--matmul",
    "--gpus",
    "--max-length",
)
# The largest text that is read at once, in bytes: the record of a table lists some 200 bytes a run.
# Of 8 MB of JSON, Python makes at most 230 MB of values.
MOST_TEXT = 8 << 20
LIBRARIES = (
    *("torch", "transformers", "tokenizers", "safetensors", "datasets", "pyarrow"),
    *("numpy", "scipy", "scikit-learn", "pandas", "sacremoses", "snakemake"),
)


class Record(dict[str, Any]):
    """What a sealed file says; ``path`` is where it was read."""

    path: Path


def file_digest(path: str | os.PathLike) -> str:
    """Return the sha256 of a regular file's content as 64 hex digits; InputError for anything else."""
    with open_regular(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def damage(path: Path, expected: str) -> str:
    """Return what is wrong with a file whose digest is known; empty if nothing is."""
    if not path.is_file():
        return f"missing: expected sha256 {expected}"
    actual = file_digest(path)
    if actual == expected:
        return ""
    return f"damaged: expected sha256 {expected}, found {actual}"


def text_digest(text: str) -> str:
    """Return the sha256 of a text in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def settings_digest(words: Sequence[str]) -> str:
    """Return a digest of the settings among the words of a stage's command."""
    flags = [words[i : i + 2] for i, word in enumerate(words) if word in SETTINGS]
    return text_digest(canonical(flags))


def canonical(value: Any) -> str:
    """Return the one JSON form of a value: sorted keys, no white space."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def environment() -> dict[str, str]:
    """Return the versions and the machine that a result may depend on."""
    facts = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "system": platform.system(),
    }
    return facts | {name: _version(name) for name in LIBRARIES}


@functools.cache
def _version(library: str) -> str:
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return "absent"


def write_json(path: str | os.PathLike, value: Any) -> None:
    """Write JSON for people, atomically, with sorted keys."""
    write_text(path, _pretty(value))


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def read_text(path: str | os.PathLike, most: int = MOST_TEXT, advice: str = DELETE) -> str:
    """Read a text file in UTF-8 of at most ``most`` bytes.

    Raises InputError if it is missing, too large or no regular file, and, with the line, if it is
    not UTF-8.
    """
    try:
        content = read_regular(path, most)
        return content.decode("utf-8")
    except FileNotFoundError:
        raise InputError(path, "no such file", "run the stage that writes it") from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(at(path, line), f"not UTF-8: {error.reason}", advice) from None


def read_json(path: str | os.PathLike, advice: str = DELETE) -> Any:
    """Read a file of strict JSON; InputError if it is anything else, with the line if it is known."""
    text = read_text(path, advice=advice)
    try:
        return strict_json.parse_strict(text)
    except json.JSONDecodeError as error:
        problem = f"not readable as JSON ({error.msg})"
        raise InputError(at(path, error.lineno), problem, advice) from None
    except ValueError as error:
        raise InputError(path, f"not readable as JSON ({error})", advice) from None


def read_object(path: str | os.PathLike) -> dict[str, Any]:
    """Read a JSON file that holds an object; InputError if it holds anything else."""
    value = read_json(path)
    if not isinstance(value, dict):
        raise InputError(path, f"a JSON {type(value).__name__}, not an object", DELETE)
    return value


def write_sealed(path: str | os.PathLike, value: dict) -> None:
    """Write a JSON object together with the digest of itself."""
    write_json(path, {**value, SEAL: text_digest(canonical(value))})


def read_sealed(path: str | os.PathLike) -> Record:
    """Read what ``write_sealed`` wrote; InputError if one bit of the file has changed."""
    value = read_json(path)
    text = read_text(path)
    expected = None
    if isinstance(value, dict):
        expected = value.pop(SEAL, None)
    actual = text_digest(canonical(value))
    if expected != actual or text != _pretty({**value, SEAL: expected}):
        problem = f"damaged: expected sha256 {expected} of its content, found {actual}"
        raise InputError(path, problem, DELETE)
    record = Record(value)
    record.path = Path(path)
    return record


def record_digest(record: dict) -> str:
    """Return the digest of what a record says, its circumstances left out.

    The records of its readers keep it. A stage that is killed and started again, or runs in another
    folder, writes a record of the same digest.
    """
    said = {name: value for name, value in record.items() if name not in CIRCUMSTANCES}
    if "inputs" in said:
        said["inputs"] = [{**link, "place": ""} for link in said["inputs"]]
    return text_digest(canonical(said))


def outputs_digest(record: dict) -> str:
    """Return the digest of all outputs of a record together."""
    return text_digest(canonical(record["outputs"]))


def read_records(paths: Iterable[str | os.PathLike]) -> dict[str, Record]:
    """Return {path: record} of the records at these paths."""
    return {str(path): read_sealed(path) for path in paths}


def digests(folder: str | os.PathLike, names: Iterable[str]) -> dict[str, str]:
    """Return {name: sha256} of files in a folder."""
    return {name: file_digest(Path(folder, name)) for name in sorted(names)}


def beside(record_path: str | os.PathLike, path: str | os.PathLike) -> str:
    """Return a path relative to a record's folder, which stays right when both are copied."""
    return Path(os.path.relpath(path, Path(record_path).parent)).as_posix()


def place_of(record_path: str | os.PathLike, path: str | os.PathLike) -> str:
    """Return where a path lies, for a record: relative to its folder, or else absolute.

    It is absolute where the two have only the root folder in common, such as /scratch and /home:
    then no copy would keep them together. It is absolute, too, where the way up from the record
    leads through a symbolic link: it would depend on the name by which a reader comes.
    """
    folder = os.path.abspath(Path(record_path).parent)
    common = os.path.commonpath([folder, os.path.abspath(path)])
    way = os.path.relpath(folder, common)
    is_straight = os.path.realpath(folder) == os.path.normpath(os.path.realpath(common) + f"/{way}")
    if common == os.sep or not is_straight:
        return os.path.abspath(path)
    return beside(record_path, path)


def named_beside(record_path: str | os.PathLike, found: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known of files, each named by its path relative to a record's folder."""
    return {beside(record_path, path): value for path, value in found.items()}


def linked(
    path: str | os.PathLike, inputs: Mapping[str, str], records: Mapping[str, Record | Path]
) -> list[dict[str, str]]:
    """Return the inputs of the record at ``path`` as links: role, place, digest, record.

    ``inputs`` maps a role, or a path relative to the record, to the digest of what was read, and
    ``records`` the same or any other name to the record that lists it; of an input in no record, to
    the file. The link leads to that record and keeps the digest of what it says.
    """
    folder = Path(path).parent
    owners = {}
    for record in records.values():
        if isinstance(record, Record):
            files = [record.path.parent / name for name in record.get("outputs", {})]
            owners |= {os.path.abspath(file): record for file in files}
    links = []
    for role, digest in sorted(inputs.items()):
        link = {"role": role, "place": "", "digest": digest, "record": ""}
        source = records.get(role) or owners.get(os.path.abspath(folder / role))
        if isinstance(source, Record):
            link |= {"place": place_of(path, source.path), "record": record_digest(source)}
        elif source is not None:
            link["place"] = place_of(path, source)
        links.append(link)
    return links


def input_digests(record: Mapping[str, Any]) -> dict[str, str]:
    """Return {role: digest} of what a record's stage has read."""
    return {link["role"]: link["digest"] for link in record.get("inputs", [])}


def write_record(
    path: str | os.PathLike,
    stage: str,
    *,
    outputs: Iterable[str],
    started: float,
    inputs: Mapping[str, str] | None = None,
    records: Mapping[str, Record | Path] | None = None,
    **facts: Any,
) -> dict:
    """Write the record of a stage beside its outputs, after them: a record means that all is there.

    ``outputs`` are names relative to the record's folder; ``inputs`` and ``records`` say what was
    read, as ``linked`` takes them; ``facts`` are the code, settings, seeds, steps and the like.
    ``started`` is the ``time.monotonic()`` at the start, which no change of the clock disturbs. Such
    circumstances go into a file of their own, before the record.
    """
    # A name such as ../corpus can be opened from an existing folder only.
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    record = {
        "stage": stage,
        "outputs": digests(Path(path).parent, outputs),
        "inputs": linked(path, inputs or {}, records or {}),
        "code": "",
        "given": settings_digest(sys.argv),
        "environment": environment(),
        **facts,
    }
    ran = {
        "seconds": round(time.monotonic() - started, 3),
        **_used(),
        "finished": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        **{name: record.pop(name) for name in CIRCUMSTANCES & record.keys()},
    }
    write_json(circumstances_file(path), ran)
    write_sealed(path, record)
    return record


def circumstances_file(record_path: str | os.PathLike) -> Path:
    """Return where the circumstances of a record's stage lie: ``record.circumstances``, beside it."""
    return Path(record_path).with_suffix(BESIDE)


def circumstances(record_path: str | os.PathLike) -> dict[str, Any]:
    """Return the circumstances under which a record's stage ran; {} if they are lost or damaged."""
    with contextlib.suppress(InputError):
        return read_object(circumstances_file(record_path))
    return {}


def _used() -> dict[str, float]:
    """Return the seconds of processor time of this process, and the MB that it held at most.

    Snakemake's benchmark measures the program that it starts, which may only wait for the process
    that does the work (``workflow.fork_client``).
    """
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = round(used.ru_utime + used.ru_stime, 3)
    return {"processor_seconds": seconds, "memory": round(used.ru_maxrss / 1024, 1)}


def checked(record_path: str | os.PathLike, *names: str) -> Record:
    """Return a record after comparing the files beside it, or those named, with its digests.

    Raises InputError with the expected and the actual digest, and how to make the file again.
    """
    record = read_sealed(record_path)
    if not isinstance(record.get("outputs"), dict):
        raise InputError(record_path, "no record of a stage: it lists no outputs", DELETE)
    advice = f"delete {record_path} and run again"
    for name in names or tuple(record["outputs"]):
        path = Path(record_path).parent / name
        expected = record["outputs"].get(name)
        if expected is None:
            raise InputError(path, f"not listed in {record_path}", advice)
        if problem := damage(path, expected):
            raise InputError(path, problem, advice)
    return record


def checked_digest(record_path: str | os.PathLike, path: str | os.PathLike) -> str:
    """Return the sha256 of one output of a record, after comparing the file with it as ``checked``."""
    name = beside(record_path, path)
    return checked(record_path, name)["outputs"][name]
