"""A torch module as a detector: labels become classes, tensors become arrays."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Int64

from robust_lib import devices
from robust_lib.code_digest import foreign
from robust_lib.errors import InputError, ModelError
from robust_lib.metrics.boxes import OfImage
from robust_lib.models import own_code
from robust_lib.models.adapter import module_digest, shown, structure
from robust_lib.models.detectors.contract import Image, probe_images
from robust_lib.models.detectors.labels import NO_CLASS, Labels

_PLAIN = (bool, int, float, str, type(None))
_WORKED_OUT = ("scales", "map_levels")  # by torchvision, from the first images that a module sees


@dataclass(frozen=True, kw_only=True, eq=False)
class TorchDetector:
    """A module with torchvision's detection interface, wrapped as a `Detector`.

    In evaluation mode, the module maps a list of images to one dictionary each: `boxes` in the
    image's pixels, `scores`, and `labels`, where 0 is the background. The argument `labels` states
    their classes (see `detectors.labels`); without it, labels count the classes from 1. Boxes whose
    label has no class are left out. The module is moved to the device and put into evaluation mode,
    and still belongs to the caller. `of_row` is as in `TorchClassifier`.
    """

    module: torch.nn.Module
    name: str
    classes: str
    outputs: int
    labels: Labels | None = None
    least_score: float = 0.01
    most: int = 100
    device: str = "cpu"
    of_row: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.module, torch.nn.Module):
            raise InputError(
                f"Expected {self.name} to be a torch.nn.Module, but got "
                f"{type(self.module).__name__}."
            )
        if self.labels is not None:
            _check_labels(self.name, self.labels, self.outputs)
        self.module.eval()
        if devices.is_there(self.device):  # where all boxes are stored, it need not be
            self.module.to(self.device)

    @property
    def fingerprint(self) -> str:
        """Digest of the weights, the module's printed structure and all its plain settings.

        For a user's module, everything else that determines its outputs is included; see
        `own_code`.
        """
        meant = () if self.labels is None else (self.labels,)
        if self.of_row:
            settings: object = tuple(_settings(self.module))
            if changed := own_code.own_code(self.module):  # by a hook, say
                settings = (settings, changed)
        else:
            settings = own_code.digest(
                self.module, lambda: [self([image]) for image in probe_images()]
            )
        said = (structure(self.module), settings, self.outputs, self.least_score, self.most, *meant)
        return module_digest(self.module, said)

    def __call__(self, images: Sequence[Image]) -> list[OfImage]:
        """Return (boxes, classes, scores) of each image.

        Images of one shape are looked at together, wherever they stand; others are not, since they
        would be padded to the largest, which changes what is found near their edges.
        """
        if any(part.training for part in self.module.modules()):
            raise ModelError(
                f"Expected {self.name} to be in evaluation mode, but its module is in training "
                "mode, where it returns losses. Call .eval() on it."
            )
        devices.require(self.device)
        alike: dict[torch.Size, list[int]] = {}
        for place, image in enumerate(images):
            alike.setdefault(image.shape, []).append(place)
        found: dict[int, OfImage] = {}
        with torch.inference_mode(), devices.convolving(tf32=False):
            for places in alike.values():
                alike_shown = [images[place].to(self.device) for place in places]
                with foreign(f"{self.name} to find boxes in {shown(torch.stack(alike_shown))}"):
                    said = self.module(alike_shown)
                if (wrong := _not_boxes(said, len(places))) is not None:
                    raise ModelError(
                        f"Expected {self.name} to return a list with a dictionary of boxes, labels "
                        f"and scores for each of {len(places)} images, but got {wrong}. Use the "
                        "interface of torchvision's detectors, or write your own class (see "
                        "Detector)."
                    )
                found |= {place: self._answer(one) for place, one in zip(places, said, strict=True)}
        return [found[place] for place in range(len(images))]

    def _answer(self, said: dict[str, torch.Tensor]) -> OfImage:
        boxes, labels, scores = (
            said[key].detach().cpu().numpy() for key in ("boxes", "labels", "scores")
        )
        classes = self._classes(labels.astype(np.int64))
        kept = np.flatnonzero((scores >= self.least_score) & (classes != NO_CLASS))
        kept = kept[np.argsort(-scores[kept], kind="stable")][: self.most]
        return boxes[kept].astype(np.float32), classes[kept], scores[kept].astype(np.float32)

    def _classes(self, labels: Int64[np.ndarray, " n"]) -> Int64[np.ndarray, " n"]:
        if self.labels is None:
            return labels - 1
        unknown = labels[(labels < 0) | (labels >= len(self.labels))]
        if len(unknown):
            raise ModelError(
                f"Expected labels from 0 to {len(self.labels) - 1} of {self.name}, but got "
                f"{unknown[0]}. Its category names belong to another network."
            )
        meant: np.ndarray = np.array(self.labels, np.int64)[labels]
        return meant


def _not_boxes(said: object, images: int) -> str | None:
    """Return what is wrong with a module's answer, in words after "got"; None if nothing is."""
    if not isinstance(said, list | tuple):
        return type(said).__name__
    if len(said) != images:
        return f"a {type(said).__name__} of {len(said)}"
    for one in said:
        if not isinstance(one, Mapping):
            return f"a {type(said).__name__} with {type(one).__name__} in it"
        for key in ("boxes", "labels", "scores"):
            if not isinstance(one.get(key), torch.Tensor):
                what = f"{type(one[key]).__name__} as its {key}" if key in one else f"no {key}"
                return f"{what} (of {', '.join(map(str, one)) or 'nothing'}) instead of tensors"
    return None


def _check_labels(name: str, labels: Labels, outputs: int) -> None:
    meant = sorted(label for label in labels if label != NO_CLASS)
    if meant != list(range(outputs)):
        raise InputError(
            f"Expected a label of {name} for each of its {outputs} classes, but its {len(labels)} "
            f"labels refer to {len(set(meant))} classes. Match labels by name: "
            "robust_lib.models.detectors.labels.by_name."
        )


def _settings(module: torch.nn.Module) -> Iterator[tuple[str, str]]:
    """Yield the settings that the parts of a module hold next to their weights, such as thresholds.

    Those of detection are in plain objects as well, a level below the modules.
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
