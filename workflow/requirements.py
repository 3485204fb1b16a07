"""Print the requirements of pyproject.toml, so that the one list serves every installer."""

import sys
import tomllib


def main(path: str, *extras: str) -> None:
    """Print the project's dependencies and those of the named extras, one a line."""
    with open(path, "rb") as stream:
        project = tomllib.load(stream)["project"]
    print(
        *project["dependencies"],
        *(r for e in extras for r in project["optional-dependencies"][e]),
        sep="\n",
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
