"""A sentence's vector is that of a mask token at its end, before the last special token.

PromptBERT (Jiang et al. 2022) takes this state, with a prompt around the sentence. Here there is no
prompt.
"""

from torch import Tensor

from semblance.models.packing import Packed


def pool(last: Tensor, packed: Packed, masks: Tensor) -> Tensor:
    """Take each sentence's mask token: (T, d) to (n, d), in packed order."""
    return last[masks]
