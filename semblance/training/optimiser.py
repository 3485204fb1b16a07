"""AdamW over torch's own fused kernel, without ``torch.optim``.

Making any ``torch.optim`` optimiser imports torch's compiler, which takes as long as importing torch
itself; a sweep of hundreds of trainings would pay that hundreds of times. Tests hold this equal to
``torch.optim.AdamW(fused=True)`` bit for bit.
"""

import torch
from torch import Tensor, nn

BETAS = (0.9, 0.999)
EPSILON = 1e-8


class AdamW:
    """Decoupled weight decay (Loshchilov and Hutter 2019); biases and layer norms do not decay."""

    def __init__(self, model: nn.Module, weight_decay: float):
        named = [(n, p) for n, p in model.named_parameters() if p.requires_grad]
        plain = [n for n, _ in named if n.endswith("bias") or "norm" in n]
        self.groups = [
            ([(n, p) for n, p in named if n not in plain], weight_decay),
            ([(n, p) for n, p in named if n in plain], 0.0),
        ]
        self.state: dict[str, dict[str, Tensor]] = {}

    @torch.no_grad()
    def step(self, learning_rate: float) -> None:
        """Update every parameter that has a gradient."""
        for named, decay in self.groups:
            live = [(n, p) for n, p in named if p.grad is not None]
            if not live:
                continue
            states = [self._state(n, p) for n, p in live]
            counts = [s["step"] for s in states]
            torch._foreach_add_(counts, 1)  # one launch on a GPU, not one for each parameter
            torch._fused_adamw_(
                [p for _, p in live],
                [p.grad for _, p in live],
                [s["mean"] for s in states],
                [s["square"] for s in states],
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
                parameter.grad = None
