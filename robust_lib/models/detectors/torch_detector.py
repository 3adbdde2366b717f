"""A torch module as a detector: labels from 1 become classes from 0, tensors become arrays."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import torch

from robust_lib.errors import InputError, ModelError
from robust_lib.metrics.boxes import OfImage
from robust_lib.models.adapter import module_digest
from robust_lib.models.detectors.contract import Image

_PLAIN = (bool, int, float, str, type(None))
_WORKED_OUT = ("scales", "map_levels")  # by torchvision, from the first images that a module sees


@dataclass(frozen=True, kw_only=True, eq=False)
class TorchDetector:
    """A module that speaks torchvision's language of detection, as a `Detector`.

    In evaluation mode it maps a list of images to one dictionary each: `boxes` in the image's
    pixels, `scores`, and `labels`, where 0 is the background. The module is put into evaluation
    mode, onto the device, and stays the caller's own.
    """

    module: torch.nn.Module
    name: str
    classes: str
    outputs: int
    least_score: float = 0.01
    most: int = 100
    device: str = "cpu"

    def __post_init__(self) -> None:
        if not isinstance(self.module, torch.nn.Module):
            raise InputError(
                f"Expected {self.name} to be a torch.nn.Module, but got "
                f"{type(self.module).__name__}."
            )
        self.module.eval()
        self.module.to(self.device)

    @property
    def fingerprint(self) -> str:
        """Digest of the weights, the module's printed structure and all its plain settings."""
        structure = re.sub(r" at 0x[0-9a-f]+", "", repr(self.module))
        settings = (structure, tuple(_settings(self.module)), self.outputs)
        return module_digest(self.module, (*settings, self.least_score, self.most))

    def __call__(self, images: Sequence[Image]) -> list[OfImage]:
        """Return (boxes, classes, scores) of each image.

        Images of one shape are looked at together; others are not, since they would be padded to
        the largest, which changes what is found near their edges.
        """
        if any(part.training for part in self.module.modules()):
            raise ModelError(
                f"Expected {self.name} to be in evaluation mode, but its module is in training "
                "mode, where it returns losses. Call .eval() on it."
            )
        found: list[OfImage] = []
        with torch.inference_mode():
            for _, alike in groupby(images, key=lambda image: image.shape):
                said = self.module([image.to(self.device) for image in alike])
                found += [self._answer(one) for one in said]
        return found

    def _answer(self, said: dict[str, torch.Tensor]) -> OfImage:
        boxes, labels, scores = (
            said[key].detach().cpu().numpy() for key in ("boxes", "labels", "scores")
        )
        kept = np.flatnonzero(scores >= self.least_score)
        kept = kept[np.argsort(-scores[kept], kind="stable")][: self.most]
        return (
            boxes[kept].astype(np.float32),
            labels[kept].astype(np.int64) - 1,
            scores[kept].astype(np.float32),
        )


def _settings(module: torch.nn.Module) -> Iterator[tuple[str, str]]:
    """Yield the settings that the parts of a module hold beside their weights, such as thresholds.

    Those of detection lie in plain objects, too, a level below the modules.
    """
    for name, part in module.named_modules():
        own = {key: value for key, value in vars(part).items() if key not in _WORKED_OUT}
        held: dict[str, Any] = {f"{name}.{key}": value for key, value in own.items()}
        for key, value in own.items():
            if not isinstance(value, torch.nn.Module) and hasattr(value, "__dict__"):
                held |= {f"{name}.{key}.{inner}": one for inner, one in vars(value).items()}
        for key, value in sorted(held.items()):
            if not key.endswith(".training") and _is_plain(value):
                yield key, repr(value)


def _is_plain(value: object) -> bool:
    if isinstance(value, dict):
        return all(_is_plain(one) for one in value.values())
    if isinstance(value, tuple | list):
        return all(_is_plain(one) for one in value)
    return isinstance(value, _PLAIN)
