"""A user's corruption: a function in a file, named as <file>.py:<function>.

    def rain(picture, severity, rng):
        '''Float32 (height, width, 3) in [0, 1], a severity from 1 to 5, a keyed generator.'''
        drops = rng.random(picture.shape[:2]) < 0.01 * severity
        return np.where(drops[..., None], 0.8, picture)

It can be used wherever a corruption is named: networks can be trained with it and tested on it.
"""

import hashlib

import numpy as np
import torch

from robust_lib import seeds
from robust_lib.corruptions.draws import Stream
from robust_lib.corruptions.levels import Images
from robust_lib.corruptions.table import Corruption
from robust_lib.errors import InputError
from robust_lib.vocabulary import user_file, user_function


def load(name: str) -> Corruption:
    """Return the corruption that a function in a file defines.

    Args:
        name: <file>.py:<function>. The function takes an image, float32 (height, width, 3) in
            [0, 1], a severity and a NumPy generator keyed by the image, and returns an image of
            the same shape; values outside [0, 1] are clipped.

    Raises:
        InputError: no such file or function, or the function returns something else.
    """
    function = user_function(name, "(picture, severity, rng)")

    def draw(stream: Stream, images: Images, severity: int) -> tuple[torch.Tensor, ...]:
        # The whole path would make other pictures of the same file in another folder.
        short = name.rpartition(":")[2]
        labels = [(seed, key, short, level) for seed, key, _, level in stream.labels]
        keys = [seeds.key(*label, "own") >> 1 for label in labels]
        return (torch.tensor(keys, dtype=torch.int64),)

    def apply(images: Images, severity: int, keys: torch.Tensor) -> Images:
        made = torch.empty_like(images)
        for place, key in enumerate(keys.tolist()):
            picture = images[place].permute(1, 2, 0).cpu().numpy().copy()
            made[place] = _checked(
                function(picture, severity, np.random.default_rng(key)), picture, name
            ).to(images)
        return made

    return Corruption(apply, draw)


def digest(name: str) -> str:
    """Return a digest of the file that contains a user's corruption."""
    return hashlib.sha256(user_file(name).read_bytes()).hexdigest()


def _checked(answer: object, picture: np.ndarray, name: str) -> torch.Tensor:
    made = np.asarray(answer)
    if made.shape != picture.shape or made.dtype.kind not in "fiu" or not np.isfinite(made).all():
        raise InputError(
            f"Expected {name} to return a picture of shape {picture.shape} with numbers in [0, 1], "
            f"but it returned {made.dtype} of shape {made.shape}"
            f"{'' if made.dtype.kind != 'f' or np.isfinite(made).all() else ' with NaN in it'}."
        )
    return torch.from_numpy(made.astype(np.float32)).permute(2, 0, 1).clamp(0, 1)
