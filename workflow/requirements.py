"""Print the requirements of pyproject.toml, so that the one list serves every installer."""

import re
import sys
import tomllib
from collections.abc import Iterator
from typing import Any


def requirements(project: dict[str, Any], extras: list[str]) -> Iterator[str]:
    """Yield the project's dependencies and those of the named extras, which may name others."""
    waiting = [project["dependencies"], *(project["optional-dependencies"][e] for e in extras)]
    for listed in waiting:
        for requirement in listed:
            if own := re.fullmatch(rf"{project['name']}\[(.*)\]", requirement):
                waiting += [project["optional-dependencies"][e] for e in own[1].split(",")]
            else:
                yield requirement


def main(path: str, *extras: str) -> None:
    """Print the requirements of a file, one a line."""
    with open(path, "rb") as stream:
        project = tomllib.load(stream)["project"]
    print(*requirements(project, list(extras)), sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
