"""How far ours agrees with the oracle, and with the peer, on the same pictures, given our draws."""

import numpy as np
import torch

from robust_lib.corruptions.draws import Stream
from robust_lib.corruptions.frost_textures import textures
from robust_lib.corruptions.levels import truncate
from robust_lib.corruptions.table import CORRUPTIONS
from tests.reference.handed import corrupted_by_peer


def plane(field):
    return field.double().numpy()


def colours(field):
    return plane(field).transpose(1, 2, 0)


def embedded(crop):
    """The drawn middle of a noise layer inside a layer of NaN: the rest must not matter."""
    layer = np.full((224, 224), np.nan)
    top = (224 - len(crop)) // 2
    layer[top : top + len(crop), top : top + len(crop)] = crop
    return layer


# How one picture's draws become the oracle's arguments.
TRANSLATE = {
    "gaussian_noise": lambda normals: [colours(normals)],
    "speckle_noise": lambda normals: [colours(normals)],
    "shot_noise": lambda counts: [colours(counts)],
    "glass_blur": lambda offsets: [offsets.permute(1, 2, 3, 0).numpy()],
    "motion_blur": lambda angle: [float(angle)],
    "snow": lambda normals, angle: [embedded(plane(normals)), float(angle)],
    "fog": lambda wobbles: [plane(wobbles)],
    "elastic_transform": lambda jitter, fields: [plane(jitter), *plane(fields)],
    "spatter": lambda normals: [plane(normals)],
}


def tensors(pictures):
    """uint8 (n, h, w, 3) -> float32 fractions (n, 3, h, w)."""
    return torch.from_numpy(pictures.transpose(0, 3, 1, 2).copy()).float() / 255


def ours_and_draws(name, severity, pictures, look=None):
    """Return what ours stores, uint8 (n, h, w, 3), and the oracle's arguments for each image."""
    images = tensors(pictures)
    corruption = CORRUPTIONS[name]
    more = {} if look is None else {"look": look}
    if name == "impulse_noise":
        draws, arguments = impulses(images, severity)
    else:
        stream = Stream(tuple((0, i, name, severity) for i in range(len(images))), images.device)
        draws = corruption.draw(stream, images, severity, **more)
        translate = TRANSLATE.get(name, lambda *one: list(one))
        each = zip(*draws, strict=True) if draws else [()] * len(images)
        arguments = [translate(*one) for one in each]
    ours = truncate(corruption.apply(images, severity, *draws, **more))
    return ours.permute(0, 2, 3, 1).numpy(), arguments


def compare(oracle, name, severity, pictures, frost_folder=None):
    """Return the share of equal 8-bit values and the largest difference, for each image.

    `pictures` are uint8 (n, 224, 224, 3).
    """
    look = textures(frost_folder) if name == "frost" else None
    ours, arguments = ours_and_draws(name, severity, pictures, look)
    if name == "frost":
        arguments = [[look.pictures[index], int(top), int(left)] for index, top, left in arguments]
    theirs = [
        getattr(oracle, name)(picture, severity, *one)
        for picture, one in zip(pictures, arguments, strict=True)
    ]
    return agreement(ours, np.stack(theirs))


def compare_with_peer(theirs, name, severity, pictures):
    """Return the same two against the peer, which is handed our draws."""
    ours, arguments = ours_and_draws(name, severity, pictures)
    peers = [
        corrupted_by_peer(theirs, name, severity, picture, one)
        for picture, one in zip(pictures, arguments, strict=True)
    ]
    return agreement(ours, np.stack(peers))


def agreement(ours, theirs):
    apart = np.abs(ours.astype(int) - theirs)
    return (apart == 0).mean(axis=(1, 2, 3)), apart.max(axis=(1, 2, 3))


def impulses(images, severity):
    """Ours uses one number for both choices: below half the share salt, below the share pepper."""
    share = [0.03, 0.06, 0.09, 0.17, 0.27][severity - 1]
    rng = np.random.default_rng(severity)
    flip, salt = rng.random((2, len(images), 224, 224, 3))
    chances = np.where(flip <= share, np.where(salt <= 0.5, share / 4, share * 3 / 4), 1.0)
    ours = torch.from_numpy(chances.transpose(0, 3, 1, 2)).float()
    return (ours,), list(zip(flip, salt, strict=True))
