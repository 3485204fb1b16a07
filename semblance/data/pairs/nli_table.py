"""A table of premises and hypotheses of several sources, with a header and one of three labels."""

from semblance.data.nli import LABELS
from semblance.data.nli import read_table as read

__all__ = ["LABELS", "read"]
