"""Embeddings: the input of a classifier's last linear layer, per image [nao, sec. 4.3].

In a residual network, this is the output of the global average pooling: 2,048 numbers for BiT
ResNet-50. The input is captured by a hook, so the network itself does not change.
"""

import torch
from jaxtyping import Float32
from torch import nn

from robust_lib.errors import ModelError
from robust_lib.models.adapter import TorchClassifier
from robust_lib.models.contract import Classifier, Images

ModelEmbeddings = Float32[torch.Tensor, "images size"]


def last_layer(model: Classifier) -> nn.Linear | nn.Conv2d:
    """Return the linear layer, or 1 x 1 convolution, that computes a classifier's logits.

    Raises:
        ModelError: the model is not a torch network, or has no linear layer with its number of
            outputs.
    """
    if not isinstance(model, TorchClassifier):
        raise ModelError(
            f"Expected a torch network, whose last layer is accessible, but {model.name} is a "
            f"{type(model).__name__}, of which only the outputs are known. Wrap the network itself "
            "in TorchClassifier."
        )
    linear = [part for part in model.module.modules() if _outputs(part) == model.outputs]
    if not linear:
        raise ModelError(
            f"Expected {model.name} to end in a linear layer with {model.outputs} outputs, but it "
            "has none. An embedding is the input of that layer: use another network."
        )
    found = linear[-1]
    assert isinstance(found, nn.Linear | nn.Conv2d)
    return found


def embedded(model: Classifier, images: Images) -> ModelEmbeddings:
    """Return the embeddings of a batch; feature maps are averaged over the image.

    Raises:
        ModelError: see `last_layer`; or the layer is not called exactly once per batch, with a
            vector or a map for each image.
    """
    layer = last_layer(model)
    entered: list[torch.Tensor] = []

    def catch(_: nn.Module, given: tuple[object, ...]) -> None:
        entered.extend(one for one in given[:1] if isinstance(one, torch.Tensor))

    hook = layer.register_forward_pre_hook(catch)
    try:
        model(images)
    finally:
        hook.remove()
    if len(entered) != 1 or entered[0].ndim not in (2, 4) or len(entered[0]) != len(images):
        shapes = " and ".join(str(tuple(one.shape)) for one in entered)
        came = f"tensors of shape {shapes}" if shapes else "nothing"
        raise ModelError(
            f"Expected a vector or a map for each of {len(images)} images to enter the last layer "
            f"of {model.name} once, but got {came}. Use another network."
        )
    vectors = entered[0] if entered[0].ndim == 2 else entered[0].mean((2, 3))
    return vectors.detach().to("cpu", torch.float32)


def _outputs(part: nn.Module) -> int | None:
    """Return how many outputs a layer has that sees one place at a time; None for any other."""
    if isinstance(part, nn.Linear):
        return part.out_features
    if isinstance(part, nn.Conv2d) and part.kernel_size == (1, 1):
        return part.out_channels
    return None
