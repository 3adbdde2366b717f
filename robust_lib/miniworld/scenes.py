"""Scenes: photographs of one icon of a class, posed on a textured background with clutter.

The stand-in for ImageNet. A scene is a pure function of its id and the seed: the drawing, the pose,
the background, the clutter and the camera all come from generators keyed by the id, so any machine,
batch or order composes the same image. A higher difficulty adds more clutter, more objects in front
of the target, a smaller target away from the centre, and coloured light.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from jaxtyping import Float32, Float64

from robust_lib import seeds
from robust_lib.errors import DataError
from robust_lib.miniworld import camera
from robust_lib.miniworld.contrast import contrast
from robust_lib.miniworld.icons import Art, Drawing
from robust_lib.miniworld.prominence import prominence
from robust_lib.types import Picture

Split = Literal["train", "test", "any"]

HELD_OUT = 0.125  # share of a class's drawings that only the test split shows, at least one
TARGET = (0.5, 0.85)  # side of the target's drawing, of the picture's
SPREAD = 0.12  # of the target's place about the middle, of the picture's side either way
# What a difficulty of 1 adds to a scene; of a lower one, as much less.
MORE_CLUTTER = 6.0  # icons behind the target, on average
MORE_IN_FRONT = 3.0  # icons before it, on average
SMALLER = 0.55  # share of its size that the target loses
ASIDE = 0.2  # more spread of its place
LIGHT = 0.7  # standard deviation of the logarithm of each channel's gain on the target
THUMBNAIL = 16  # pixels of the side at which drawings are compared

_Layer = Float32[np.ndarray, "height width 4"]
_Ground = Float32[np.ndarray, "height width 3"]


@dataclass(frozen=True)
class Scene:
    """A composed image with its ground truth.

    `box` is the box of the target's visible part, xyxy in pixels; `visible` is the fraction of the
    target's pixels that are inside the frame and not covered; `contrast` is the distance of its
    colours from those around it, in [0, 1] (see `contrast`); `prominence` is its fraction of all
    objects visible around it (see `prominence`); `difficulty` is that with which the scene was
    made.
    """

    picture: Picture
    drawing: Drawing
    box: tuple[float, float, float, float]
    visible: float
    contrast: float
    prominence: float
    difficulty: float


def split_drawings(art: Art, names: Sequence[str], split: Split) -> tuple[int, ...]:
    """Return the indices in `art` of the drawings of one class that a split may show.

    A share of a class's drawings (`HELD_OUT`), at least one, is held out for the test split: the
    most typical ones, which are closest to the class's other drawings. If a class were tested with
    its oddest drawing, its error would depend on that drawing alone. Versions by the same hand are
    on the same side, so no test drawing has a twin in training. The split "any" has all drawings.

    Raises:
        DataError: no drawing is left, because one hand drew all of the class's drawings.
    """
    places = [place for name in names for place in art.of(name)]
    if split == "any":
        return tuple(places)
    version = {p: f"{art.drawings[p].hand}:{art.drawings[p].name.replace('-', '')}" for p in places}
    versions = sorted(set(version.values()))
    apart = _distances(art, places)

    def farness(one: str) -> float:
        """Mean over the other versions of the distance to the nearest drawing of each."""
        own = [at for at, p in enumerate(places) if version[p] == one]
        others = [
            [at for at, p in enumerate(places) if version[p] == other]
            for other in versions
            if other != one
        ]
        return float(np.mean([apart[np.ix_(own, other)].min() for other in others] or [0.0]))

    held = set(sorted(versions, key=farness)[: max(1, round(HELD_OUT * len(versions)))])
    chosen = tuple(p for p in places if (version[p] in held) == (split == "test"))
    if not chosen:
        raise DataError(
            f"Expected drawings of {', '.join(names)} by two hands or more, one for each split, "
            f"but found {len(versions)}. Add names or icon sets."
        )
    return chosen


def _distances(art: Art, places: Sequence[int]) -> Float64[np.ndarray, "drawings drawings"]:
    """Return the Euclidean distances of drawings, compared as small premultiplied thumbnails."""
    rgba = art.rgba[list(places)].astype(np.float32) / 255
    rgba[..., :3] *= rgba[..., 3:]
    small = [
        cv2.resize(icon, (THUMBNAIL, THUMBNAIL), interpolation=cv2.INTER_AREA) for icon in rgba
    ]
    flat = np.reshape(small, (len(places), -1))
    return np.asarray(np.linalg.norm(flat[:, None] - flat[None], axis=-1), np.float64)


def compose(
    item: str,
    art: Art,
    targets: Sequence[int],
    clutter: Sequence[int],
    *,
    size: int = 64,
    seed: int = 0,
    difficulty: float = 0.0,
) -> Scene:
    """Return the scene with an item id: a target from `targets`, and clutter from `clutter`.

    Args:
        targets: indices of the drawings that may be the target.
        clutter: indices of the drawings that may be around it.
        size: pixels of the square image.
        difficulty: from 0, as in training, to 1, where little can be recognised. It does not affect
            the choice of the target, its rotation and the background.
    """
    rng, harder = (seeds.generator(seed, item, purpose) for purpose in ("scene", "difficulty"))
    scene = ground(size, rng)
    behind = (rng,) * int(rng.integers(0, 3)) + (harder,) * _more(harder, MORE_CLUTTER * difficulty)
    others = np.zeros((size, size), np.float32)  # how much of each pixel is clutter
    for draw in behind:
        layer, _ = pose(art, int(draw.choice(clutter)), size, draw, scale=(0.18, 0.38), spread=0.48)
        scene, others = over(scene, layer), 1 - (1 - others) * (1 - layer[..., 3])
    target = int(rng.choice(targets))
    small = 1 - SMALLER * difficulty
    scale, spread = (TARGET[0] * small, TARGET[1] * small), SPREAD + ASIDE * difficulty
    layer, whole = pose(art, target, size, rng, scale=scale, spread=spread)
    layer = lit(layer, harder, LIGHT * difficulty)
    scene = over(shade(scene, layer, rng), layer)
    seen, others = layer[..., 3], others * (1 - layer[..., 3])
    before = (rng,) * (rng.random() < 0.15) + (harder,) * _more(harder, MORE_IN_FRONT * difficulty)
    for draw in before:
        above, _ = pose(art, int(draw.choice(clutter)), size, draw, scale=(0.15, 0.3), spread=0.45)
        seen = seen * (1 - above[..., 3])
        scene, others = over(scene, above), 1 - (1 - others) * (1 - above[..., 3])
    picture = camera.expose(scene, seeds.generator(seed, item, "camera"))
    rows, columns = np.nonzero(seen > 0.5)
    box = (
        (float(columns.min()), float(rows.min()), columns.max() + 1.0, rows.max() + 1.0)
        if len(rows)
        else (0.0, 0.0, 0.0, 0.0)
    )
    return Scene(
        picture,
        art.drawings[target],
        box,
        visible=min(1.0, float(seen.sum()) / (whole + 1e-6)),
        contrast=contrast(scene, seen > 0.5, layer[..., 3] > 0.05),
        prominence=prominence(seen, others, layer[..., 3] > 0.05),
        difficulty=difficulty,
    )


def _more(rng: np.random.Generator, mean: float) -> int:
    """Return a Poisson number; none at a mean of 0."""
    return int(rng.poisson(mean))


def ground(size: int, rng: np.random.Generator) -> _Ground:
    """Return a textured background: smooth noise in octaves (1/f) between a few colours."""
    field = np.zeros((size, size), np.float32)
    for octave in range(5):
        cells = 2 ** (octave + 1)
        coarse = rng.standard_normal((cells, cells), dtype=np.float32)
        field += cv2.resize(coarse, (size, size), interpolation=cv2.INTER_CUBIC) * 0.62**octave
    if rng.random() < 0.3:  # stripes, as on cloth or boards
        angle, period = rng.uniform(0, np.pi), rng.uniform(4, 16)
        y, x = np.mgrid[:size, :size].astype(np.float32)
        wave = np.sin((x * np.cos(angle) + y * np.sin(angle)) * 2 * np.pi / period)
        field += rng.uniform(0.3, 1.2) * wave.astype(np.float32)
    field = (field - field.min()) / (np.ptp(field) + 1e-6)
    # Grounds in photographs are muted: mostly grey, a little colour.
    middle = rng.uniform(0.1, 0.9) + 0.12 * rng.standard_normal(3)
    spread = rng.uniform(0.08, 0.35)
    greys = rng.standard_normal((3, 1))
    colours = np.clip(middle + spread * (0.8 * greys + 0.35 * rng.standard_normal((3, 3))), 0, 1)
    where = field * 2
    low = np.clip(1 - where, 0, 1)[..., None]
    high = np.clip(where - 1, 0, 1)[..., None]
    mixed = low * colours[0] + (1 - low - high) * colours[1] + high * colours[2]
    return np.asarray(mixed, np.float32)


def pose(
    art: Art,
    place: int,
    size: int,
    rng: np.random.Generator,
    *,
    scale: tuple[float, float],
    spread: float,
) -> tuple[_Layer, float]:
    """Return a drawing scaled, rotated, mirrored, placed and tinted, as a premultiplied layer.

    The number of pixels that it would cover if no frame cut it off is also returned.
    """
    icon = art.rgba[place].astype(np.float32) / 255
    icon[..., :3] *= icon[..., 3:]
    side = icon.shape[0]
    zoom = size * rng.uniform(*scale) / side
    angle, shear = rng.uniform(-0.25, 0.25), rng.uniform(-0.1, 0.1)
    mirror = -1.0 if rng.random() < 0.5 else 1.0
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    linear = zoom * turn @ np.array([[mirror, shear], [0, rng.uniform(0.85, 1.15)]])
    centre = size * (0.5 + rng.uniform(-spread, spread, 2))
    shift = centre - linear @ np.array([side / 2, side / 2])
    # Shrinking reads area averages first, so that thin outlines do not flicker.
    if zoom < 0.5:
        icon = cv2.resize(icon, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        linear = linear * 2
    affine = np.concatenate([linear, shift[:, None]], 1).astype(np.float32)
    layer = cv2.warpAffine(icon, affine, (size, size), flags=cv2.INTER_LINEAR)
    tint = 1 + 0.12 * rng.standard_normal(3)
    layer[..., :3] *= (rng.uniform(0.75, 1.15) * tint).astype(np.float32)
    whole = float(icon[..., 3].sum() * abs(np.linalg.det(linear)))
    return np.clip(layer, 0, 1), whole


def lit(layer: _Layer, rng: np.random.Generator, spread: float) -> _Layer:
    """Return a layer in coloured light: each channel gets a log-normal gain of this `spread`."""
    gain = np.exp(spread * rng.standard_normal(3)).astype(np.float32)
    # No colour of a premultiplied layer is brighter than its own alpha: that would be a glow.
    coloured = np.minimum(layer[..., :3] * gain, np.maximum(layer[..., 3:], layer[..., :3]))
    return np.concatenate([coloured, layer[..., 3:]], axis=-1)


def shade(scene: _Ground, layer: _Layer, rng: np.random.Generator) -> _Ground:
    """Return the background with the soft shadow of a layer."""
    dx, dy = rng.uniform(-3, 3, 2) * scene.shape[0] / 64
    move = np.array([[1, 0, dx], [0, 1, dy]], np.float32)
    shadow = cv2.warpAffine(layer[..., 3], move, scene.shape[1::-1])
    shadow = cv2.GaussianBlur(shadow, (0, 0), 2.0 * scene.shape[0] / 64)
    return np.asarray(scene * (1 - rng.uniform(0, 0.5) * shadow[..., None]))


def over(scene: _Ground, layer: _Layer) -> _Ground:
    """Return a premultiplied layer composited over a background."""
    return np.asarray(layer[..., :3] + scene * (1 - layer[..., 3:]))


def item_ids(classes: Sequence[str], pool: str, images: int) -> tuple[str, ...]:
    """Return the ids of a split or pool; image i shows class i modulo the number of classes."""
    return tuple(f"{pool}/{classes[i % len(classes)]}/{i:06d}" for i in range(images))


def places_of(art: Art, things: Mapping[str, Sequence[str]]) -> tuple[int, ...]:
    """Return the indices of all drawings of some objects, object by object."""
    return tuple(place for names in things.values() for name in names for place in art.of(name))


def targets_by_class(
    art: Art, inside: Mapping[str, Sequence[str]], split: Split
) -> dict[str, tuple[int, ...]]:
    """Return, for each class, the indices of its drawings in a split."""
    return {name: split_drawings(art, names, split) for name, names in inside.items()}
