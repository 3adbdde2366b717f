"""What a network gets right in a folder of pictures, one picture after the other, by Pillow alone.

Nothing of the library's own evaluation is used: it is what others do to find their numbers.
"""

from pathlib import Path

import numpy as np
import torch
from PIL import Image

MEAN = np.array([0.485, 0.456, 0.406])
STD = np.array([0.229, 0.224, 0.225])


def resized(picture: Image.Image) -> Image.Image:
    """The shorter side is 256 pixels, the longer one in proportion, cut off to whole pixels."""
    width, height = picture.size
    shorter = min(width, height)
    size = tuple(256 if side == shorter else int(256 * side / shorter) for side in (width, height))
    return picture.resize(size, Image.Resampling.BILINEAR)


def central(picture: Image.Image) -> Image.Image:
    width, height = picture.size
    left, top = round((width - 224) / 2), round((height - 224) / 2)
    return picture.crop((left, top, left + 224, top + 224))


def answer(module: torch.nn.Module, picture: Image.Image, outputs: list[int]) -> int:
    """Return the most likely of some outputs for a picture of 224 pixels."""
    pixels = np.asarray(picture, dtype=np.float64) / 255
    normalised = ((pixels - MEAN) / STD).transpose(2, 0, 1)
    with torch.no_grad():
        logits = module(torch.from_numpy(normalised[None]).float())[0].tolist()
    best = outputs[0]
    for output in outputs:
        if logits[output] > logits[best]:
            best = output
    return best


def right(
    module: torch.nn.Module, folder: Path, outputs: dict[str, int], *, stored: bool = False
) -> tuple[int, int]:
    """Return how many pictures a network is right about, and how many there are.

    `outputs`: name of a class folder -> the output that is right there; the network chooses among
    these alone. `stored`: the pictures are resized and cropped already.
    """
    correct = total = 0
    for name, output in outputs.items():
        for file in sorted((folder / name).iterdir()):
            picture = Image.open(file).convert("RGB")
            shown = picture if stored else central(resized(picture))
            correct += answer(module, shown, list(outputs.values())) == output
            total += 1
    return correct, total


def mean_corruption_error(wrong: dict[str, dict[int, float]], table: Path) -> float:
    """Return the mCE of errors by corruption and severity, by hand from a table of AlexNet's.

    Of each corruption: what is wrong over its severities, in AlexNet's; then the mean of these.
    """
    ratios = []
    for corruption, by_severity in wrong.items():
        own = alexnet = 0.0
        for line in table.read_text("utf-8").splitlines():
            name, severity, error = line.split(",")[:3]
            if name == corruption:
                alexnet += float(error)
                own += by_severity[int(severity)]
        ratios.append(own / alexnet)
    return sum(ratios) / len(ratios)
