"""The contract of classifiers, and its check.

A classifier takes images in [0, 1] and returns logits. Resizing and cropping are its
`Preprocessing`, done by the data set on the 8-bit image; normalisation happens inside the
classifier; corruptions are applied between the two.
"""

import hashlib
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np
import torch
from jaxtyping import Float, Float32
from typing_extensions import Protocol, runtime_checkable

from robust_lib import seeds
from robust_lib.code_digest import foreign
from robust_lib.config import class_lists
from robust_lib.errors import InputError, ModelError
from robust_lib.models import own_code
from robust_lib.preprocessing import Preprocessing

Images = Float32[torch.Tensor, "images 3 height width"]
ModelLogits = Float[torch.Tensor, "images outputs"]

MANY = 10
"""With at least so many outputs, the logits of four images are not all in [0, 1] by chance."""

TOLERANCE = 1e-3
"""The allowed difference of two predictions for one image, as a fraction of the largest logit:
batches of other sizes are summed in another order, on GPUs with ten bits of precision."""


# typing's own Protocol, before Python 3.12, computes every property when it is asked whether
# something is a model: a digest of all weights each time.
@runtime_checkable
class Model(Protocol):
    """The attributes that classifiers and detectors share.

    `fingerprint` changes whenever an output could change, so that stored predictions are never
    taken for those of a different model; `fingerprint_of` adds what a user's class does not state.
    """

    @property
    def name(self) -> str:
        """The model's name in tables."""
        ...

    @property
    def classes(self) -> str:
        """The label space, such as "imagenet_1k": a list in data_manifests/classes or a new one."""
        ...

    @property
    def outputs(self) -> int:
        """The number of its classes without background, that is, the number of logits per image."""
        ...

    @property
    def fingerprint(self) -> str:
        """A digest of the weights and of every setting that affects the outputs."""
        ...


@runtime_checkable
class Classifier(Model, Protocol):
    """Anything that maps float32 images (n, 3, h, w) in [0, 1] RGB to logits (n, outputs)."""

    @property
    def preprocessing(self) -> Preprocessing:
        """The resizing and cropping of an image before it enters the model."""
        ...

    def __call__(self, images: Images) -> ModelLogits:
        """Return the logits of a batch."""
        ...


def check_classifier(model: Classifier, *, own: bool = True) -> None:
    """Raise ModelError if a model violates the contract of `Classifier`.

    Four synthetic images are classified together, again, and one by one. Every output must consist
    of finite numbers in the promised shape and be the same each time; the images must stay
    unchanged; no part of a torch module may be in training mode.

    Args:
        own: whether it is a user's model, which triggers a warning if its logits look like
            probabilities. The library's own never are, although SqueezeNet's logits may also be in
            [0, 1].
    """
    for problem in _problems(model, own):
        raise ModelError(problem)


def probe_images(n: int, preprocessing: Preprocessing) -> Images:
    """Return n synthetic images of a model's input size: smooth colours with some noise."""
    side = preprocessing.crop or preprocessing.frame or 64
    rng = seeds.generator("classifier", "probe", n, side)
    smooth = torch.from_numpy(rng.random((n, 3, 4, 4), dtype=np.float32))
    images = torch.nn.functional.interpolate(smooth, size=(side, side), mode="bilinear")
    noise = torch.from_numpy(rng.standard_normal(tuple(images.shape), dtype=np.float32))
    return (images + 0.05 * noise).clamp(0, 1)


def fingerprint_of(model: Model) -> str:
    """Return the key of a model's stored predictions: its fingerprint and any user code.

    The library's own classes determine by themselves what affects an output. A user's class may
    state anything, such as "first try", so its code, attributes and outputs for probes are added.
    """
    if not own_code.is_users_object(model):
        return model.fingerprint
    seen = getattr(model, "preprocessing", None)
    probes = None if seen is None else probe_images(4, seen)
    ask = None if probes is None else lambda: model(probes)  # type: ignore[operator]
    with foreign(f"{model.name} to classify four synthetic images"):
        said = f"{model.fingerprint} {own_code.digest(model, ask)}"
    return hashlib.sha256(said.encode()).hexdigest()


