"""What was found in a user's file, as numbers: the tests of the readers ask for it."""

import re

from semblance.data.faq import Faq


def places(faq: Faq, kind: str) -> list[tuple[int, int]]:
    """Return each line with a finding of a kind, and the earlier line that it is like or 0."""
    found = []
    for line in faq.reading.lines:
        if f": {kind}: " not in line:
            continue
        words = line.rpartition("): line ")[2].split(", ")
        for first, last, like in re.findall(
            r"(\d+)(?: to (\d+))?(?: \(as (\d+)\))?", " ".join(words)
        ):
            found += [
                (number, int(like or 0)) for number in range(int(first), int(last or first) + 1)
            ]
    return found
