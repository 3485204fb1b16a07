"""What the stated licence of a data set allows: any use, no commercial use, or nothing that is known.

A licence is free text of the manifest. Only the names below count as free: whatever else is stated,
such as terms of service or a mixture, has to be read by a person.
"""

import re
from collections.abc import Iterable
from typing import Literal

Standing = Literal["free", "non-commercial", "unknown"]

# As a hub names them. Its list also has those with "nd", which allow no weights made from the data.
FREE = frozenset(
    {
        "cc0-1.0",
        *(f"cc-by-{version}" for version in ("2.0", "2.5", "3.0", "4.0")),
        *(f"cc-by-sa-{version}" for version in ("3.0", "4.0")),
        "apache-2.0",
        "mit",
        "odc-by",
        "pddl",
        "cdla-permissive-1.0",
        "cdla-permissive-2.0",
    }
)
NON_COMMERCIAL = frozenset(
    {f"cc-by-nc-{version}" for version in ("2.0", "3.0", "4.0")}
    | {f"cc-by-nc-sa-{version}" for version in ("2.0", "3.0", "4.0")}
)
FORBIDS_COMMERCE = re.compile(r"\bnc\b|\bnon[- ]?commercial|\bresearch\b|\bacademic\b")
REMARK = re.compile(r"\s*\([^()]*\)\s*$")
OTHER = "other"  # a hub's word for a licence that it does not list


def hub_name(licence: str) -> str:
    """Return the name that a hub has for a licence; "other" if it has none."""
    name = re.sub(r"\s+", "-", REMARK.sub("", licence).strip().lower())
    if name in FREE | NON_COMMERCIAL:
        return name
    return OTHER


def standing(licence: str) -> Standing:
    """Return what a licence allows, as far as its text tells."""
    if hub_name(licence) in FREE:
        return "free"
    if FORBIDS_COMMERCE.search(licence.lower()):
        return "non-commercial"
    return "unknown"


def common_standing(licences: Iterable[str]) -> Standing:
    """Return what all licences together allow: what the strictest does; of none it is unknown."""
    found = {standing(licence) for licence in licences}
    for strict in ("non-commercial", "unknown"):
        if strict in found:
            return strict
    if found:
        return "free"
    return "unknown"


def common_hub_name(licences: Iterable[str]) -> str:
    """Return a hub's name for the licence that all have; "other" if they have several."""
    found = {hub_name(licence) for licence in licences}
    if len(found) == 1:
        return found.pop()
    return OTHER
