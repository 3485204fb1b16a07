"""A kept run for the programs of others: its Workflow Run RO-Crate (https://w3id.org/ro/wfrun, 0.5).

The file says which workflow ran, when, from what and with what result. All of it is read from the
kept folder, the times too, so that the same folder gives the same bytes. Who ran it no record says.
The jobs one by one are in the records, which the profile of single steps (Provenance Run Crate)
would only write down a second time.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from rocrate.model import ContextEntity, Entity
from rocrate.rocrate import ROCrate

from semblance import layout
from semblance.audit.chain import Link, Node, is_download
from semblance.audit.kept import CRATE, PACKED, RECORDS, SCORES, laid_out, open_names
from semblance.errors import InputError
from semblance.fetch.manifest import load_manifest
from semblance.files import copy_file
from semblance.provenance import ROOT, circumstances, file_digest, read_object, write_json
from workflow.planning.outline import ORIGIN

WORKFLOW = "Snakefile"
TERMS = "https://w3id.org/ro/terms/workflow-run/context"  # RO-Crate 1.1 alone has no sha256
PROFILES = {
    "Process Run Crate": "https://w3id.org/ro/wfrun/process/0.5",
    "Workflow Run Crate": "https://w3id.org/ro/wfrun/workflow/0.5",
    "Workflow RO-Crate": "https://w3id.org/workflowhub/workflow-ro-crate/1.0",
}
LICENCE = "The workflow: {}. Data sets and bases, and what is made from them: as each of them says."


def write_crate(folder: Path) -> None:
    """Write the crate of a kept run, and the file of the workflow, which a crate must hold."""
    copy_file(ROOT / WORKFLOW, folder / WORKFLOW)
    config = read_object(folder / "config.json")
    with laid_out(folder) as chain:
        nodes = [chain.node(path) for path in chain.paths]
        began, ended = _times(folder, nodes)
        pages = [folder / name for name in sorted(open_names(chain))]
    packed = sorted(folder.glob(PACKED.format(kind="*", number="*")))
    made = [path for path in (*pages, folder / SCORES, *packed) if path.is_file()]
    crate = _crate(folder, nodes, config["tables"], ended)
    action = crate.add_action(
        crate.mainEntity,
        "#run",
        object=[_file(crate, folder / "config.json"), *_sources(crate, nodes, config["bases"])],
        result=[_file(crate, path) for path in made],
        properties={"startTime": began, "endTime": ended, **_outcome(nodes, config["tables"])},
    )
    crate.root_dataset["mentions"] = action
    _file(crate, folder / RECORDS)["about"] = action
    write_json(folder / CRATE, crate.metadata.generate())


def _times(folder: Path, nodes: Iterable[Node]) -> tuple[str, str]:
    """Return when the first job of a run began and the last one ended, in ISO 8601."""
    began, ended = [], []
    for node in nodes:
        ran = node.record | circumstances(node.path)  # earlier records hold them themselves
        if "finished" in ran:
            ended.append(datetime.fromisoformat(ran["finished"]))
            began.append(ended[-1] - timedelta(seconds=ran["seconds"]))
    if not ended:
        raise InputError(folder, "no record says when its job ran", "keep the run anew")
    return min(began).isoformat(timespec="seconds"), max(ended).isoformat(timespec="seconds")


def _crate(folder: Path, nodes: Iterable[Node], tables: Iterable[str], ended: str) -> ROCrate:
    """Return a crate of the workflow alone, in the versions of Snakemake that the records name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    crate = ROCrate(version="1.1")  # as the profiles
    crate.metadata.extra_contexts.append(TERMS)
    crate.name = f"A run of Semblance: {', '.join(tables)}"
    crate.description = project["description"]
    crate.license = LICENCE.format(project["license"])
    crate.datePublished = ended  # the library's own is the time of writing
    crate.root_dataset["conformsTo"] = [
        _add(crate, profile, name=name, version=profile.rpartition("/")[2])
        for name, profile in PROFILES.items()
    ]
    versions = {node.record["environment"]["snakemake"] for node in nodes}
    named = {"lang": "snakemake", "lang_version": ", ".join(sorted(versions))}
    facts = {key: project[key] for key in ("version", "license")} | _facts(folder / WORKFLOW)
    crate.add_workflow(folder / WORKFLOW, main=True, properties=facts, **named)
    return crate


def _outcome(nodes: list[Node], tables: Iterable[str]) -> dict[str, str]:
    """Return how a run ended: it may be kept before all of its tables are made."""
    said = {"name": "Run of the workflow", "description": f"{len(nodes)} jobs, see {RECORDS}"}
    made = {node.path.stem for node in nodes if node.stage == "render_table"}
    if lacking := sorted(set(tables) - made):
        failed = "http://schema.org/FailedActionStatus"
        return said | {"actionStatus": failed, "error": f"not made: {', '.join(lacking)}"}
    return said | {"actionStatus": "http://schema.org/CompletedActionStatus"}


def _sources(
    crate: ROCrate, nodes: Iterable[Node], bases: Mapping[str, Mapping[str, Any]]
) -> Iterator[Entity]:
    """Add what was read from outside, which the crate does not hold: own files, bases, data sets."""
    links = sorted({link for node in nodes for link in node.links})
    for own in [link for link in links if not link.record]:
        yield _add(crate, f"#{own.digest}", name=own.place.name, sha256=own.digest)
    downloads = [link for link in links if link.record and is_download(link.place)]
    of_bases = [link for link in downloads if link.place.name == layout.RECORD]
    for name in sorted({link.place.parent.name for link in of_bases}):
        base = bases[name]
        origin = " ".join(str(base[key]) for key in ORIGIN if key in base)
        facts = {"name": name, "identifier": origin, "license": base.get("licence")}
        digest = base.get("weights_sha256")
        yield _add(crate, f"#{layout.BASE.format(base=name)}", sha256=digest, **facts)
    raw = [link for link in downloads if link.place.name != layout.RECORD]
    for name in sorted({link.place.stem for link in raw}):
        yield _data_set(crate, name, [link for link in raw if link.place.stem == name])


def _data_set(crate: ROCrate, name: str, read: Iterable[Link]) -> Entity:
    """Add a data set: its files that were read, and what the project's manifest knows of them."""
    digests = {link.role: link.digest for link in read}
    known = load_manifest(ROOT / "workflow/manifest.yaml").get(name)
    facts, urls = {"name": name}, {}
    # A manifest of the user's may have another data set of this name.
    if known and all(f.sha256 in (None, digests.get(f.path, f.sha256)) for f in known.files):
        facts = {"name": known.title, "license": known.licence, "url": known.homepage}
        urls = {file.path: file.urls for file in known.files}
        urls |= {path: file.urls for file in known.archives for path in file.members.values()}
    files = []
    for path, digest in digests.items():
        url = next(iter(urls.get(path, ())), None)
        files.append(_add(crate, f"#{digest}", name=path, sha256=digest, url=url))
    return _add(crate, f"#{layout.RAW_DATA}/{name}", hasPart=files, **facts)


def _add(crate: ROCrate, at: str, /, **facts: object) -> Entity:
    known = {key: value for key, value in facts.items() if value}
    return crate.add(ContextEntity(crate, at, {"@type": "CreativeWork", **known}))


def _file(crate: ROCrate, path: Path) -> Entity:
    return crate.add_file(path, properties=_facts(path))


def _facts(path: Path) -> dict[str, str]:
    size = str(path.stat().st_size)
    return {"name": path.name, "sha256": file_digest(path), "contentSize": size}