def fingerprints(
    models: Iterable[Model], known: Mapping[str, str] = MappingProxyType({})
) -> dict[str, str]:
    """Return name -> fingerprint of the given models and of earlier ones.

    Raises:
        InputError: two models with the same name, whose predictions would be confused.
    """
    found = dict(known)
    for model in models:
        mark = fingerprint_of(model)
        require_one(model.name, found.setdefault(model.name, mark), mark)
    return found


def require_one(name: str, first: str, second: str, called: str = "") -> None:
    """Raise InputError if two different models have the same name.

    Args:
        called: the name by which the second model was requested, if known.
    """
    if first != second:
        raise InputError(
            "Expected models with different names, but two are called "
            f"{name}{f', {called} being the second' if called else ''}: their fingerprints are "
            f"{first[:12]} and {second[:12]}. Return a Classifier or Detector with a unique name "
            "from one of them."
        )


def as_logits(answer: object, name: str) -> torch.Tensor:
    """Return a network's output as float32 logits of any shape.

    Raises:
        ModelError: it is not a tensor of numbers but, for example, a tuple or a dictionary.
    """
    if isinstance(answer, torch.Tensor) and not (answer.is_complex() or answer.dtype == torch.bool):
        return answer.float()
    raise ModelError(not_logits(answer, name))


def not_logits(answer: object, name: str) -> str:
    """Return the message about an output that is not a tensor of numbers.

    >>> not_logits({"logits": 1}, "mine").partition(" but ")[2]
    'it returned a dict with logits. Return the logits alone, here answer["logits"].'
    """
    what, cure = f"{type(answer).__name__}", "Wrap it with wrap_callable."
    if isinstance(answer, torch.Tensor):
        what, cure = f"a tensor of {answer.dtype}", "Return a floating-point one."
    elif isinstance(answer, Mapping):
        keys = [str(key) for key in answer]
        what = f"a {what} with {', '.join(keys[:5]) or 'nothing'}"
        key = next((key for key in ("logits", "out", "output", *keys) if key in keys), "logits")
        cure = f'Return the logits alone, here answer["{key}"].'
    elif isinstance(answer, tuple | list):
        what = f"a {what} of {len(answer)}"
        cure = "Return the logits alone, such as answer[0]."
    elif answer is None:
        cure = "Is its return statement missing?"
    elif isinstance(answer, np.ndarray):
        what, cure = "a NumPy array", "Return torch.from_numpy(answer), or use wrap_callable."
    return f"Expected {name} to return a torch tensor of logits, but it returned {what}. {cure}"


def are_shares(answers: np.ndarray) -> bool:
    """Return whether all rows are probabilities that sum to 1, as logits hardly ever do.

    >>> are_shares(np.array([[0.2, 0.8], [0.5, 0.5]])), are_shares(np.array([[0.2, 0.3]]))
    (True, False)
    """
    rows = np.asarray(answers, np.float64)
    return bool(
        rows.ndim == 2
        and min(rows.shape) > 0
        and rows.shape[1] > 1
        and (rows >= 0).all()
        and (np.abs(rows.sum(1) - 1) <= SHARES).all()
    )


SHARES = 1e-3
"""The allowed deviation of a sum of shares from 1, because half precision rounds them."""


def _problems(model: Classifier, own: bool) -> Iterator[str]:
    """Yield what is wrong, the most telling first; later checks rely on earlier ones."""
    yield from lacking(
        model,
        "classifier",
        ("name", "classes", "outputs", "fingerprint", "preprocessing", "__call__"),
        "Wrap it: wrap_callable for a function, TorchClassifier for a torch module.",
    )
    yield from wrong_classes(model, "Set `classes` to the label space of its training.")
    yield from in_training(model, "where dropout and batch normalisation depend on the batch")
    images = probe_images(4, model.preprocessing)
    before = images.clone()
    what = f"{model.name} to classify four synthetic images, prepared as its preprocessing says"
    with foreign(f"{what} ({model.preprocessing})"):
        answer = model(images)
    yield from _wrong_answer(model, answer, len(images), own)
    together = answer.detach().cpu()
    yield from unsteady(
        model.name,
        kept=torch.equal(images, before),
        again=lambda: _close(model(images).detach().cpu(), together),
        alone=lambda: _close(
            torch.cat([model(image[None]).detach().cpu() for image in images]), together
        ),
        cure="Freeze batch normalisation and per-batch scaling.",
    )


