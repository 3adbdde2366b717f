"""The model of a passport: a network by name, a file of predictions, a module or a function."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch

from robust_lib import devices
from robust_lib.config.profiles import Profile
from robust_lib.datasets import ImageSet
from robust_lib.datasets.user_folder import COCO
from robust_lib.errors import InputError
from robust_lib.models import zero_shot
from robust_lib.models.adapter import TorchClassifier, wrap_callable
from robust_lib.models.contract import Classifier, check_classifier
from robust_lib.models.detectors import builders
from robust_lib.models.detectors.contract import Detector, check_detector
from robust_lib.models.detectors.torch_detector import TorchDetector
from robust_lib.models.torch_models import USUAL, load, of_module
from robust_lib.predict.answers_file import FiledAnswers, read_answers
from robust_lib.preprocessing import Preprocessing
from robust_lib.run.chapter import Chapter, finds_boxes, is_trained_here
from robust_lib.run.detectors import DetectorsBySeed
from robust_lib.run.network import Network, resolved
from robust_lib.run.run import Run
from robust_lib.run.start import start
from robust_lib.vocabulary import is_answers_file, is_user_function, user_name, user_object

SECTION = "imagenet_c"
"""The paper whose names of networks a model report recognises."""


@dataclass(frozen=True)
class Subject:
    """A model for which a passport is made.

    Attributes:
        classifier: the classifier; None if it is found or trained by its name.
        detector: the detector; likewise.
    """

    network: Network
    classifier: Classifier | None = None
    detector: Detector | None = None

    @property
    def name(self) -> str:
        """Return the model's name in tables."""
        return str(self.network)

    @property
    def finds_boxes(self) -> bool:
        """Return whether the model is a detector."""
        return self.detector is not None or finds_boxes(self.network)

    @staticmethod
    def images_of(chapter: Chapter, profile: Profile, settings: Mapping[str, Any]) -> ImageSet:
        """Return a chapter's images, whose classes a bare module predicts.

        Raises:
            InputError: images with boxes.
        """
        if str(settings.get("images", "")).startswith(COCO):
            raise InputError(
                "Expected a detector for images with boxes, but got a bare module or function. "
                "Wrap it in TorchDetector, which defines the meaning of its labels."
            )
        return start(chapter, profile.name, models=[], **settings).images

    def run(self, chapter: Chapter, profile: Profile, **settings: Any) -> Run:
        """Return a run of a chapter on this model, and on the baseline if the chapter needs it."""
        begun = start(chapter, profile.name, models=[], **settings)
        networks: tuple[Network, ...] = (self.network,)
        if chapter.baseline and begun.profile.normaliser == "measured":
            baseline = resolved(begun.profile, chapter.networks, begun.profile.baseline)
            networks = tuple(dict.fromkeys((baseline, self.network)))
        given = {} if self.classifier is None else {self.name: self.classifier}
        found: DetectorsBySeed = {} if self.detector is None else {self.name: (self.detector,)}
        return replace(begun, networks=networks, given=given, _detectors=found)


def subject(
    model: str | torch.nn.Module | Classifier | Detector | Callable[..., Any],
    profile: Profile,
    images_of: Callable[[], ImageSet],
    *,
    name: str | None = None,
    preprocessing: Preprocessing | None = None,
) -> Subject:
    """Return the subject for a model or its name, after a check of its contract.

    Args:
        model: the name of a row of data_manifests/models or of the paper's network,
            "torchvision/NAME", "timm/NAME", "open_clip/MODEL@WEIGHTS" for zero-shot predictions,
            "FILE.py:FUNCTION", or "predictions:FILE"; a classifier or detector of this library; a
            torch module that predicts the images' classes; or a function from float32 arrays (n, 3,
            height, width) in [0, 1] to logits (n, classes).
        images_of: function that returns the images whose classes a bare module or function
            predicts; not called for any other model.
        name: name of a bare module or function in tables.
        preprocessing: how images are resized and cropped for a bare module or function; by default,
            to 256 and 224 pixels in profiles of real photographs, and not at all in miniatures.

    Raises:
        InputError: an unknown name, an object that is not a model, or a missing device.
        ModelError: a model that breaks its contract.
    """
    if isinstance(model, str) and zero_shot.is_named(model):
        model = zero_shot.load(model, device=profile.device, precision=profile.precision)
        return _at_hand(model, profile.device, own=False)
    if isinstance(model, str) and is_user_function(model):
        name, model = name or user_name(model), user_object(model)
    if isinstance(model, str):
        return _named(model, profile)
    module = isinstance(model, torch.nn.Module) and not isinstance(model, Classifier | Detector)
    if not module and (not callable(model) or hasattr(model, "fingerprint")):
        return _at_hand(model, profile.device)
    images = images_of()
    usual = USUAL if images.classes.startswith("imagenet") else Preprocessing(None, 64)
    if isinstance(model, torch.nn.Module):
        model = of_module(
            model,
            name or type(model).__name__,
            classes=images.classes,
            outputs=len(images.class_names),
            preprocessing=preprocessing,
            usual=usual,
            device=profile.device,
            precision=profile.precision,
        )
    elif callable(model) and not hasattr(model, "fingerprint"):
        called = str(name or getattr(model, "__name__", type(model).__name__))
        seen = preprocessing or usual
        model = wrap_callable(model, called.strip("<>"), images.classes, seen)
    return _at_hand(model, profile.device)


def weights_of(model: Any) -> int | None:
    """Return the number of parameters of a torch model; None if it is not one, or unknown."""
    module = getattr(model, "module", None)
    if not isinstance(module, torch.nn.Module):
        return None
    return sum(one.numel() for one in module.parameters())


def _named(text: str, profile: Profile) -> Subject:
    if is_answers_file(text):
        return _at_hand(read_answers(text), profile.device)
    for section in (SECTION, "nao"):
        network = resolved(profile, section, text)
        if network.model != text or section == "nao":
            break
    if finds_boxes(network):
        found = None
        if not is_trained_here(network):
            found = builders.load(network.model, device=profile.device)
        return Subject(network, detector=found)
    if is_trained_here(network):
        return Subject(network)
    model = load(text, device=profile.device, precision=profile.precision)
    return _at_hand(model, profile.device, own=is_user_function(text))


def _at_hand(model: Any, device: str, *, own: bool = True) -> Subject:
    if isinstance(model, FiledAnswers):
        return Subject(Network(model.name), classifier=model)
    devices.require(device)
    if isinstance(model, TorchClassifier | TorchDetector) and model.device == "cpu" != device:
        model = replace(model, device=device)  # unless it names one itself
    if isinstance(model, Classifier) and hasattr(model, "preprocessing"):
        check_classifier(model, own=own)
        return Subject(Network(model.name), classifier=model)
    if isinstance(model, Detector):
        check_detector(model)
        return Subject(Network(model.name), detector=model)
    raise InputError(
        f"Expected a model, but got {type(model).__name__}. Pass the name of one, "
        "FILE.py:FUNCTION, a torch module, or a function from arrays (n, 3, height, width) to "
        "logits."
    )
