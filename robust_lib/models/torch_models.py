"""Models by name: a row of data_manifests/models, torchvision's or timm's own, or your own file.

`load("resnet50")` reads a row; `load("torchvision/resnet34")` and `load("timm/resnet50.a1_in1k")`
need none; `load("my_net.py:build")` calls a function of your file.
"""

import difflib
from dataclasses import replace

import torch

from robust_lib.config import class_lists, manifests
from robust_lib.config.manifests import ModelManifest
from robust_lib.errors import InputError, ModelError
from robust_lib.models import builders, weights
from robust_lib.models.adapter import IMAGENET_MEAN, IMAGENET_STD, Precision, TorchClassifier
from robust_lib.models.builders import Shown
from robust_lib.models.contract import Classifier
from robust_lib.models.wrappers import wrapped
from robust_lib.preprocessing import Preprocessing
from robust_lib.vocabulary import is_user_function, user_file, user_name, user_object

USUAL = Preprocessing(256, 224)


def load(
    name: str,
    *,
    device: str = "cpu",
    precision: Precision = "float32",
    source: weights.Source = None,
    sha256: str | None = None,
    outputs: int | None = None,
    seed: int = 0,
) -> Classifier:
    """Return a classifier by name, in evaluation mode.

    Args:
        name: a row of data_manifests/models, "torchvision/<name>", "timm/<name>", or
            "<file>.py:<function>". Such a function takes nothing and returns a `Classifier`, or a
            torch module for the 1000 ImageNet classes, with the preprocessing of `of_module`.
        device: "cpu", "cuda", "cuda:1", ...; a user's own `TorchClassifier` may specify a different
            one.
        precision: precision of convolutions and matrix products; a user's own `Classifier` has its
            own.
        source: source of the weights: None for the published ones, "random" for random ones; see
            `weights.find` for the rest.
        outputs: number of logits; None: the row's own, or the number of classes in its list.

    Raises:
        InputError: an unknown name, with the nearest known ones.
        ModelError: weights are absent, cannot be downloaded, or do not fit.

    >>> load("torchvision/resnet18", source="random").outputs
    1000
    """
    if is_user_function(name):
        return _users(name, device, precision)
    manifest = describe(name)
    _require_classifier(manifest)
    state = weights.find(manifest, source, sha256)
    module = build(manifest, outputs=outputs, seed=seed)
    if state is not None:
        weights.put(module, state, manifest.name, manifest.keys)
    found = classifier(manifest, module, outputs=outputs, device=device, precision=precision)
    return found if manifest.wrapper is None else wrapped(found, manifest.wrapper, manifest.name)


def describe(name: str) -> ModelManifest:
    """Return a model's row, or a new one for a torchvision or timm model without a row.

    Raises:
        InputError: an unknown name; the message lists the nearest known ones.

    >>> describe("torchvision/resnet34").builder, describe("resnet18_mini").title
    ('torchvision', 'ResNet-18-like')
    """
    rows = manifests.model_names()
    if name in rows:
        return manifests.load_model(name)
    library, slash, inside = name.partition("/")
    if slash and library in builders.LIBRARIES and inside in builders.library_names(library):
        return builders.library_row(library, inside)
    known = [*rows] + [
        f"{part}/{one}" for part in builders.LIBRARIES for one in builders.library_names(part)
    ]
    near = [entry for entry in known if entry.endswith(f"/{name}")]
    near += [entry for entry in difflib.get_close_matches(name, known, n=5) if entry not in near]
    hint = f"Similar names are {', '.join(near)}. " if near else ""
    raise InputError(
        f"Expected the name of a model, but got {name!r}. {hint}Specify your own network by its "
        ".py file and the function that returns it: my_net.py:build."
    )


def build(manifest: ModelManifest, *, outputs: int | None = None, seed: int = 0) -> torch.nn.Module:
    """Return the untrained network of a row, without changing torch's global generator.

    Args:
        outputs: number of logits; None: the row's own, or the number of classes in its list.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return builders.build(manifest.builder, manifest.arguments, _outputs(manifest, outputs))


def classifier(
    manifest: ModelManifest,
    module: torch.nn.Module,
    *,
    outputs: int | None = None,
    device: str = "cpu",
    precision: Precision = "float32",
) -> TorchClassifier:
    """Return a network as the classifier that a row describes."""
    return TorchClassifier(
        module=module,
        name=manifest.name,
        classes=manifest.classes,
        outputs=_outputs(manifest, outputs),
        preprocessing=manifest.preprocessing,
        mean=manifest.mean,
        std=manifest.std,
        device=device,
        precision=precision,
        of_row=True,
    )


def _require_classifier(manifest: ModelManifest) -> None:
    if manifest.builder not in builders.BUILDERS:
        raise InputError(
            f"Expected a classifier, but {manifest.name} is built by {manifest.builder}, and "
            f"classifiers by {', '.join(builders.BUILDERS)}. Load detectors with "
            "models.detectors.builders.load."
        )


def _outputs(manifest: ModelManifest, outputs: int | None) -> int:
    known = manifest.outputs if outputs is None else outputs
    return len(class_lists.load_classes(manifest.classes)) if known is None else known


def of_module(
    module: torch.nn.Module,
    name: str,
    *,
    classes: str,
    outputs: int,
    preprocessing: Preprocessing | None = None,
    usual: Preprocessing = USUAL,
    device: str = "cpu",
    precision: Precision = "float32",
) -> TorchClassifier:
    """Return a user's bare module as a classifier, with the preprocessing that it states.

    Networks of timm state their size, crop, filter, mean and deviation; a network of torchvision
    does if its weights or their transforms are set on it, as in `module.weights = Weights.DEFAULT`.

    Args:
        preprocessing: geometry that overrides the module's own; None: the module's.
        usual: default geometry, used with ImageNet's mean and deviation.
    """
    says = builders.carried(module)
    seen = Shown(usual, IMAGENET_MEAN, IMAGENET_STD) if says is None else says
    return TorchClassifier(
        module=module,
        name=name,
        classes=classes,
        outputs=outputs,
        preprocessing=preprocessing or seen.preprocessing,
        mean=seen.mean,
        std=seen.std,
        device=device,
        precision=precision,
        assumed=says is None,
    )


def _users(name: str, device: str, precision: Precision) -> Classifier:
    """Return the classifier that a function of the user's file makes."""
    made = user_object(name)
    if isinstance(made, torch.nn.Module) and not isinstance(made, Classifier):
        return of_module(
            made,
            user_name(name),
            classes="imagenet_1k",
            outputs=1000,
            device=device,
            precision=precision,
        )
    if not isinstance(made, Classifier):
        raise ModelError(
            f"Expected {name.rpartition(':')[2]}() of {user_file(name)} to return a torch module "
            f"or a Classifier, but it returned {type(made).__name__}. Wrap a function of arrays "
            "with wrap_callable."
        )
    if isinstance(made, TorchClassifier) and made.device == "cpu" != device:
        return replace(made, device=device)  # unless it names one itself
    return made
