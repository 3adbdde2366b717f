"""Builders of the networks in data_manifests/models: from two libraries, or from a module here."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from torch import nn

from robust_lib.config.manifests import ModelManifest
from robust_lib.errors import InputError, one_of
from robust_lib.models.torchvision_alone import import_torchvision
from robust_lib.preprocessing import Preprocessing

# What torchvision itself passes to these two where it loads their published weights.
OWN_NORMALISATION = MappingProxyType(
    {
        "googlenet": {"transform_input": True, "init_weights": False},
        "inception_v3": {"transform_input": True, "init_weights": False},
    }
)


def build(builder: str, arguments: Mapping[str, Any], outputs: int) -> nn.Module:
    """Return an untrained network from a builder; `arguments` are those in the model's row.

    Raises:
        InputError: an unknown builder, or arguments that it does not take.
    """
    if builder not in BUILDERS:
        raise InputError(one_of("builder", builder, BUILDERS))
    import_torchvision()
    try:
        return BUILDERS[builder](dict(arguments), outputs)
    except (TypeError, KeyError, RuntimeError, ValueError) as error:
        raise InputError(
            f"Expected arguments that {builder} accepts, but got {dict(arguments)}: {error}."
        ) from error


def library_names(library: str) -> tuple[str, ...]:
    """Return the names of the ImageNet classifiers in "torchvision" or "timm"."""
    if library == "torchvision":
        from torchvision import models

        return tuple(models.list_models(module=models))
    import timm  # slow to import

    return (*timm.list_models(), *timm.list_models(pretrained=True))


def library_row(library: str, name: str) -> ModelManifest:
    """Return a row for a library's model that has none, from the library's own data.

    Raises:
        InputError: the library has no classifier of the 1000 ImageNet classes with that name.
    """
    return _torchvision_row(name) if library == "torchvision" else _timm_row(name)


def _torchvision(arguments: dict[str, Any], outputs: int) -> nn.Module:
    from torchvision import models

    name = arguments.pop("name")
    own = OWN_NORMALISATION.get(name, {})
    module: nn.Module = models.get_model(name, num_classes=outputs, **{**own, **arguments})
    return module


def _timm(arguments: dict[str, Any], outputs: int) -> nn.Module:
    import timm

    name = arguments.pop("name")
    module: nn.Module = timm.create_model(name, num_classes=outputs, **arguments)
    return module


def _mini(arguments: dict[str, Any], outputs: int) -> nn.Module:
    from robust_lib.models import mini

    return mini.build(classes=outputs, **arguments)


def _cifar(arguments: dict[str, Any], outputs: int) -> nn.Module:
    from robust_lib.models import cifar

    return cifar.build(classes=outputs, **arguments)


def _wide_resnet(arguments: dict[str, Any], outputs: int) -> nn.Module:
    from robust_lib.models import wide_resnet

    return wide_resnet.wide_resnet(outputs, **arguments)


def _condensenet(arguments: dict[str, Any], outputs: int) -> nn.Module:
    from robust_lib.models import condensenet

    return condensenet.condensenet(outputs, **arguments)


def _msdnet(arguments: dict[str, Any], outputs: int) -> nn.Module:
    from robust_lib.models import msdnet

    return msdnet.msdnet(outputs, **arguments)


def _multigrid(arguments: dict[str, Any], outputs: int) -> nn.Module:
    from robust_lib.models import multigrid

    return multigrid.multigrid(outputs, **arguments)


BUILDERS: Mapping[str, Callable[[dict[str, Any], int], nn.Module]] = MappingProxyType(
    {
        "torchvision": _torchvision,
        "timm": _timm,
        "mini": _mini,
        "cifar": _cifar,
        "wide_resnet": _wide_resnet,
        "condensenet": _condensenet,
        "msdnet": _msdnet,
        "multigrid": _multigrid,
    }
)
LIBRARIES = ("torchvision", "timm")
CODE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "mini": ("models.mini", "models.mini_shortcuts"),
        "cifar": ("models.cifar", "models.msdnet", "models.shake_shake"),
        "wide_resnet": ("models.wide_resnet",),
        "condensenet": ("models.condensenet",),
        "msdnet": ("models.msdnet",),
        "multigrid": ("models.multigrid",),
    }
)
"""Builder -> the modules of this library that decide a network's layers."""


