"""Detectors by name, from the rows of data_manifests/models that have one of these builders."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

import torch
from torch import nn

from robust_lib.code_digest import told
from robust_lib.config import class_lists
from robust_lib.config.manifests import ModelManifest, load_model
from robust_lib.errors import InputError, ModelError
from robust_lib.models import weights
from robust_lib.models.detectors.contract import Detector
from robust_lib.models.detectors.labels import Labels, by_coco_id, by_name
from robust_lib.models.detectors.torch_detector import TorchDetector
from robust_lib.models.torchvision_alone import import_torchvision
from robust_lib.vocabulary import is_user_function, user_object

# torchvision takes a second and more to import, effdet three, so they wait until a detector is
# built.


def _faster_rcnn_mini(classes: int, **arguments: Any) -> nn.Module:
    from robust_lib.models.detectors import faster_rcnn

    return faster_rcnn.small(classes, **arguments)


def _faster_rcnn(classes: int, **arguments: Any) -> nn.Module:
    from robust_lib.models.detectors import faster_rcnn

    return faster_rcnn.real(classes, **arguments)


def _rfcn_mini(classes: int, **arguments: Any) -> nn.Module:
    from robust_lib.models.detectors import rfcn

    return rfcn.small(classes, **arguments)


def _rfcn(classes: int, **arguments: Any) -> nn.Module:
    from robust_lib.models.detectors import rfcn

    return rfcn.real(classes, **arguments)


def _mask_rcnn_mini(classes: int, **arguments: Any) -> nn.Module:
    from robust_lib.models.detectors import mask_rcnn

    return mask_rcnn.small(classes, **arguments)


def _retinanet_mini(classes: int, **arguments: Any) -> nn.Module:
    from robust_lib.models.detectors import retinanet

    return retinanet.small(classes, **arguments)


def _efficientdet_mini(classes: int, **arguments: Any) -> nn.Module:
    from robust_lib.models.detectors import efficientdet

    return efficientdet.small(classes, **arguments)


def _efficientdet(classes: int, *, labels: int | None = None, **arguments: Any) -> nn.Module:
    from robust_lib.models.detectors import efficientdet

    return efficientdet.real(classes if labels is None else labels - 1, **arguments)


def _torchvision(classes: int, *, labels: int | None = None, **arguments: Any) -> nn.Module:
    from robust_lib.models.detectors import torchvision_published

    return torchvision_published.real(classes + 1 if labels is None else labels, **arguments)


BUILDERS: Mapping[str, Callable[..., nn.Module]] = MappingProxyType(
    {
        "faster_rcnn_mini": _faster_rcnn_mini,
        "faster_rcnn": _faster_rcnn,
        "rfcn_mini": _rfcn_mini,
        "rfcn": _rfcn,
        "mask_rcnn_mini": _mask_rcnn_mini,
        "retinanet_mini": _retinanet_mini,
        "efficientdet_mini": _efficientdet_mini,
        "efficientdet": _efficientdet,
        "torchvision_detection": _torchvision,
    }
)
_SMALL = ("models.detectors.backbones", "models.mini", "models.mini_shortcuts")
_FASTER = ("models.detectors.faster_rcnn", *_SMALL)
CODE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "faster_rcnn_mini": _FASTER,
        "faster_rcnn": _FASTER,
        "rfcn_mini": ("models.detectors.rfcn", *_FASTER),
        "rfcn": ("models.detectors.rfcn", *_FASTER),
        "mask_rcnn_mini": ("models.detectors.mask_rcnn", *_FASTER),
        "retinanet_mini": ("models.detectors.retinanet", *_FASTER),
        "efficientdet_mini": ("models.detectors.efficientdet", *_SMALL),
        "efficientdet": ("models.detectors.efficientdet", *_SMALL),
        "torchvision_detection": ("models.detectors.torchvision_published",),
    }
)
"""Builder -> the modules of this library that decide a detector's layers."""


def load(
    name: str,
    *,
    device: str = "cpu",
    source: weights.Source = None,
    sha256: str | None = None,
    outputs: int | None = None,
    seed: int = 0,
) -> Detector:
    """Return a detector by name, in evaluation mode.

    Args:
        name: a row of data_manifests/models, or "<file>.py:<function>", a function that takes
            nothing and returns a `Detector`.
        device: "cpu", "cuda", "cuda:1", ...
        source: source of the weights: None for the row's published ones, "random" for random ones;
            see `weights.find` for the rest.
        outputs: number of classes; None: that of the row's list.

    Raises:
        InputError: an unknown name, or the name of a classifier.
        ModelError: weights are absent, cannot be downloaded, or do not fit; a library is not
            installed; a function returns something else.
    """
    if is_user_function(name):
        return _users(name, device)
    manifest = load_model(name)
    require_usable(manifest)
    state = weights.find(manifest, source, sha256)
    module = build(manifest, outputs=outputs, seed=seed)
    if state is not None:
        weights.put(module, _named(manifest, state), manifest.name, manifest.keys)
    return detector(manifest, module, outputs=outputs, device=device)


