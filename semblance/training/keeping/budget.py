"""The time that a training may take: batch systems end a job at its limit, and no signal tells it before."""

import math
import time

MARGIN = 60.0  # seconds that are always kept back
SAVES = (
    3.0  # how many times the last save's duration is kept back: the disk may be slower next time
)


class Budget:
    """Tells before each piece of work whether it and a save after it still fit before ``stop_at``.

    ``stop_at`` is in seconds since the epoch, None for no limit. Kept back are max(MARGIN, SAVES x the
    last save) and the longest piece of the same kind so far, saves in between included.
    """

    def __init__(self, stop_at: float | None = None):
        self.stop_at = math.inf if stop_at is None else stop_at
        self.longest: dict[str, float] = {}  # kind of work -> seconds; kept in checkpoints
        self.left = self.needed = 0.0
        self._work, self._began = "", 0.0

    def fits(self, work: str, save: float) -> bool:
        """Tell whether there is time for a piece of ``work``, which begins now; ``save``: a save's seconds."""
        now = time.monotonic()
        if self._work:
            self.longest[self._work] = max(self.longest.get(self._work, 0.0), now - self._began)
        self._work, self._began = work, now
        self.left = self.stop_at - time.time()
        self.needed = max(MARGIN, SAVES * save) + self.longest.get(work, 0.0)
        return self.left >= self.needed
