"""The file names of ImageNet-A: each tells what the networks that chose the picture said of it."""

import re
from dataclasses import dataclass

from robust_lib.errors import InputError

_NUMBER = r"\d+(?:\.\d+)?(?:e-\d+)?"
_NAME = re.compile(rf"({_NUMBER})_(.+) _ (.+)_({_NUMBER})\.(?:jpe?g|png)", re.IGNORECASE)


@dataclass(frozen=True)
class Said:
    """What the two ResNet-50s said of a picture that fooled them [nae, sec. 3].

    Args:
        true: probability of the true class, a fraction.
        predictions: name of the class that each of the two predicted; often the same one.
        confidence: probability of the predicted class, a fraction.
    """

    true: float
    predictions: tuple[str, str]
    confidence: float


def said(name: str) -> Said:
    """Return what the name of one of ImageNet-A's files tells; folders before it do not matter.

    Raises:
        InputError: a name of another form, or a number that is no fraction.

    >>> said("n01498041/0.000348_chameleon _ box turtle_0.55540705.jpg")
    Said(true=0.000348, predictions=('chameleon', 'box turtle'), confidence=0.55540705)
    """
    found = _NAME.fullmatch(name.rpartition("/")[2])
    if found is None:
        raise InputError(
            "Expected a file name such as '0.000348_chameleon _ box turtle_0.55540705.jpg', but "
            f"got {name!r}. Only ImageNet-A's own files are named so."
        )
    true, first, second, confidence = found.groups()
    if not 0 <= float(true) <= 1 or not 0 <= float(confidence) <= 1:
        raise InputError(f"Expected two probabilities in [0, 1], but got {true} and {confidence}.")
    return Said(float(true), (first, second), float(confidence))
