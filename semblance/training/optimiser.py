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
        self.groups = [([(n, p) for n, p in named if n not in plain], weight_decay),
                       ([(n, p) for n, p in named if n in plain], 0.0)]
        self.state: dict[str, dict[str, Tensor]] = {}

    @torch.no_grad()
    def step(self, learning_rate: float) -> None:
        """Update every parameter that has a gradient."""
        for named, decay in self.groups:
            live = [(n, p) for n, p in named if p.grad is not None]
            states = [self.state.setdefault(n, _fresh(p)) for n, p in live]
            if live:
                torch._fused_adamw_(
                    [p for _, p in live], [p.grad for _, p in live], [s["mean"] for s in states],
                    [s["square"] for s in states], [], self._count(states), lr=learning_rate, beta1=BETAS[0],
                    beta2=BETAS[1], weight_decay=decay, eps=EPSILON, amsgrad=False, maximize=False)

    @staticmethod
    def _count(states: list[dict[str, Tensor]]) -> list[Tensor]:
        for state in states:
            state["step"] += 1
        return [state["step"] for state in states]

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for named, _ in self.groups:
            for _, parameter in named:
                parameter.grad = None


def _fresh(parameter: Tensor) -> dict[str, Tensor]:
    return {"step": torch.zeros((), dtype=torch.float32, device=parameter.device),
            "mean": torch.zeros_like(parameter), "square": torch.zeros_like(parameter)}
