"""Run ``train_entropy`` and print, as JSON, when its training loop began and when its first step ended.

Both are seconds since 1970.
"""

import json
import time

began: dict[str, float] = {}


def fit(model, step_loss, schedule, evaluate, log, checkpoints):
    """Stand in for the loop's ``fit``; note when it begins, and its first event."""
    from semblance.training import loop

    began["loop"] = time.time()

    def noting(event: dict) -> None:
        began.setdefault("step", time.time())
        log(event)

    return loop.fit(model, step_loss, schedule, evaluate, noting, checkpoints)


def main() -> None:
    from semblance.training import run
    from workflow.scripts import train_entropy

    run.fit = fit
    train_entropy.main()
    print(json.dumps(began))


if __name__ == "__main__":
    main()
