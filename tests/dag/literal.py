"""A copy of the project for the promised command: config.yaml and the manifest, literally, but small.

Only addresses, digests, sizes and counts are replaced: each address by one of a server on this
machine, which answers for all of them with the demo's small files, and each hub's model by a tiny
one. What the two files say beside that stays.
"""

import subprocess
from pathlib import Path

import yaml

from tests.dag.tiny import ROOT, Project, run_module, write_base
from tests.hostile.test_archives import tarred, zipped
from tests.local_http import LocalServer, blob_name
from tests.unit.fetch.examples import sha

DEMO = ROOT / "demo"
DEAD = "/dead/address"
POSITIONS = 512  # of the tiny bases: as many as the config's longest input


class LiteralProject(Project):
    """A scratch copy of the project whose config.yaml and manifest name a local server's addresses."""

    def __init__(self, folder: Path, server: LocalServer):
        super().__init__(folder)
        (folder / "tiny.yaml").unlink()
        self.server = server
        self.manifest = self._serve_manifest()
        self.write_manifest()
        self._serve_bases(folder / "tiny-hub")

    def write_manifest(self) -> None:
        """Write the manifest, after a change of ``self.manifest``."""
        path = self.folder / "workflow/manifest.yaml"
        path.write_text(yaml.safe_dump({"datasets": self.manifest}, sort_keys=False))

    def file(self, path: str) -> dict:
        """Return the manifest's entry of a file."""
        files = [f for data in self.manifest.values() for f in data.get("files") or []]
        return next(file for file in files if file["path"] == path)

    def path_of(self, url: str) -> str:
        """Return the path at which the server answers for an address of the original manifest."""
        return "/" + url.partition("://")[2].removeprefix(self.server.url.partition("://")[2] + "/")

    def run(self, *arguments: str) -> subprocess.CompletedProcess:
        """Run the promised command in the copy: snakemake --cores all."""
        variables = {"HF_HUB_OFFLINE": "0", "NO_PROXY": "*", "no_proxy": "*"}
        words = ("snakemake", "--cores", "all", *arguments)
        return run_module(self.folder, *words, timeout=None, **variables)

    def _serve_manifest(self) -> dict:
        """Serve a small file for each address of the manifest; return the manifest of these files."""
        datasets = yaml.safe_load((ROOT / "workflow/manifest.yaml").read_text())["datasets"]
        small = yaml.safe_load((DEMO / "manifest.yaml").read_text())["datasets"]
        for name, data in datasets.items():
            if name in small:
                data["expected"] = small[name]["expected"]
            for file in data.get("files") or []:
                self._serve_file(file, demo_file(file["path"]))
            for archive in data.get("archives") or []:
                self._serve_file(archive, packed(archive))
        return datasets

    def _serve_file(self, file: dict, content: bytes) -> None:
        """Serve a content at a file's addresses and state its own digests where there were any."""
        replaced = {"sha256": sha(content), "git_blob": blob_name(content), "size": len(content)}
        for key, value in replaced.items():
            if file.get(key) is not None:
                file[key] = value
        served = []
        for url in file["urls"]:
            path = self.path_of(url)
            if "/resolve/" in path:
                commit = path.partition("/resolve/")[2].partition("/")[0]
                self.server.serve_large(path, commit, content)
            else:
                self.server.serve(path, content)
            served.append(self.server.url + path)
        file["urls"] = served

    def _serve_bases(self, folder: Path) -> None:
        """Serve a tiny model for each base of config.yaml, and state its weights' digest there."""
        write_base(folder, POSITIONS)
        files = {path.name: path.read_bytes() for path in folder.iterdir()}
        weights = sha(files["model.safetensors"])
        text = (ROOT / "config.yaml").read_text()
        config = yaml.safe_load(text)
        text = text.replace(config["hub"], self.server.url)
        for base in config["bases"].values():
            commit = base["revision"].ljust(40, "0")
            self.server.serve_hub(base["hub"], commit, files, large=("model.safetensors",))
            listing = f"/api/models/{base['hub']}/revision/"
            self.server.files[listing + base["revision"]] = self.server.files[listing + commit]
            if "weights_sha256" in base:
                text = text.replace(base["weights_sha256"], weights)
        (self.folder / "config.yaml").write_text(text)


def demo_file(path: str) -> bytes:
    """Return the demo's small file in the format of a raw file; some text where no config reads it.

    An archive's member may lie elsewhere in the demo: then the one file of its name counts.
    """
    place = DEMO / "data" / path
    named = list((DEMO / "data").rglob(place.name))
    if not place.is_file() and len(named) == 1:
        [place] = named
    if place.is_file():
        return place.read_bytes()
    return f"in place of {path}\n".encode()


def packed(archive: dict) -> bytes:
    """Return an archive of the demo's small files."""
    members = [(name, demo_file(path)) for name, path in archive["members"].items()]
    return zipped(*members) if archive["path"].endswith(".zip") else tarred(*members)
