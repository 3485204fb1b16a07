"""What a distribution beside the project adds to it: modules of its package ``extends``, by their places.

``settings`` has sections of the config, ``checks`` what does not go together in them, ``stages`` more
stages, ``report`` sections of the page, whose templates lie beside it, ``explain`` results that are no
cell. Their rules stand in the distribution's Snakefile. Where no distribution has such a module, there
is nothing more.
"""

import importlib
from types import ModuleType

from semblance.named_modules import EXTENDS
from semblance.provenance import DISTRIBUTIONS

RULES = [
    str(folder / "Snakefile") for folder in DISTRIBUTIONS[1:] if (folder / "Snakefile").is_file()
]
TEMPLATES = [path for folder in EXTENDS.values() for path in sorted(folder.glob("*.j2"))]


def names(part: str) -> list[str]:
    """Return the full names of the modules that add to a part of the project."""
    files = {name: folder / f"{part}.py" for name, folder in EXTENDS.items()}
    return [f"{name}.{part}" for name, file in files.items() if file.is_file()]


def extensions(part: str) -> list[ModuleType]:
    """Return the modules that add to a part of the project."""
    return [importlib.import_module(name) for name in names(part)]
