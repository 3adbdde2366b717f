"""The peer's functions, handed the random numbers that ours drew.

With the same numbers a random corruption is a function like any other and can be compared pixel by
pixel. Only frost and elastic_transform cannot: the peer asks for other numbers there.
"""

from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import skimage
from PIL import Image

from tests.reference.peer import NumPy1

REDEFINED = ("frost", "elastic_transform")


def corrupted_by_peer(theirs, name, severity, picture, draws=()):
    """Return what the peer stores, uint8, for a picture and the oracle's arguments (`draws`)."""
    with answering(theirs, **ANSWERS.get(name, lambda *none: {})(*draws)):
        return stored(getattr(theirs, name)(Image.fromarray(picture), severity))


def stored(result):
    """A PIL image, or levels 0..255 -> uint8 by truncation, as the peer's own `corrupt` does."""
    return np.uint8(np.asarray(result))


@contextmanager
def answering(theirs, random_noise=None, **answers):
    """Let the peer's calls of numpy.random, and of skimage's random_noise, be answered by ours."""
    before = theirs.np, theirs.sk
    if answers:
        theirs.np = NumPy1(np)
        theirs.np.random = SimpleNamespace(**answers)
    if random_noise is not None:
        util = SimpleNamespace(random_noise=random_noise)
        theirs.sk = SimpleNamespace(util=util, color=skimage.color)
    try:
        yield
    finally:
        theirs.np, theirs.sk = before


def normal(numbers):
    return {"normal": lambda size, scale, loc=0: loc + scale * numbers}


def shot_noise(counts):
    return {"poisson": lambda means: counts}


def impulse_noise(flip, salt):
    class Numbers(np.random.Generator):
        def __init__(self):
            super().__init__(np.random.PCG64(0))
            self.rest = [flip, salt]

        def random(self, size):
            return self.rest.pop(0)

    def random_noise(x, mode, amount):
        return skimage.util.random_noise(x, mode=mode, amount=amount, rng=Numbers())

    return {"random_noise": random_noise}


def glass_blur(walk):
    """`walk[round, h, w]` is (dx, dy); the peer asks from the bottom right to the top left."""
    rounds, side = len(walk), walk.shape[1]
    reach = -int(walk.min())
    order = slice(side - reach, reach, -1)
    numbers = iter(walk[:, order, order].reshape(rounds * (side - 2 * reach) ** 2, 2))
    return {"randint": lambda low, high, size: next(numbers)}


def motion_blur(angle):
    return {"uniform": lambda low, high: angle}


def snow(normals, angle):
    return normal(normals) | motion_blur(angle)


def fog(wobbles):
    def in_order():
        step = len(wobbles)
        while step >= 2:
            half = step // 2
            yield wobbles[half::step, half::step]
            yield wobbles[::step, half::step]
            yield wobbles[half::step, ::step]
            step = half

    parts = in_order()
    return {"uniform": lambda low, high, size: high * next(parts)}


ANSWERS = {
    "gaussian_noise": normal,
    "speckle_noise": normal,
    "spatter": normal,
    "shot_noise": shot_noise,
    "impulse_noise": impulse_noise,
    "glass_blur": glass_blur,
    "motion_blur": motion_blur,
    "snow": snow,
    "fog": fog,
}
