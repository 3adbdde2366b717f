"""The frost textures: the six originals if they were fetched, else crystals drawn here.

The originals state no source or licence, so they are not part of this package. The stand-ins have
the originals' sizes, mean colours and contrasts, but they are different images: a number computed
with them is not the benchmark's, and `Textures.canonical` says so.
"""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from pathlib import Path

import cv2
import numpy as np
import torch
from jaxtyping import UInt8

from robust_lib import paths
from robust_lib.corruptions.levels import scale
from robust_lib.errors import DataError
from robust_lib.types import Picture

SHA256 = {
    "frost1.png": "ff9f907860bd7a835d459e32f9d588062b7f61ee267343cc7222b56753a14755",
    "frost2.png": "fe211a89b336999c207a852ce05818d4545d0b57c5beadd824b4cc9d9a9b6137",
    "frost3.png": "2d0d50b4a9bb213f38b024ef7768731bb83cc08d2f26b5766bbc167cdfa0e504",
    "frost4.jpg": "3f8b91ca1a9fa7167b09e773da53f5ae60d0a1fd88f02a783f6e328a72887f6e",
    "frost5.jpg": "5fc6a19df4a429ba68abdcc8f8a4278d4c9f81c9ccafd2c92ab0c8cf8992ebd2",
    "frost6.jpg": "1f92b2f48408748085b68dd81d816ef239f42cef3029c25d041fcb6760fb4f25",
}

# (height, width), mean colour and contrast (standard deviation of the grey values) to draw to.
# The second and third originals are equal in every pixel; so are their stand-ins.
_STAND_INS = (
    ((600, 900), (78, 149, 166), 18),
    ((315, 560), (201, 205, 214), 22),
    ((315, 560), (201, 205, 214), 22),
    ((350, 527), (138, 153, 165), 29),
    ((495, 660), (112, 123, 135), 43),
    ((323, 485), (71, 95, 105), 41),
)


@dataclass(frozen=True, eq=False)
class Textures:
    """Six frost textures, and whether they are the benchmark's own."""

    pictures: tuple[UInt8[np.ndarray, "_ _ 3"], ...]
    canonical: bool


def textures(folder: Path | None = None) -> Textures:
    """Return the six frost textures.

    Args:
        folder: folder with the originals; by default, `frost_textures` in the data folder. If it
            does not exist, the stand-ins are returned.

    Raises:
        DataError: the folder exists but lacks an original, or has a different file under its name.
    """
    folder = paths.data() / "frost_textures" if folder is None else folder
    return _originals(folder) if folder.is_dir() else _stand_ins()


@lru_cache(maxsize=64)
def fitted(
    look: Textures, index: int, height: int, width: int, device: torch.device
) -> UInt8[torch.Tensor, "3 tall wide"]:
    """Return one texture at the scale of images of (height, width) px; unchanged for 224 px.

    The crystals keep their size relative to the image, unless the texture must be larger to cover
    it.
    """
    picture = look.pictures[index]
    tall, wide = picture.shape[:2]
    factor = max(scale(height, width), (height + 1) / tall, (width + 1) / wide)
    if factor != 1:
        size = (ceil(wide * factor), ceil(tall * factor))
        way = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
        picture = cv2.resize(picture, size, interpolation=way)
    return torch.from_numpy(picture.transpose(2, 0, 1).copy()).to(device)


@lru_cache(maxsize=4)
def _originals(folder: Path) -> Textures:
    return Textures(tuple(_original(folder / name) for name in SHA256), canonical=True)


def _original(path: Path) -> Picture:
    content = path.read_bytes() if path.is_file() else b""
    if hashlib.sha256(content).hexdigest() != SHA256[path.name]:
        raise DataError(
            f"Expected {path} to be the benchmark's frost texture (sha256 {SHA256[path.name]}), "
            f"but it is {'another file' if content else 'missing or empty'}. Fetch the frost "
            f"textures again, or remove the folder to use the drawn stand-ins."
        )
    pixels = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR_RGB)
    return _frozen(np.asarray(pixels, dtype=np.uint8))


@lru_cache(maxsize=1)
def _stand_ins() -> Textures:
    drawn: dict[object, Picture] = {}
    for look in _STAND_INS:
        if look not in drawn:
            drawn[look] = _crystals(*look, seed=len(drawn))
    return Textures(tuple(drawn[look] for look in _STAND_INS), canonical=False)


def _crystals(
    size: tuple[int, int], colour: tuple[int, int, int], contrast: int, seed: int
) -> Picture:
    """Draw feathers of ice over cloudy glass."""
    random = np.random.default_rng(seed)
    height, width = size
    glass = np.zeros(size, np.float32)
    for cell in (96, 48, 24, 6):
        coarse = random.normal(size=(height // cell + 2, width // cell + 2)).astype(np.float32)
        large = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
        glass += large * (cell / 64)
    ice = np.zeros(size, np.float32)
    for x, y in random.uniform((0, 0), (width, height), size=(height * width // 120, 2)):
        _feather(ice, (x, y), random)
    relief = glass / glass.std() + ice / ice.std()
    grey = contrast * (relief - relief.mean()) / relief.std()
    return _frozen(np.clip(grey[..., None] + colour, 0, 255).astype(np.uint8))


def _feather(ice: np.ndarray, root: tuple[float, float], random: np.random.Generator) -> None:
    """Add one needle with side branches at 60 degrees, as ice grows."""
    direction, length = random.uniform(0, 2 * np.pi), random.gamma(3, 7)
    bright = float(random.normal())
    stem = np.array(root) + length * np.array([np.cos(direction), np.sin(direction)])
    _needle(ice, np.array(root), stem, bright)
    for part in np.arange(0.1, 1, 3 / length):
        at = np.array(root) + part * (stem - root)
        for side in (-np.pi / 3, np.pi / 3):
            branch = random.uniform(0.2, 0.5) * length * (1 - part)
            angle = direction + side
            _needle(ice, at, at + branch * np.array([np.cos(angle), np.sin(angle)]), 0.7 * bright)


def _needle(ice: np.ndarray, start: np.ndarray, end: np.ndarray, bright: float) -> None:
    # OpenCV takes sixteenths of a pixel as whole numbers.
    first, last = ((16 * point).round().astype(int).tolist() for point in (start, end))
    cv2.line(ice, first, last, bright, 1, cv2.LINE_AA, shift=4)


def _frozen(picture: Picture) -> Picture:
    picture.setflags(write=False)
    return picture
