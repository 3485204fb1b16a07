"""The time that a training may take.

A batch system ends a job at its time limit, and no signal tells the training before: it has to look
at the clock.
"""

import math
import time

MARGIN = 60.0  # seconds that are always kept back
SAVES = 3.0  # durations of the last save that are kept back: the disk may be slower next time


class Budget:
    """Tells before each piece of work whether it and a save after it still fit before ``stop_at``.

    ``stop_at`` is in seconds since the epoch, None for no limit. Kept back are max(MARGIN, SAVES x
    the last save) and the longest piece of the same kind so far, saves in between included.
    """

    def __init__(self, stop_at: float | None = None):
        self.stop_at = math.inf
        if stop_at is not None:
            self.stop_at = stop_at
        self.longest: dict[str, float] = {}  # kind of work -> seconds; kept in checkpoints
        self.left = 0.0  # seconds until ``stop_at``
        self.needed = 0.0  # seconds that the next piece of work and a save may take
        self._work = ""  # the piece of work that is being done
        self._began = 0.0

    def fits(self, work: str, save: float) -> bool:
        """Tell whether there is time for a piece of ``work`` now, and for a save after it."""
        now = time.monotonic()
        if self._work:
            longest = self.longest.get(self._work, 0.0)
            self.longest[self._work] = max(longest, now - self._began)
        self._work = work
        self._began = now
        self.left = self.stop_at - time.time()
        self.needed = max(MARGIN, SAVES * save) + self.longest.get(work, 0.0)
        return self.left >= self.needed
