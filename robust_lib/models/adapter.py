"""Adapters: any function on arrays, or any torch module, becomes a `Classifier`.

>>> from robust_lib.models.contract import check_classifier
>>> mean = wrap_callable(lambda x: x.mean((2, 3)), "mean", "colours", Preprocessing(None, 8))
>>> check_classifier(mean)
"""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import torch

from robust_lib import devices
from robust_lib.code_digest import foreign
from robust_lib.errors import InputError, ModelError
from robust_lib.models import own_code
from robust_lib.models.contract import (
    Images,
    ModelLogits,
    as_logits,
    not_logits,
    probe_images,
)
from robust_lib.preprocessing import Preprocessing

Precision = Literal["float32", "tf32", "bfloat16"]
IMAGENET_MEAN = (0.485, 0.456, 0.406)
IMAGENET_STD = (0.229, 0.224, 0.225)


@dataclass(frozen=True, kw_only=True)
class CallableClassifier:
    """A classifier made by `wrap_callable` from any function on NumPy arrays."""

    fn: Callable[[np.ndarray], Any]
    name: str
    classes: str
    outputs: int
    preprocessing: Preprocessing
    stated: str | None = None

    @property
    def fingerprint(self) -> str:
        """Digest of the function's code and of the stated fingerprint or, without one, its outputs.

        It is computed again at each access, so it changes if the function does.
        """
        if self.stated is None:
            return own_code.digest(self.fn, lambda: self(probe_images(4, self.preprocessing)))
        return hashlib.sha256(f"{own_code.digest(self.fn)} {self.stated}".encode()).hexdigest()

    def __call__(self, images: Images) -> ModelLogits:
        """Return the function's answers as a tensor; its shape is checked by the caller."""
        return torch.from_numpy(_ask(self.fn, images.cpu().numpy(), self.name))


def wrap_callable(
    fn: Callable[[np.ndarray], Any],
    name: str,
    classes: str,
    preprocessing: Preprocessing,
    outputs: int | None = None,
    *,
    fingerprint: str | None = None,
) -> CallableClassifier:
    """Return a classifier made from any function of NumPy arrays: JAX, ONNX, a web service.

    Args:
        fn: function from float32 images (n, 3, h, w) in [0, 1] RGB to array-like logits (n,
            outputs).
        classes: label space, e.g. "imagenet_1k".
        outputs: number of logits; None determines it from four synthetic images.
        fingerprint: any text that changes with the weights, for a slow or costly function; None
            uses its outputs for the four images. The function's code is always included.

    Raises:
        ModelError: the function's output is not an (n, outputs) array of numbers.

    >>> mine = wrap_callable(lambda x: x.mean((2, 3)), "mean", "colours", Preprocessing(None, 8))
    >>> mine.outputs
    3
    """
    if outputs is None:
        outputs = _ask(fn, probe_images(4, preprocessing).numpy(), name).shape[1]
    return CallableClassifier(
        fn=fn,
        name=name,
        classes=classes,
        outputs=outputs,
        preprocessing=preprocessing,
        stated=fingerprint,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class TorchClassifier:
    """A torch module as a classifier, with normalisation and device.

    The module is moved to the device and put into evaluation mode, and still belongs to the caller;
    if it is put back into training mode, the next call raises ModelError. `fingerprint` is computed
    again at each access, so it changes if the module is trained further. In bfloat16, convolutions
    and matrix products have eight bits of precision, which is faster on a GPU; the fingerprint then
    differs, so that such predictions are kept apart.

    Args:
        of_row: whether the library built the module from a row of data_manifests/models, which then
            identifies it, with its weights and structure. Any other module is also identified by
            its code, attributes, tensors, and outputs for probes.
        assumed: whether the usual geometry, mean and deviation are assumed, because the module
            states no preprocessing.

    >>> net = torch.nn.Sequential(torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten())
    >>> model = TorchClassifier(module=net, name="mean", classes="colours", outputs=3,
    ...     preprocessing=Preprocessing(None, 8), mean=(0.0, 0.0, 0.0), std=(1.0, 1.0, 1.0))
    >>> model(torch.ones(2, 3, 8, 8))
    tensor([[1., 1., 1.],
            [1., 1., 1.]])
    """

    module: torch.nn.Module
    name: str
    classes: str
    outputs: int
    preprocessing: Preprocessing
    mean: tuple[float, float, float] = IMAGENET_MEAN
    std: tuple[float, float, float] = IMAGENET_STD
    device: str = "cpu"
    precision: Precision = "float32"
    of_row: bool = False
    assumed: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.module, torch.nn.Module):
            raise InputError(
                f"Expected {self.name} to be a torch.nn.Module, but got "
                f"{type(self.module).__name__}. Use wrap_callable for any other function."
            )
        if min(self.std) <= 0:
            raise InputError(f"Expected std above 0 for {self.name}, but got {self.std}.")
        self.module.eval()
        # Where all answers are stored, a network is named on machines without its GPU, too.
        if devices.is_there(self.device):
            # channels_last is 1.1 to 1.5 times as fast on processors and no slower on GPUs.
            self.module.to(device=self.device, memory_format=torch.channels_last)  # type: ignore[call-overload]

    @property
    def fingerprint(self) -> str:
        """Digest of the weights, the module's printed structure and the normalisation.

        For a user's module, everything else that determines its outputs is included; see
        `own_code`.
        """
        settings: tuple[object, ...] = (structure(self.module), self.mean, self.std)
        settings = (*settings, self.outputs, self.preprocessing)
        if self.precision != "float32":
            settings = (*settings, self.precision)
        if not self.of_row:
            # One by one, whatever memory holds.
            shown_alone = (self, probe_images(4, self.preprocessing), {self.name: 1}, self.name)
            asked = partial(devices.in_parts, *shown_alone)
            settings = (*settings, own_code.digest(self.module, asked))
        elif changed := own_code.own_code(self.module):  # by a hook, say
            settings = (*settings, changed)
        return module_digest(self.module, settings)

    def __call__(self, images: Images) -> ModelLogits:
        """Return the logits of a batch, on the model's device."""
        if any(part.training for part in self.module.modules()):
            raise ModelError(
                f"Expected {self.name} to be in evaluation mode, but its module is in training "
                "mode, where dropout and batch normalisation depend on the batch. Call .eval()."
            )
        devices.require(self.device)
        mixed = self.precision == "bfloat16"
        kind = torch.device(self.device).type
        with (
            torch.inference_mode(),
            torch.autocast(kind, torch.bfloat16, enabled=mixed),
            devices.convolving(tf32=self.precision == "tf32"),
        ):
            images = images.to(self.device)
            mean, std = (images.new_tensor(v).view(1, 3, 1, 1) for v in (self.mean, self.std))
            normalised = ((images - mean) / std).contiguous(memory_format=torch.channels_last)
            with foreign(f"{self.name} to classify {shown(images)}"):
                answer = self.module(normalised)
            logits: ModelLogits = as_logits(answer, self.name)
            return logits