def lacking(model: object, kind: str, wanted: Sequence[str], cure: str) -> Iterator[str]:
    """Yield a message if a model lacks an attribute of its contract."""
    missing = [attribute for attribute in wanted if not hasattr(model, attribute)]
    if missing:
        yield (
            f"Expected a {kind} with {', '.join(wanted)}, but {type(model).__name__} lacks "
            f"{', '.join(missing)}. {cure}"
        )


def wrong_classes(model: Model, cure: str) -> Iterator[str]:
    """Yield a message if a model's number of outputs differs from the length of its class list."""
    if model.classes in class_lists.class_names():
        known = len(class_lists.load_classes(model.classes))
        if known != model.outputs:
            yield (
                f"Expected {model.name} to have {known} outputs, the classes of {model.classes}, "
                f"but it declares {model.outputs}. {cure}"
            )


def in_training(model: Model, why: str) -> Iterator[str]:
    """Yield a message if a part of a model's torch module is in training mode."""
    module = getattr(model, "module", None)
    if isinstance(module, torch.nn.Module) and any(part.training for part in module.modules()):
        yield (
            f"Expected {model.name} to be in evaluation mode, but its module is in training mode, "
            f"{why}. Call .eval() on it."
        )


def unsteady(
    name: str, *, kept: bool, again: Callable[[], bool], alone: Callable[[], bool], cure: str
) -> Iterator[str]:
    """Yield a message if a model changes its input, or if its output is random or batch-dependent.

    Args:
        kept: whether its input is unchanged.
        again: whether a second output for the same images is the same.
        alone: whether the outputs for single images are the same.
        cure: remedy if an output depends on the batch.
    """
    if not kept:
        yield (
            f"Expected {name} to leave its input unchanged, but it changed the given images. Make "
            "it work on a copy: other models receive the same images."
        )
    if not again():
        yield (
            f"Expected {name} to make the same predictions for the same images, but they differ. "
            "Switch off dropout and any other randomness, or seed it by the image."
        )
    if not alone():
        yield (
            f"Expected {name} to predict each image independently, but its predictions change with "
            f"the other images of the batch. {cure}"
        )


def _wrong_answer(model: Classifier, answer: object, n: int, own: bool) -> Iterator[str]:
    if not isinstance(answer, torch.Tensor):
        yield not_logits(answer, model.name)
        return
    if answer.shape != (n, model.outputs) or not answer.is_floating_point():
        yield (
            f"Expected {model.name} to return float logits of shape ({n}, {model.outputs}), "
            f"but got {answer.dtype} of shape {tuple(answer.shape)}. Return one row per "
            "image and one column per class."
        )
    elif not torch.isfinite(answer).all():
        yield (
            f"Expected {model.name} to return finite logits, but got NaN or infinity. Check its "
            "weights and its normalisation; images come as float32 in [0, 1]."
        )
    elif are_shares(rows := answer.detach().cpu().numpy()):
        yield (
            f"Expected {model.name} to return logits, but its rows are probabilities that add up "
            "to 1, as after a softmax. Calibration error, AURRA and AUPR would be wrong: remove "
            "the softmax, or return the logarithm of the probabilities."
        )
    elif own and model.outputs >= MANY and (rows >= 0).all() and (rows <= 1).all():
        warnings.warn(
            f"Expected {model.name} to return logits, but all of its {rows.size} numbers are in "
            "[0, 1], as after a sigmoid. If they are probabilities, calibration error, AURRA and "
            "AUPR would be wrong: remove the sigmoid, or return torch.logit of the probabilities.",
            stacklevel=4,
        )


def _close(one: torch.Tensor, other: torch.Tensor) -> bool:
    scale = max(1.0, float(other.abs().max()))
    return one.shape == other.shape and float((one - other).abs().max()) <= TOLERANCE * scale
