"""What pyproject.toml cannot say of the build: the package notes the commit that it was built from."""

import shutil
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

CHECKOUT = Path(__file__).resolve().parent
FOLDER = "semblance_workflow"


class BuildWithCommit(build_py):
    """Copies the files that pyproject.toml names, and writes the commit beside them."""

    def run(self) -> None:
        """Copy into an empty folder: what an earlier build left there may be gone from the checkout."""
        if self.editable_mode:  # the package is the checkout itself
            super().run()
            return
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()
        sys.path.insert(0, str(CHECKOUT))
        from semblance.version import BUILT, code_commit

        Path(self.build_lib, FOLDER, BUILT.name).write_text(f"{code_commit()}\n", encoding="utf-8")

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        """Return no module: of those at the top of the checkout, this one alone is there."""
        return []


setup(cmdclass={"build_py": BuildWithCommit})
