"""open_clip models as ImageNet classifiers: the class with the nearest description is predicted.

Descriptions are open_clip's own: its names of the thousand classes, and the eighty templates behind
its published numbers. open_clip is not installed with this library.
"""

import importlib
from typing import Any

import torch
from torch import nn

from robust_lib.errors import InputError, ModelError, one_of
from robust_lib.models.adapter import Precision, TorchClassifier
from robust_lib.preprocessing import Preprocessing

PREFIX = "open_clip/"


def is_named(name: str) -> bool:
    """Return whether a name refers to an open_clip model.

    >>> is_named("open_clip/ViT-B-32@laion2b_s34b_b79k"), is_named("timm/resnet50")
    (True, False)
    """
    return name.startswith(PREFIX)


class ZeroShot(nn.Module):
    """From images to logits: the similarity of each image to the description of each class."""

    words: torch.Tensor

    def __init__(self, model: nn.Module, words: torch.Tensor) -> None:
        super().__init__()
        self.model = model
        self.register_buffer("words", words)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Return one logit per class: cosine similarities with the model's learnt scale."""
        model: Any = self.model
        seen = model.encode_image(images, normalize=True)
        logits: torch.Tensor = model.logit_scale.exp() * (seen @ self.words)
        return logits


def load(name: str, *, device: str = "cpu", precision: Precision = "float32") -> TorchClassifier:
    """Return a zero-shot classifier of the thousand ImageNet classes.

    Args:
        name: "open_clip/MODEL@WEIGHTS", such as "open_clip/ViT-B-32@laion2b_s34b_b79k".

    Raises:
        InputError: an unknown model or weights.
        ModelError: open_clip is not installed, its weights cannot be obtained, or it resizes images
            in an unsupported way.
    """
    library = _library()
    model, _, weights = name.removeprefix(PREFIX).partition("@")
    known = sorted(f"{one}@{tag}" for one, tag in library.list_pretrained())
    if f"{model}@{weights}" not in known:
        raise InputError(one_of("a model of open_clip with weights", f"{model}@{weights}", known))
    try:
        network, _, _ = library.create_model_and_transforms(model, pretrained=weights)
    except Exception as error:  # of hubs, disks and networks
        raise ModelError(
            f"Expected open_clip to load {name}, but it failed: {error}. Check the internet "
            "connection, or put the weights into open_clip's cache."
        ) from None
    return classifier(network.eval(), library.get_tokenizer(model), name, device, precision)


def classifier(
    network: nn.Module, tokenizer: Any, name: str, device: str, precision: Precision
) -> TorchClassifier:
    """Return a loaded open_clip model as a classifier."""
    library = _library()
    names = library.IMAGENET_CLASSNAMES
    words = library.build_zero_shot_classifier(
        network, tokenizer=tokenizer, classnames=names, templates=library.OPENAI_IMAGENET_TEMPLATES
    )
    shown = library.get_model_preprocess_cfg(network)
    return TorchClassifier(
        module=ZeroShot(network, words.float()).eval(),
        name=name,
        classes="imagenet_1k",
        outputs=len(names),
        preprocessing=_geometry(shown, name),
        mean=tuple(shown["mean"]),
        std=tuple(shown["std"]),
        device=device,
        precision=precision,
        of_row=True,
    )


def _geometry(shown: dict[str, Any], name: str) -> Preprocessing:
    size, mode = shown["size"], shown.get("resize_mode", "shortest")
    height, width = (size, size) if isinstance(size, int) else size
    how = shown.get("interpolation", "bicubic")
    if height != width or mode not in ("shortest", "squash") or how not in ("bicubic", "bilinear"):
        raise ModelError(
            f"Expected {name} to use square images, resized by the shorter side or squashed, "
            f"bicubic or bilinear, but it has {width} x {height}, {mode}, {how}. Return a "
            "TorchClassifier with a Preprocessing from your own file."
        )
    return Preprocessing((width, width) if mode == "squash" else width, width, how)


def _library() -> Any:
    try:
        return importlib.import_module("open_clip")  # no part of this library's own installation
    except ImportError:
        raise ModelError(
            "Expected open_clip, which makes zero-shot classifiers, but it is not installed. "
            "Install it: pip install open_clip_torch"
        ) from None