def build(manifest: ModelManifest, *, outputs: int | None = None, seed: int = 0) -> nn.Module:
    """Return the untrained network of a row, without changing torch's global generator.

    Args:
        outputs: number of classes; None: that of the row's list.

    Raises:
        InputError: the row is not a detector's, or has arguments that its builder does not take.
        ModelError: the library that builds it is not installed.
    """
    require_usable(manifest)
    import_torchvision()
    given = dict(manifest.arguments)
    if outputs is not None:  # other classes have labels of their own
        given.pop(_LABELS, None)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        try:
            return BUILDERS[manifest.builder](_outputs(manifest, outputs), **given)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"Expected arguments that {manifest.builder} accepts, but got "
                f"{manifest.arguments}: {error}."
            ) from error


def begin_as(module: nn.Module, start: nn.Module, name: str) -> None:
    """Copy a classifier's weights, without the last layer's, to a detector's backbone.

    Raises:
        ModelError: they do not fit.
    """
    # Of an EfficientDet, effdet's own network has the backbone.
    body = getattr(module, "model", module).get_submodule("backbone.body")
    state = start.state_dict()
    wanted = {key: state[key] for key in body.state_dict() if key in state}
    weights.put(body, wanted, f"a backbone that starts from {name}")


def detector(
    manifest: ModelManifest,
    module: nn.Module,
    *,
    outputs: int | None = None,
    device: str = "cpu",
) -> TorchDetector:
    """Return a network as the detector that a row describes."""
    return TorchDetector(
        module=module,
        name=manifest.name,
        classes=manifest.classes,
        outputs=_outputs(manifest, outputs),
        labels=_labels(manifest) if outputs is None else None,
        device=device,
        of_row=True,
    )


def require_usable(manifest: ModelManifest) -> None:
    """Raise an error unless a row is a detector's and its library is installed.

    Raises:
        InputError: the row is a classifier's.
        ModelError: effdet is not installed.
    """
    if manifest.builder not in BUILDERS:
        raise InputError(
            f"Expected a detector, but {manifest.name} is a classifier: its builder is "
            f"{manifest.builder}, and builders of detectors are {', '.join(BUILDERS)}. Use a "
            "detector, or call predict for classifiers."
        )
    if manifest.builder in _OF_EFFDET and find_spec("effdet") is None:
        raise ModelError(
            f"Expected the package effdet, which makes {manifest.name}, but it is not installed. "
            "Install the extra `detect` (effdet 0.4.1 or later), or remove EfficientDets from the "
            "networks."
        )


_LABELS = "labels"
"""The argument of published networks that have another number of labels than classes."""

_OF_EFFDET = ("efficientdet_mini", "efficientdet")


def _labels(manifest: ModelManifest) -> Labels | None:
    """Return the class of each label of a published network; None: labels count the classes."""
    if _LABELS not in manifest.arguments:
        return None
    if manifest.builder != "torchvision_detection":
        return by_coco_id(manifest.classes)
    from robust_lib.models.detectors.torchvision_published import categories

    named = categories(manifest.arguments["name"], str(manifest.weights))
    if named is None:  # a row that has labels has COCO's ids
        return by_coco_id(manifest.classes)
    return by_name(named, class_lists.load_classes(manifest.classes).names)


def _named(manifest: ModelManifest, state: weights.State) -> weights.State:
    """Return weights by the names of the network that is built here."""
    if manifest.builder not in _OF_EFFDET:
        return state
    from robust_lib.models.detectors import efficientdet

    return efficientdet.own_names(state)


def _outputs(manifest: ModelManifest, outputs: int | None) -> int:
    return len(class_lists.load_classes(manifest.classes)) if outputs is None else outputs


def _users(name: str, device: str) -> Detector:
    try:
        made = user_object(name)
    except InputError as error:
        if not isinstance(error.__cause__, ImportError):
            raise
        raise ModelError(
            f"Expected {name} to make a detector, but one of its imports is not installed "
            f"({told(error.__cause__)}). Install this package here; detectron2 is not on "
            "any package index, but environment-detectron2.yml installs it from conda."
        ) from error
    if not isinstance(made, Detector):
        raise ModelError(
            f"Expected {name.rpartition(':')[2]}() to return a Detector, but it returned "
            f"{type(made).__name__}. Wrap a torch module in TorchDetector."
        )
    if isinstance(made, TorchDetector) and made.device == "cpu" != device:
        return replace(made, device=device)  # unless it names one itself
    return made
