"""Premises and hypotheses of SNLI or MultiNLI, with one of three labels."""

from semblance.data.nli import LABELS
from semblance.data.nli import read_release as read

__all__ = ["LABELS", "read"]