ASSUMED = (
    "assumed, because the network does not specify its preprocessing: if it was trained "
    "differently, return a TorchClassifier with its Preprocessing, mean and std"
)


def seen(model: object) -> str:
    """Return the description of a model's preprocessing, including whether it is assumed or stated.

    >>> seen(wrap_callable(lambda x: x.mean((2, 3)), "mean", "colours", Preprocessing(None, 8)))
    'crop 8, interpolation bilinear'
    """
    preprocessing = getattr(model, "preprocessing", None)
    if preprocessing is None:
        return "each image at its own size"
    told = asdict(preprocessing)
    parts = [f"{name} {value}" for name, value in told.items() if value is not None]
    for name, attribute in (("mean", "mean"), ("deviation", "std")):
        if (values := getattr(model, attribute, None)) is not None:
            parts.append(f"{name} {' '.join(f'{value:.4g}' for value in values)}")
    known = f"; {ASSUMED}" if getattr(model, "assumed", False) else ""
    return f"{', '.join(parts) or 'each image at its own size'}{known}"


def structure(module: torch.nn.Module) -> str:
    """Return a module's printed structure, the same in all runs, and under torch 2.11 and 2.15.

    >>> structure(torch.nn.BatchNorm2d(3))
    'BatchNorm2d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)'
    """
    # A module that holds a function prints its address, which changes from run to run.
    told = re.sub(r" at 0x[0-9a-f]+", "", repr(module))
    # Older versions of torch do not print whether a normalisation layer has a bias.
    return re.sub(r"affine=(True|False)(?!, bias=)", r"affine=\1, bias=\1", told)


def module_digest(module: torch.nn.Module, settings: tuple[object, ...]) -> str:
    """Return a digest of a module's weights and of everything else that determines its outputs."""
    digest = hashlib.sha256()
    digest.update(repr(settings).encode())
    for key, value in sorted(module.state_dict().items()):
        array = value.detach().cpu().contiguous()
        digest.update(f"{key} {array.dtype} {tuple(array.shape)}".encode())
        digest.update(array.reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


def shown(images: torch.Tensor | np.ndarray) -> str:
    """Return a description of a batch.

    >>> shown(np.zeros((4, 3, 64, 48)))
    '4 images of 64 x 48 pixels'
    """
    return "{} images of {} x {} pixels".format(len(images), *images.shape[2:])


def _ask(fn: Callable[[np.ndarray], Any], images: np.ndarray, name: str) -> np.ndarray:
    with foreign(f"{name} to classify {shown(images)}"):
        said = fn(images)
    if said is None or isinstance(said, Mapping):
        raise ModelError(not_logits(said, name))
    with foreign(f"{name} to return an array of numbers, one row per image"):
        answer = np.asarray(said.detach().cpu() if isinstance(said, torch.Tensor) else said)
    if answer.ndim != 2 or len(answer) != len(images) or answer.dtype.kind not in "fiu":
        raise ModelError(
            f"Expected {name} to return numbers of shape ({len(images)}, classes) for "
            f"{len(images)} images, but got {answer.dtype} of shape "
            f"{answer.shape}{' from a tuple' if isinstance(said, tuple) else ''}. Return one row "
            "of logits per image."
        )
    return np.ascontiguousarray(answer, dtype=np.float32)
