"""The library behind the reference companion to five robustness papers.

The functions and classes for interactive use are here; all others are imported from their packages.
A name is loaded when it is first used, so `import robust_lib` is quick and needs no torch.

>>> import numpy as np, torch
>>> from robust_lib import *

Images, corrupted as in ImageNet-C [inc, sec. 3], or read from a folder of class folders:

>>> corrupt(torch.full((1, 3, 64, 64), 0.5), "fog", 3, keys=["my_picture"]).shape
torch.Size([1, 3, 64, 64])
>>> image_folder("my_pictures")  # doctest: +SKIP

Models: a public one, a row of data_manifests/models, a function in your file, or any function of
arrays; and checks of the contract:

>>> load("torchvision/resnet18", source="random").outputs
1000
>>> model = wrap_callable(lambda x: x.mean((2, 3)), "mean", "colours", Preprocessing(None, 8))
>>> check_classifier(model)
>>> TorchClassifier(
...     module=torch.nn.Flatten(), name="flat", classes="pixels", outputs=12,
...     preprocessing=Preprocessing(None, 2),
... ).outputs
12

Detectors: a network from torchvision, any network with the same interface, or a model from
detectron2, which `wrap_detectron2` takes; and the boxes that it finds in an image set:

>>> from torchvision.models import get_model
>>> network = get_model("ssdlite320_mobilenet_v3_large", weights_backbone=None, num_classes=4)
>>> spotter = TorchDetector(module=network, name="spotter", classes="colours", outputs=3)
>>> check_detector(spotter)

Predictions of a model on an image set, or yours from elsewhere:

>>> from robust_lib.datasets.synthetic import Synthetic
>>> noise = Synthetic("noise", "blobs", 4, 32, "colours", ("red", "green", "blue"))
>>> predict(model, noise).logits.shape
(4, 3)
>>> len(detect(spotter, noise).ids)
4
>>> logits, labels = np.array([[2, 1], [0, 3]], np.float32), np.array([0, 0])
>>> about = {"ids": ("a", "b"), "labels": labels, "model": "my_net", "dataset": "my_pictures"}
>>> Predictions.from_logits(logits, **about).correct.tolist()
[True, False]

The papers' metrics, from plain arrays; rates are fractions:

>>> top1(logits, labels), [round(end, 3) for end in clopper_pearson(1, 2)]
(0.5, [0.013, 0.987])
>>> corruption_error(np.array([0.2, 0.4]), np.array([0.4, 0.8]))
0.5
>>> from robust_lib.vocabulary import COMMON  # the fifteen
>>> errors = {name: np.full(5, 0.5) for name in COMMON}
>>> mean_corruption_error(errors, errors)
1.0
>>> accuracy = np.array([[0.5, 0.6], [0.9, 0.7], [0.6, 0.8]])  # networks by corruptions
>>> overlap_matrix(accuracy, np.ones(3)).scores.round(3).tolist()
[[1.0, 0.375], [0.375, 1.0]]
>>> ordinary, foreign = np.array([0.1, 0.2, 0.3]), np.array([0.9, 0.25])  # anomaly scores
>>> round(aupr(ordinary, foreign), 3), round(auroc(ordinary, foreign), 3)
(0.833, 0.833)
>>> pm_k_accuracy(np.array([True, True, False]), np.array([[1, 0, 2]]), np.array([[0, -1, 1]]), k=1)
array([1., 0.])
>>> confidence, correct = np.repeat([0.9, 0.5], 100), np.repeat([True, True, False, False], 50)
>>> round(rms_calibration_error(confidence, correct, "all-bins"), 3)
0.361
>>> round(aurra(confidence, correct), 3)
0.845
"""

import functools
import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

if TYPE_CHECKING:  # for type checkers and editors
    from robust_lib.corruptions import corrupt as corrupt
    from robust_lib.datasets.user_folder import image_folder as image_folder
    from robust_lib.metrics.accuracy import top1 as top1
    from robust_lib.metrics.anomaly import aupr as aupr
    from robust_lib.metrics.anomaly import auroc as auroc
    from robust_lib.metrics.calibration import aurra as aurra
    from robust_lib.metrics.calibration import rms_calibration_error as rms_calibration_error
    from robust_lib.metrics.corruption_error import corruption_error as corruption_error
    from robust_lib.metrics.corruption_error import mean_corruption_error as mean_corruption_error
    from robust_lib.metrics.intervals import clopper_pearson as clopper_pearson
    from robust_lib.metrics.overlap import overlap_matrix as overlap_matrix
    from robust_lib.metrics.pm_k import pm_k_accuracy as pm_k_accuracy
    from robust_lib.models.adapter import TorchClassifier as TorchClassifier
    from robust_lib.models.adapter import wrap_callable as wrap_callable
    from robust_lib.models.contract import check_classifier as check_classifier
    from robust_lib.models.detectors.contract import check_detector as check_detector
    from robust_lib.models.detectors.detectron2_detector import wrap_detectron2 as wrap_detectron2
    from robust_lib.models.detectors.torch_detector import TorchDetector as TorchDetector
    from robust_lib.models.torch_models import load as load
    from robust_lib.passport.evaluation import evaluate as evaluate
    from robust_lib.predict.answers_file import write_answers as write_answers
    from robust_lib.predict.classify import predict as predict
    from robust_lib.predict.detect import detect as detect
    from robust_lib.predict.predictions import Predictions as Predictions
    from robust_lib.preprocessing import Preprocessing as Preprocessing
    from robust_lib.run.start import start as start