@dataclass(frozen=True)
class Shown:
    """A network's preprocessing: geometry, mean and standard deviation."""

    preprocessing: Preprocessing
    mean: tuple[float, float, float]
    std: tuple[float, float, float]


def carried(module: nn.Module) -> Shown | None:
    """Return the preprocessing that a bare module states; None if it states none.

    Networks of timm have a `pretrained_cfg` or `default_cfg`. A network of torchvision states its
    preprocessing if its weights or their transforms were set as an attribute of any name.

    Raises:
        InputError: it states a preprocessing that is not supported.
    """
    module = module.module if isinstance(module, nn.DataParallel) else module
    for name in ("pretrained_cfg", "default_cfg"):
        if (settings := getattr(module, name, None)) and _setting(settings, "input_size"):
            return _by_timm(settings, type(module).__name__)
    held = list(vars(module).values())
    if type(module).__module__.startswith("torchvision."):  # any other may apply its parts itself
        held += module.children()
    for value in held:
        if type(value).__module__.startswith("torchvision."):
            transforms = getattr(value, "transforms", None)
            geometry = transforms() if callable(transforms) else value
            if hasattr(geometry, "crop_size") and hasattr(geometry, "resize_size"):
                return _by_torchvision(geometry)
    return None


def _by_torchvision(geometry: Any) -> Shown:
    return Shown(
        Preprocessing(geometry.resize_size[0], geometry.crop_size[0], geometry.interpolation.value),
        tuple(geometry.mean),
        tuple(geometry.std),
    )


def _by_timm(settings: Any, name: str) -> Shown:
    _, height, crop = _setting(settings, "input_size")
    mode = _setting(settings, "crop_mode") or "center"
    if height != crop or mode not in ("center", "squash"):
        raise InputError(
            f"Expected {name} to use square images, cropped at the centre or squashed, but its "
            f"configuration has {height} x {crop} pixels and crop mode {mode}. Wrap it in "
            "TorchClassifier with a Preprocessing."
        )
    filter_name = _setting(settings, "interpolation")
    frame = math.floor(crop / (_setting(settings, "crop_pct") or 0.875))
    return Shown(
        Preprocessing(
            (frame, frame) if mode == "squash" else frame,
            crop,
            filter_name if filter_name in ("bilinear", "bicubic") else "bicubic",
        ),
        tuple(_setting(settings, "mean")),
        tuple(_setting(settings, "std")),
    )


def _setting(settings: Any, name: str) -> Any:
    """Return a setting of timm's, which older releases keep in a dictionary."""
    return settings.get(name) if isinstance(settings, Mapping) else getattr(settings, name, None)


def _torchvision_row(name: str) -> ModelManifest:
    from torchvision import models

    published = models.get_model_weights(name)
    # The first published weights are those of the papers' time; later ones are other recipes.
    weights = next(iter(published))
    shown = _by_torchvision(weights.transforms())
    return ModelManifest(
        name=_identifier(name),
        title=f"{name} of torchvision",
        builder="torchvision",
        arguments={"name": name},
        weights=weights.name,
        classes="imagenet_1k",
        preprocessing=shown.preprocessing,
        mean=shown.mean,
        std=shown.std,
    )


def _timm_row(name: str) -> ModelManifest:
    import timm

    settings = timm.get_pretrained_cfg(name)
    if settings is None or settings.num_classes != 1000:
        raise InputError(
            f"Expected timm's {name} to be a classifier of ImageNet's 1000 classes, but it is not. "
            "Describe it in a row of data_manifests/models."
        )
    shown = _by_timm(settings, name)
    return ModelManifest(
        name=_identifier(name),
        title=f"{name} of timm",
        builder="timm",
        arguments={"name": name},
        weights="published",
        classes="imagenet_1k",
        preprocessing=shown.preprocessing,
        mean=shown.mean,
        std=shown.std,
        licence=settings.license,
    )


def _identifier(name: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in name.lower())
