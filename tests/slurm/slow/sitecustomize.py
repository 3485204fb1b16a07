"""Lets a tiny training last long enough to be hurt, by a pause before each step, and hold more memory.

It changes no result.
"""

import importlib.abc
import importlib.util
import os
import sys
import time


class Slow(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name != "semblance.models.optimiser":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        load = spec.loader.exec_module

        def load_slowly(module):
            load(module)
            module.held = b"x" * int(float(os.environ.get("HELD_MB", "0")) * 1e6)
            step = module.AdamW.step
            module.AdamW.step = lambda *args: (
                time.sleep(float(os.environ["SLOW_STEP"])),
                step(*args),
            )[1]

        spec.loader.exec_module = load_slowly
        return spec


sys.meta_path.insert(0, Slow())
