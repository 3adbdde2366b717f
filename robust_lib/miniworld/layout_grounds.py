"""Backgrounds of photographs: studio cloth, and the six places of the paper's background study.

Each is drawn from noise, gradients and a few lines, so that a person recognises the place at a
glance. They contain nothing that a detector could take for an object [nao, sec. 4.4, fig. 6].
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import cv2
import numpy as np
from jaxtyping import Float, Float32

from robust_lib.miniworld import scenes

Ground = Float32[np.ndarray, "height width 3"]
_Field = Float32[np.ndarray, "height width"]
_Numbers = Float[np.ndarray, "height width"]
_Colour = tuple[float, float, float]


def underwater(size: int, rng: np.random.Generator) -> Ground:
    """Return blue water, with rays of light from above and sand below."""
    y, x = _grid(size)
    ground = _blend(_tone(rng, 0.25, 0.75, 0.8), _tone(rng, 0.0, 0.16, 0.36), np.sqrt(y))
    across = x + (rng.uniform(0.2, 0.6) * y) * rng.choice((-1.0, 1.0))
    rays = _line(rng, across, cells=int(rng.integers(6, 12)))
    light = np.clip(rays, 0, 1) * np.clip(1 - 1.1 * y, 0, 1) * rng.uniform(0.25, 0.45)
    ground = ground + light[..., None] * np.array([0.7, 1.0, 0.9], np.float32)
    bottom = rng.uniform(0.78, 0.9) + 0.05 * _line(rng, x, cells=4)
    ripples = _noise(size, rng, (8, 3), (32, 12), (64, 64))
    sand = _shaded(_tone(rng, 0.32, 0.5, 0.45), 0.14 * ripples)
    return _over(ground, sand, _above(y - bottom, 0.03))


def beach(size: int, rng: np.random.Generator) -> Ground:
    """Return a beach: sky, a band of sea with foam at its edge, and sand."""
    y, x = _grid(size)
    horizon, shore = rng.uniform(0.15, 0.28), rng.uniform(0.42, 0.55)
    sky = _blend(_tone(rng, 0.5, 0.74, 0.95), _tone(rng, 0.86, 0.92, 0.96), y / horizon)
    depth = (y - horizon) / (shore - horizon)
    sea = _blend(_tone(rng, 0.05, 0.34, 0.55), _tone(rng, 0.35, 0.78, 0.78), depth)
    sea = _shaded(sea, 0.07 * _noise(size, rng, (4, 24), (10, 48)))
    ground = _over(sky, sea, _above(y - horizon, 0.01))
    edge = y - shore - 0.025 * _line(rng, x, cells=5) - rng.uniform(-0.15, 0.15) * (x - 0.5)
    grains = _noise(size, rng, (4, 3), (16, 10), (size, size), falling=0.8)
    sand = _shaded(_tone(rng, 0.87, 0.76, 0.55), 0.05 * grains)
    wet = np.exp(-np.clip(edge, 0, None) / 0.05)[..., None]
    ground = _over(ground, sand * (1 - 0.3 * wet), _above(edge, 0.01))
    foam = np.exp(-((edge / 0.016) ** 2)) + 0.5 * np.exp(-(((edge + 0.07) / 0.012) ** 2))
    return _over(ground, np.ones_like(ground), np.clip(foam, 0, 0.9))


def forest(size: int, rng: np.random.Generator) -> Ground:
    """Return a forest: trunks in front of dim green leaves, and fallen leaves below."""
    y, x = _grid(size)
    leaves = _noise(size, rng, (6, 6), (18, 18), (48, 48), falling=0.85)
    ground = _shaded(_tone(rng, 0.16, 0.34, 0.12), 0.12 * leaves)
    gaps = np.clip(leaves - 1.1, 0, 1) * np.clip(1 - 1.6 * y, 0, 1)
    ground = ground + gaps[..., None] * np.array([0.45, 0.5, 0.25], np.float32)
    floor = rng.uniform(0.72, 0.82)
    litter = _noise(size, rng, (24, 24), (60, 60), falling=0.9)
    earth = _shaded(_tone(rng, 0.3, 0.25, 0.12), 0.09 * litter)
    ground = _over(ground, earth, _above(y - floor - 0.02 * _line(rng, x, cells=5), 0.03))
    bark = 0.07 * _noise(size, rng, (30, 4), (60, 8))
    for depth in np.sort(rng.uniform(0, 1, int(rng.integers(5, 9)))):
        width, foot = 0.012 + 0.035 * depth, floor + 0.16 * depth
        middle = rng.uniform(0, 1) + rng.uniform(-0.06, 0.06) * (y - 0.5)
        side = (x - middle) / (width * (1 + 0.6 * np.clip(y - foot + 0.08, 0, 1) / 0.08))
        wood = _shaded(_tone(rng, 0.26, 0.18, 0.11) * np.float32(0.6 + 0.5 * depth), bark)
        wood = wood * (1 - 0.5 * np.clip(side, 0, 1))[..., None]
        ground = _over(ground, wood, _above(1 - abs(side), 0.5) * _above(foot - y, 0.01))
    return ground


def road(size: int, rng: np.random.Generator) -> Ground:
    """Return a grey road with a dashed line, which narrows towards the horizon between meadows."""
    y, x = _grid(size)
    horizon, goal = rng.uniform(0.25, 0.4), rng.uniform(0.35, 0.65)
    ground = _blend(_tone(rng, 0.5, 0.68, 0.88), _tone(rng, 0.85, 0.9, 0.93), y / horizon)
    meadow = _shaded(_tone(rng, 0.36, 0.5, 0.2), 0.08 * _noise(size, rng, (6, 12), (24, 48)))
    ground = _over(ground, meadow, _above(y - horizon, 0.012))
    near = np.clip((y - horizon) / (1 - horizon), 0, 1)
    middle = goal + (rng.uniform(0.4, 0.6) - goal) * near
    half = 0.012 + rng.uniform(0.42, 0.55) * near
    asphalt = _shaded(_tone(rng, 0.36, 0.36, 0.38), 0.04 * _noise(size, rng, (4, 4), (size, size)))
    side = abs(x - middle) / half
    below = _above(y - horizon, 0.012)
    ground = _over(ground, asphalt, _above(1 - side, 0.05) * below)
    white = np.full_like(ground, 0.88)
    ahead = np.log(near + 0.05) * rng.uniform(1.2, 1.7) + rng.uniform()
    dashes = _above(0.04 - side, 0.012) * (ahead % 0.6 < 0.33)
    edges = np.exp(-(((side - 0.9) / 0.022) ** 2))
    return _over(ground, white, np.clip(dashes + edges, 0, 0.95) * below)


def mountain(size: int, rng: np.random.Generator) -> Ground:
    """Return mountains: ridges with snow on the highest, and a grassy slope in front of them."""
    y, x = _grid(size)
    ground = _blend(_tone(rng, 0.42, 0.62, 0.88), _tone(rng, 0.86, 0.9, 0.94), y / 0.6)
    rocks = _noise(size, rng, (5, 5), (14, 14), (40, 40))
    far, near = _tone(rng, 0.5, 0.55, 0.66), _tone(rng, 0.33, 0.34, 0.38)
    for at, colour in enumerate((far, near)):
        top = rng.uniform(0.24, 0.3) + 0.18 * at
        peaks = _peaks(size, rng)
        ridge = np.interp(x[0], np.linspace(0, 1, len(peaks)), top - 0.2 * peaks)
        below = y - ridge.astype(np.float32)[None]
        rock = _shaded(colour, 0.1 * rocks)
        snow = _above(0.16 - 0.04 * at - below - 0.05 * rocks - 0.12 * at, 0.02)
        rock = _over(rock, np.full_like(rock, 0.95) + 0.03 * rocks[..., None], snow)
        ground = _over(ground, rock, _above(below, 0.012))
    slope = rng.uniform(0.66, 0.78) + rng.uniform(-0.15, 0.15) * (x - 0.5)
    turf = _shaded(_tone(rng, 0.3, 0.42, 0.18), 0.08 * _noise(size, rng, (12, 12), (48, 48)))
    return _over(ground, turf, _above(y - slope - 0.03 * _line(rng, x, cells=6), 0.015))


def sky(size: int, rng: np.random.Generator) -> Ground:
    """Return the sky: blue, paler towards the bottom, with white clouds."""
    y, _ = _grid(size)
    ground = _blend(_tone(rng, 0.16, 0.42, 0.82), _tone(rng, 0.66, 0.84, 0.97), y)
    field = _noise(size, rng, (4, 2), (8, 5), (18, 12), (36, 30))
    clouds = np.clip((field - rng.uniform(-0.2, 0.7)) * 0.9, 0, 1)
    white = np.clip(1 - 0.14 * np.roll(field, size // 24, axis=0), 0.75, 1)[..., None]
    return _over(ground, white * np.ones(3, np.float32), clouds * 0.95)


KINDS: Mapping[str, Callable[[int, np.random.Generator], Ground]] = MappingProxyType(
    {
        "studio": scenes.ground,
        "underwater": underwater,
        "beach": beach,
        "forest": forest,
        "road": road,
        "mountain": mountain,
        "sky": sky,
    }
)
"""What a ground of each kind is drawn by: pixels of its side and a generator."""

PLACES = tuple(name for name in KINDS if name != "studio")
"""The six backgrounds of [nao, fig. 6]."""


def drawn(kind: str, size: int, rng: np.random.Generator) -> Ground:
    """Return a background of a given kind, RGB in [0, 1]."""
    return np.asarray(np.clip(KINDS[kind](size, rng), 0, 1), np.float32)


def _grid(size: int) -> tuple[_Field, _Field]:
    """Return how far down and how far right each pixel lies, from 0 to 1."""
    along = (np.arange(size, dtype=np.float32) + np.float32(0.5)) / np.float32(size)
    return np.repeat(along[:, None], size, 1), np.repeat(along[None], size, 0)


def _tone(rng: np.random.Generator, *colour: float) -> Float32[np.ndarray, " 3"]:
    """Return a colour, varied a little in light and tint."""
    varied = np.array(colour) * rng.uniform(0.85, 1.12) + 0.025 * rng.standard_normal(3)
    return np.clip(varied, 0, 1).astype(np.float32)


def _noise(
    size: int, rng: np.random.Generator, *cells: tuple[int, int], falling: float = 0.6
) -> _Field:
    """Return smooth noise of about unit spread: octaves of so many cells across and down."""
    field, power = np.zeros((size, size), np.float32), 0.0
    for octave, (across, down) in enumerate(cells):
        coarse = rng.standard_normal((down, across), dtype=np.float32)
        weight = falling**octave
        field += cv2.resize(coarse, (size, size), interpolation=cv2.INTER_CUBIC) * weight
        power += weight**2
    return np.asarray(field / np.float32(np.sqrt(power)))


def _line(rng: np.random.Generator, at: _Numbers, *, cells: int) -> _Field:
    """Return smooth noise along one direction, of unit spread, at places around [0, 1]."""
    steps = np.linspace(-1, 2, 24 * cells)
    knots = np.linspace(-1, 2, 3 * cells)
    coarse = np.interp(steps, knots, rng.standard_normal(3 * cells))
    smooth = cv2.GaussianBlur(coarse[:, None], (1, 9), 4.0)[:, 0]
    return np.asarray(np.interp(at, steps, smooth), np.float32)


def _peaks(size: int, rng: np.random.Generator) -> Float32[np.ndarray, " points"]:
    """Return a jagged line between -1 and 1 by halving and shifting midpoints."""
    line, jump = rng.uniform(-0.7, 0.7, 4), 0.45
    line[int(rng.integers(0, 4))] = 1.0
    while len(line) < size:
        middles = (line[1:] + line[:-1]) / 2 + jump * rng.uniform(-1, 1, len(line) - 1)
        line, jump = np.insert(line, np.arange(1, len(line)), middles), jump / 2
    return np.clip(line, -1, 1).astype(np.float32)


def _blend(
    first: Float32[np.ndarray, " 3"], last: Float32[np.ndarray, " 3"], share: _Numbers
) -> Ground:
    """Return colours from the first to the last, by a share that is cut to [0, 1]."""
    part = np.clip(share, 0, 1)[..., None]
    return np.asarray(first * (1 - part) + last * part, np.float32)


def _shaded(colour: np.ndarray, relief: _Numbers) -> Ground:
    """Return a colour, or colours, lighter and darker by a relief."""
    return np.asarray(colour * (1 + 1.6 * relief[..., None]), np.float32)


def _above(distance: _Numbers, width: float) -> _Field:
    """Return 0 where a distance is negative and 1 where it is positive, softly within a width."""
    return np.asarray(np.clip(distance / np.float32(width) + np.float32(0.5), 0, 1), np.float32)


def _over(ground: Ground, other: np.ndarray, share: _Numbers) -> Ground:
    """Return another ground laid over one, where it has a share."""
    part = share[..., None]
    return np.asarray(ground * (1 - part) + other * part, np.float32)
