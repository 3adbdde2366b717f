"""What the library asks of a classifier, and the check that a model keeps to it.

A classifier takes pictures in [0, 1] and returns logits. Resizing and cropping are its
`Preprocessing`, done by the data set on the 8-bit picture; normalisation is its own business;
corruptions happen between the two.
"""

from collections.abc import Iterator

import numpy as np
import torch
from jaxtyping import Float, Float32
from typing_extensions import Protocol, runtime_checkable

from robust_lib import seeds
from robust_lib.config import class_lists
from robust_lib.errors import ModelError
from robust_lib.preprocessing import Preprocessing

Images = Float32[torch.Tensor, "images 3 height width"]
ModelLogits = Float[torch.Tensor, "images outputs"]

TOLERANCE = 1e-3
"""By how much two answers to one image may differ, as a fraction of the largest logit: batches of
other sizes are summed in another order, on GPUs with ten bits of precision."""


# typing's own Protocol, before Python 3.12, computes every property when it is asked whether
# something is a classifier: a digest of all weights each time.
@runtime_checkable
class Classifier(Protocol):
    """Anything that maps float32 images (n, 3, h, w) in [0, 1] RGB to logits (n, outputs).

    `classes` names the label space, e.g. "imagenet_1k"; `fingerprint` changes whenever an answer
    could change, so that stored predictions are never taken for those of another model.
    """

    @property
    def name(self) -> str:
        """The model's name, as tables show it."""
        ...

    @property
    def classes(self) -> str:
        """The label space, a list under data_manifests/classes."""
        ...

    @property
    def outputs(self) -> int:
        """How many logits it returns for an image."""
        ...

    @property
    def fingerprint(self) -> str:
        """A digest of the weights and of every setting that decides an answer."""
        ...

    @property
    def preprocessing(self) -> Preprocessing:
        """How a picture is resized and cropped before the model sees it."""
        ...

    def __call__(self, images: Images) -> ModelLogits:
        """Return the logits of a batch."""
        ...


def check_classifier(model: Classifier) -> None:
    """Raise ModelError unless a model keeps the contract of `Classifier`.

    Four made-up images are classified together, again, and one by one. Every answer must be finite
    numbers of the promised shape; both ways must give the same; the images must come back
    unchanged; no part of a torch module may be in training mode.

    >>> from robust_lib.models.adapter import wrap_callable
    >>> preprocessing = Preprocessing(None, 8)
    >>> check_classifier(wrap_callable(lambda x: x.mean((2, 3)), "mean", "colours", preprocessing))
    """
    for problem in _problems(model):
        raise ModelError(problem)


def probe_images(n: int, preprocessing: Preprocessing) -> Images:
    """Return n made-up images of the size a model sees: smooth colours with some noise.

    >>> probe_images(2, Preprocessing(None, 8)).shape
    torch.Size([2, 3, 8, 8])
    """
    side = preprocessing.crop or preprocessing.frame or 64
    rng = seeds.generator("classifier", "probe", n, side)
    smooth = torch.from_numpy(rng.random((n, 3, 4, 4), dtype=np.float32))
    images = torch.nn.functional.interpolate(smooth, size=(side, side), mode="bilinear")
    noise = torch.from_numpy(rng.standard_normal(tuple(images.shape), dtype=np.float32))
    return (images + 0.05 * noise).clamp(0, 1)


def _problems(model: Classifier) -> Iterator[str]:
    """Yield what is wrong, the most telling first; later checks rely on earlier ones."""
    wanted = ("name", "classes", "outputs", "fingerprint", "preprocessing", "__call__")
    missing = [attribute for attribute in wanted if not hasattr(model, attribute)]
    if missing:
        yield (
            f"Expected a classifier with {', '.join(wanted)}, but {type(model).__name__} lacks "
            f"{', '.join(missing)}. Wrap it: wrap_callable for a function, TorchClassifier for a "
            "torch module."
        )
    yield from _wrong_classes(model)
    yield from _in_training(model)
    images = probe_images(4, model.preprocessing)
    before = images.clone()
    together = model(images)
    yield from _wrong_answer(model, together, len(images))
    if not torch.equal(images, before):
        yield (
            f"Expected {model.name} to leave its input as it was, but it changed the images it was "
            "given. Let it work on a copy: other models are shown the same images."
        )
    together = together.detach().cpu()
    if not _close(model(images).detach().cpu(), together):
        yield (
            f"Expected {model.name} to answer the same images twice alike, but its answers differ. "
            "Switch off dropout and any other random draw, or key it by the image."
        )
    single = torch.cat([model(image[None]).detach().cpu() for image in images])
    if not _close(single, together):
        yield (
            f"Expected {model.name} to answer for each image alone, but its answers change with "
            "the other images of the batch. Freeze batch normalisation and per-batch scaling."
        )


def _wrong_classes(model: Classifier) -> Iterator[str]:
    if model.classes in class_lists.class_names():
        known = len(class_lists.load_classes(model.classes))
        if known != model.outputs:
            yield (
                f"Expected {model.name} to have {known} outputs, the classes of {model.classes}, "
                f"but it declares {model.outputs}. Name the label space that it was trained on."
            )


def _in_training(model: Classifier) -> Iterator[str]:
    module = getattr(model, "module", None)
    if isinstance(module, torch.nn.Module) and any(part.training for part in module.modules()):
        yield (
            f"Expected {model.name} to be in evaluation mode, but its module is in training mode, "
            "where dropout and batch normalisation depend on the batch. Call .eval() on it."
        )


def _wrong_answer(model: Classifier, answer: object, n: int) -> Iterator[str]:
    if not isinstance(answer, torch.Tensor):
        yield (
            f"Expected {model.name} to return a torch tensor of logits, but it returned "
            f"{type(answer).__name__}. Wrap it with wrap_callable."
        )
        return
    if answer.shape != (n, model.outputs) or not answer.is_floating_point():
        yield (
            f"Expected {model.name} to return float logits of shape ({n}, {model.outputs}), but "
            f"got {answer.dtype} of shape {tuple(answer.shape)}. Return one row an image, one "
            "column a class."
        )
    elif not torch.isfinite(answer).all():
        yield (
            f"Expected {model.name} to return finite logits, but got NaN or infinity. Check its "
            "weights and its normalisation; images come as float32 in [0, 1]."
        )


def _close(one: torch.Tensor, other: torch.Tensor) -> bool:
    scale = max(1.0, float(other.abs().max()))
    return one.shape == other.shape and float((one - other).abs().max()) <= TOLERANCE * scale
