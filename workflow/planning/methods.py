"""The names of methods: ``start``, a key of ``methods``, or KIND-PHI for an entropy model."""

import re

PHI = re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,18})?(e-?[0-9]{1,2})?")


def entropy_parts(config: dict, method: str) -> tuple[str, str] | None:
    """Split ``KIND-PHI`` into the kind and the literal φ; None for any other method name."""
    for kind in sorted(config["train_entropy"]["kinds"], key=len, reverse=True):
        phi = method.removeprefix(f"{kind}-")
        if phi != method and PHI.fullmatch(phi):
            return kind, phi
    return None