__version__ = "0.1.0"

_ROOMS = {
    "corrupt": "corruptions",
    "image_folder": "datasets.user_folder",
    "top1": "metrics.accuracy",
    "aupr": "metrics.anomaly",
    "auroc": "metrics.anomaly",
    "aurra": "metrics.calibration",
    "rms_calibration_error": "metrics.calibration",
    "corruption_error": "metrics.corruption_error",
    "mean_corruption_error": "metrics.corruption_error",
    "clopper_pearson": "metrics.intervals",
    "overlap_matrix": "metrics.overlap",
    "pm_k_accuracy": "metrics.pm_k",
    "TorchClassifier": "models.adapter",
    "wrap_callable": "models.adapter",
    "check_classifier": "models.contract",
    "TorchDetector": "models.detectors.torch_detector",
    "wrap_detectron2": "models.detectors.detectron2_detector",
    "check_detector": "models.detectors.contract",
    "load": "models.torch_models",
    "evaluate": "passport.evaluation",
    "write_answers": "predict.answers_file",
    "predict": "predict",
    "detect": "predict.detect",
    "Predictions": "predict.predictions",
    "Preprocessing": "preprocessing",
    "start": "run.start",
}

__all__ = [*_ROOMS]


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    room = import_module(f"{__name__}.{_ROOMS[name]}")
    # The room called predict can itself be called: importing it would hide a function of its name.
    found: Any = room if name == "predict" else getattr(room, name)
    if _ROOMS[name].partition(".")[0] in ("corruptions", "metrics"):
        # Not kept among the names here: its examples are run where they are written.
        found = _reads_arrays(found)
    return found


@functools.cache
def _reads_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that takes lists and tensors if its signature has NumPy arrays.

    If the signature has torch tensors, anything else raises an error that names them. Values that
    are no numbers raise an InputError.
    """
    signature, hints = inspect.signature(function), get_type_hints(function)

    @functools.wraps(function)
    def reading(*args: Any, **named: Any) -> Any:
        try:
            given = signature.bind(*args, **named)
        except TypeError:  # which the function itself tells best
            return function(*args, **named)
        for name, value in given.arguments.items():
            where = f"`{name}` of {function.__name__}"
            given.arguments[name] = _read(value, hints.get(name), where)
        return function(*given.args, **given.kwargs)

    reading.__module__ = __name__  # where it is found again, as other processes do
    return reading


def _read(value: Any, hint: Any, where: str) -> Any:
    import numpy as np

    from robust_lib.errors import InputError

    parts = get_args(hint)
    if isinstance(value, Mapping) and parts:
        return {key: _read(one, parts[-1], f"{where}, {key}") for key, one in value.items()}
    kinds = [getattr(one, "array_type", one) for one in (hint, *parts)]
    kinds = [one for one in kinds if getattr(one, "__name__", "") in ("ndarray", "Tensor")]
    if not kinds or value is None or isinstance(value, kinds[0]):
        return value
    told = type(value).__name__
    if kinds[0] is not np.ndarray:
        cure = "Use torch.from_numpy." if isinstance(value, np.ndarray) else "Use torch.tensor."
        raise InputError(f"Expected a torch tensor as {where}, but got {told}. {cure}")
    if isinstance(value, bool | int | float) and len(parts) > 1:  # one number, where that may be
        return value
    try:
        tensor = value.detach().cpu() if hasattr(value, "detach") else value
        read = np.asarray(tensor)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError(
            f"Expected an array of numbers as {where}, but {told} cannot be read as one: {error}."
        ) from None
    if read.dtype.kind not in "biuf":
        raise InputError(
            f"Expected an array of numbers as {where}, but got {told} of {read.dtype}. Pass a "
            "NumPy array, a list or a tensor."
        )
    return read


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
