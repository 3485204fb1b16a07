"""Our encoder with an ONNX file in the place of its transformer: how both are compared."""

from pathlib import Path

import numpy as np
import onnxruntime
import torch
from torch import Tensor

from semblance.exporting.onnx_files import OUTPUT
from semblance.models.encoder import Encoder
from semblance.models.packing import Packed


class OnnxEncoder(Encoder):
    """Batches, pooling, head and scaling of an encoder; onnxruntime computes the token states."""

    def __init__(self, encoder: Encoder, path: Path):
        """Share the modules of ``encoder``; ``path`` is an ONNX file of the same model."""
        torch.nn.Module.__init__(self)
        vars(self).update(vars(encoder))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        providers = ["CPUExecutionProvider"]
        self.session = onnxruntime.InferenceSession(str(path), options, providers=providers)

    def token_states(self, packed: Packed, plan: None = None, read: dict | None = None) -> Tensor:
        """Return what the ONNX file makes of each token, (T, d), of one padded batch."""
        lengths = packed.lengths.numpy()
        real = np.arange(lengths.max()) < lengths[:, None]  # (n, t)
        ids = np.full(real.shape, self.shape.pad_token_id, np.int64)
        ids[real] = packed.ids.numpy()
        given = {
            "input_ids": ids,
            "attention_mask": real.astype(np.int64),
            "token_type_ids": np.zeros_like(ids),
        }
        named = [each.name for each in self.session.get_inputs()]
        (states,) = self.session.run([OUTPUT], {name: given[name] for name in named})
        return torch.from_numpy(states[real])
