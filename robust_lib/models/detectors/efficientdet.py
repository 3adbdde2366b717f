"""EfficientDet: effdet's network behind torchvision's detection interface, and small versions.

An image is fitted into a square as by effdet's own loader: it is scaled until the longer side fits,
and the rest, on the right and below, is filled with the mean colour. Inside the network, boxes are
yxyx in pixels of that square; outside, xyxy in pixels of the image. [Tan, Pang, Le: EfficientDet,
2020]
"""

import warnings
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, cast

import torch
from torch import nn
from torch.nn import functional

from robust_lib.errors import ModelError
from robust_lib.models.adapter import IMAGENET_MEAN, IMAGENET_STD
from robust_lib.models.detectors.backbones import SmallBody

Targets = Sequence[Mapping[str, torch.Tensor]]
Found = list[dict[str, torch.Tensor]]

MATCH = 0.5  # IoU from which an anchor learns to be an object's


class EfficientDet(nn.Module):
    """effdet's network with its anchors, losses and non-maximum suppression.

    In training mode it maps images and targets, `boxes` (xyxy) and `labels` (from 1), to losses by
    name; in evaluation mode, it maps images to `boxes`, `scores` and `labels`. `model` is effdet's
    network itself, which maps the output of `prepare` to lists over levels: of class logits (n,
    anchors * classes, h, w) and of box shifts (n, anchors * 4, h, w); `anchors.boxes` are in the
    order of `permute(0, 2, 3, 1)` of these, level after level, yxyx pixels of the square.

    Args:
        mean, std: normalisation of RGB in [0, 1].
        body: backbone to use instead of the timm network that the settings name.
    """

    def __init__(
        self,
        settings: Mapping[str, Any],
        *,
        mean: Sequence[float] = IMAGENET_MEAN,
        std: Sequence[float] = IMAGENET_STD,
        body: SmallBody | None = None,
    ) -> None:
        super().__init__()
        effdet, config = _effdet(), _options(settings)
        network = effdet.EfficientDet(config, pretrained_backbone=False)
        if body is not None:
            network.backbone = _Levels(body)
            network.fpn = effdet.efficientdet.BiFpn(config, network.backbone.described)
        self.bench = effdet.DetBenchPredict(network)
        boxes = self.anchors.get_buffer("boxes")
        # They follow from the settings, and public weights lack them.
        self.anchors.register_buffer("boxes", boxes, persistent=False)
        every = len(boxes) * config.num_classes
        self.bench.max_detection_points = min(config.max_detection_points, every)
        self.loss = effdet.loss.DetectionLoss(config)
        self.settings = dict(settings)  # a part of the fingerprint
        self.mean, self.std = tuple(mean), tuple(std)

    @property
    def model(self) -> nn.Module:
        """Return effdet's network, which maps a square to logits and shifts for each level."""
        return cast(nn.Module, self.bench.model)

    @property
    def anchors(self) -> nn.Module:
        """Return the anchors; their `boxes` are (anchors, 4), yxyx pixels of the square."""
        return cast(nn.Module, self.bench.anchors)

    def prepare(self, images: Sequence[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return images as input of the network, and the factors by which their sides were divided.

        Every step is differentiable, so that gradients reach the images.

        Args:
            images: (3, h, w) in [0, 1] RGB, of any sizes.

        Returns:
            (n, 3, height, width), normalised; and (n,), factors that convert a length in the square
            to one in the image.
        """
        filled, scales = [], []
        mean = torch.tensor(self.mean).view(3, 1, 1).to(images[0])
        std = torch.tensor(self.std).view(3, 1, 1).to(images[0])
        for image in images:
            scale = min(side / own for side, own in zip(self._sides, image.shape[1:], strict=True))
            size = [max(1, int(own * scale)) for own in image.shape[1:]]
            if size != list(image.shape[1:]):
                image = functional.interpolate(
                    image[None], size=size, mode="bilinear", antialias=True
                )[0]
            below, right = (side - own for side, own in zip(self._sides, size, strict=True))
            # Normalised, the mean colour is zero.
            filled.append(functional.pad((image - mean) / std, (0, right, 0, below)))
            scales.append(1 / scale)
        return torch.stack(filled), torch.tensor(scales).to(images[0])

    def forward(
        self, images: Sequence[torch.Tensor], targets: Targets | None = None
    ) -> dict[str, torch.Tensor] | Found:
        """Return losses by name in training mode, and detections in evaluation mode."""
        squares, scales = self.prepare(images)
        if self.training:
            if targets is None:
                raise ModelError(
                    "Expected targets beside the images, since the network is in training mode, "
                    "where it returns losses. Call .eval() on it to find boxes."
                )
            return self._losses(squares, targets, scales)
        sizes = [image.shape[:0:-1] for image in images]  # width, height
        about = {"img_scale": scales, "img_size": torch.tensor(sizes).to(scales)}
        return [_of_image(rows) for rows in self.bench(squares, about)]

    @property
    def _sides(self) -> Sequence[int]:
        return cast(Sequence[int], self.settings["image_size"])

    def _losses(
        self, squares: torch.Tensor, targets: Targets, scales: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        labeler = _effdet().anchors.AnchorLabeler(
            self.anchors, self.bench.num_classes, match_threshold=MATCH
        )
        boxes = [
            one["boxes"][:, [1, 0, 3, 2]] / scale
            for one, scale in zip(targets, scales, strict=True)
        ]
        wanted = labeler.batch_label_anchors(boxes, [one["labels"].float() for one in targets])
        _, classes, shifts = self.loss(*self.model(squares), *wanted)
        return {"classification": classes, "box": self.settings["box_loss_weight"] * shifts}


def small(
    classes: int,
    backbone: str,
    *,
    width: int | None = None,
    channels: int = 48,
    cells: int = 2,
    layers: int = 2,
    anchor: float = 3.0,
    scales: int = 2,
    side: int = 128,
    soft_nms: bool = False,
) -> nn.Module:
    """Return an untrained small EfficientDet: effdet's pyramid and heads on a small classifier.

    Args:
        classes: number of classes, without background.
        backbone: family of the small classifier used as backbone, such as "resnet50".
        width: channels of the backbone's first stage; None: the family's own.
        cells: number of passes down and up the pyramid.
        anchor: side of the smallest anchors, in cells of their level.
        scales: number of anchor scales within an octave.
        side: side of the square into which images are fitted, in pixels.
        soft_nms: whether the scores of overlapping boxes are reduced, instead of removing these
            boxes.
    """
    settings = _settings("efficientdet_d0") | {
        "backbone_name": "test_efficientnet",  # the smallest, since it is replaced
        "backbone_args": {},
        "image_size": [side, side],
        "num_classes": classes,
        "max_level": 5,
        "num_levels": 3,
        "fpn_channels": channels,
        "fpn_cell_repeats": cells,
        "box_class_repeats": layers,
        "aspect_ratios": [[1.0, 1.0]],
        "num_scales": scales,
        "anchor_scale": anchor,
        "soft_nms": soft_nms,
        "max_detection_points": 1000,  # the surest, of which those of one object are then left out
        # Few steps are taken, so the running means must follow sooner.
        "norm_kwargs": {"eps": 0.001, "momentum": 0.1},
    }
    normalised = {"mean": (0.5, 0.5, 0.5), "std": (0.25, 0.25, 0.25)}
    return EfficientDet(settings, body=SmallBody(backbone, width), **normalised)


def real(outputs: int, name: str, *, soft_nms: bool = False) -> nn.Module:
    """Return one of effdet's networks, untrained.

    Args:
        outputs: number of classes; those of public weights are COCO's ids from 1 to 90.
        name: effdet's name, such as "tf_efficientdet_d4".
        soft_nms: whether the scores of overlapping boxes are reduced, instead of removing these
            boxes.
    """
    return EfficientDet(_settings(name) | {"num_classes": outputs, "soft_nms": soft_nms})


def address(name: str) -> str:
    """Return the address of effdet's public weights, which ends with a part of their SHA-256."""
    return str(_effdet().get_efficientdet_config(name).url)


def own_names(state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return effdet's weights under the names that they have in `EfficientDet`."""
    return {key if key.startswith(_WITHIN) else f"{_WITHIN}{key}": state[key] for key in state}


_WITHIN = "bench.model."


class _Levels(nn.Module):
    """A small classifier's layers as effdet asks for them: a list of levels, and their shapes."""

    def __init__(self, body: SmallBody) -> None:
        super().__init__()
        self.body = body
        self.described = [
            {"num_chs": channels, "reduction": 2 ** (3 + level)}
            for level, channels in enumerate(body.channels)
        ]

    def forward(self, squares: torch.Tensor) -> list[torch.Tensor]:
        return [*self.body(squares).values()]


def _of_image(rows: torch.Tensor) -> dict[str, torch.Tensor]:
    """Return what effdet says of an image: x1, y1, x2, y2, score, label; what it lacks is zero."""
    rows = rows[rows[:, 4] > 0]
    return {"boxes": rows[:, :4], "scores": rows[:, 4], "labels": rows[:, 5].long()}


def _effdet() -> ModuleType:
    """Return effdet, which takes seconds to import."""
    with warnings.catch_warnings():
        # It compiles a few functions with torch.jit.script, which torch is about to give up.
        warnings.simplefilter("ignore", FutureWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        import effdet
    return cast(ModuleType, effdet)


def _settings(name: str) -> dict[str, Any]:
    """Return effdet's configuration of a network, as plain values."""
    effdet = _effdet()
    from omegaconf import OmegaConf

    return cast(dict[str, Any], OmegaConf.to_container(effdet.get_efficientdet_config(name)))


def _options(settings: Mapping[str, Any]) -> Any:
    from omegaconf import OmegaConf

    return OmegaConf.create(dict(settings))
