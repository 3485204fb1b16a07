"""AdamW over torch's own fused kernel, without ``torch.optim``.

Any ``torch.optim`` optimiser imports torch's compiler, which takes as long as importing torch
itself, and every training would pay for that. A test holds this equal to
``torch.optim.AdamW(fused=True)``, bit for bit.
"""

import torch
from torch import Tensor, nn

BETAS = (0.9, 0.999)
EPSILON = 1e-8


class AdamW:
    """Decoupled weight decay (Loshchilov and Hutter 2019); biases and layer norms do not decay."""

    def __init__(self, model: nn.Module, weight_decay: float):
        decayed, undecayed = [], []
        for name, parameter in model.named_parameters():
            if not parameter.requires_grad:
                continue
            # As BERT was trained: gains and biases do not decay (R27).
            if name.endswith("bias") or "norm" in name:
                undecayed.append((name, parameter))
            else:
                decayed.append((name, parameter))
        self.groups = [(decayed, weight_decay), (undecayed, 0.0)]
        self.state: dict[str, dict[str, Tensor]] = {}  # by name of the parameter

    @torch.no_grad()
    def step(self, learning_rate: float | Tensor) -> None:
        """Update every parameter that has a gradient; a recorded step reads its rate, (), on a GPU."""
        for named, decay in self.groups:
            # A layer that a method leaves out, such as a pooler, has no gradient and must not decay.
            used = [(name, p) for name, p in named if p.grad is not None]
            if not used:
                continue
            states = [self._state(name, p) for name, p in used]
            counts = [state["step"] for state in states]
            torch._foreach_add_(counts, 1)  # one launch on a GPU, not one for each parameter
            torch._fused_adamw_(
                [p for _, p in used],
                [p.grad for _, p in used],
                [state["mean"] for state in states],
                [state["square"] for state in states],
                [],
                counts,
                lr=learning_rate,
                beta1=BETAS[0],
                beta2=BETAS[1],
                weight_decay=decay,
                eps=EPSILON,
                amsgrad=False,
                maximize=False,
            )

    def _state(self, name: str, parameter: Tensor) -> dict[str, Tensor]:
        """Return a parameter's number of steps and its two moments, zero at first."""
        if name not in self.state:  # made once: it is twice as large as the model
            self.state[name] = {
                "step": torch.zeros((), dtype=torch.float32, device=parameter.device),
                "mean": torch.zeros_like(parameter),
                "square": torch.zeros_like(parameter),
            }
        return self.state[name]

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for named, _ in self.groups:
            for _, parameter in named:
                parameter.grad = None  # frees its memory, where zeros would keep it
