"""Clips: short videos of one object, drawn frame by frame from a plan.

The stand-in for the videos of ImageNet-Vid-Robust: an anchor frame and its neighbours. The parts
that the frames of a clip share - its background, its drawings - are prepared once, as a *stage*,
from which each frame is drawn on its own. The ground truth of a frame follows from the plan (see
`clip_truth`).
"""

import io
from dataclasses import dataclass

import cv2
import numpy as np
from jaxtyping import Float32
from PIL import Image

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.miniworld import scenes
from robust_lib.miniworld.clip_motion import LARGEST, Mover, at_scale, warped
from robust_lib.miniworld.clip_plan import SIDE, Plan
from robust_lib.miniworld.contrast import contrast
from robust_lib.miniworld.icons import Art
from robust_lib.types import Picture

EDGE = 0.125  # of the frame's side, that the ground is wider each way: more than `clip_plan.PAN`
GROUND = round(SIDE * (1 + 2 * EDGE))  # pixels at which it is drawn
FADED = 0.2  # pixels of a blur that is none, as for the camera of scenes

_Icon = Float32[np.ndarray, "_ _ 4"]  # whatever the size of others
_Layer = Float32[np.ndarray, "height width 4"]
_Ground = Float32[np.ndarray, "height width 3"]


@dataclass(frozen=True, eq=False)
class Stage:
    """The parts that the frames of a clip share at one size: background with clutter, and drawings.

    `icons` are premultiplied, in [0, 1], by their index in the art; `cut` is the stage of the clip
    that follows a cut.
    """

    plan: Plan
    size: int
    seed: int
    ground: _Ground
    icons: dict[int, _Icon]
    cut: "Stage | None" = None


def stage(
    plan: Plan, art: Art, clutter: tuple[int, ...], *, size: int = SIDE, seed: int = 0
) -> Stage:
    """Return the stage that the frames of a planned clip share.

    Args:
        clutter: indices of the drawings that may be on the background.
        size: pixels of the square frames.

    Raises:
        InputError: a size below 16 pixels, at which nothing is recognisable.
    """
    if size < 16:
        raise InputError(f"Expected frames of 16 pixels or more, but got {size}.")
    rng = seeds.generator(seed, plan.name, "ground")
    whole = round(size * (1 + 2 * EDGE))
    ground = scenes.ground(GROUND, rng)
    if whole != GROUND:
        finer = cv2.INTER_CUBIC if whole > GROUND else cv2.INTER_AREA
        ground = np.clip(cv2.resize(ground, (whole, whole), interpolation=finer), 0, 1)
    share = size / whole
    for _ in range(int(rng.integers(0, 3))):
        place = int(rng.choice(clutter))
        layer, _whole = scenes.pose(
            art, place, whole, rng, scale=(0.18 * share, 0.38 * share), spread=0.48 * share
        )
        ground = scenes.over(ground, layer)
    movers = [*plan.targets, *([plan.passer] if plan.passer else [])]
    icons = {mover.place: _icon(art, mover, size) for mover in movers}
    cut = None if plan.cut is None else stage(plan.cut, art, clutter, size=size, seed=seed)
    return Stage(plan, size, seed, ground, icons, cut)


def drawn(stage: Stage, offset: int) -> bytes:
    """Return one frame of a clip, as its JPEG file.

    Args:
        offset: offset from the anchor, -10 to 10.

    Raises:
        InputError: an offset outside this range.
    """
    if abs(offset) > LARGEST:
        raise InputError(f"Expected an offset from -{LARGEST} to {LARGEST}, but got {offset}.")
    fault = stage.plan.fault
    if stage.cut is not None and fault is not None and fault.at(offset):
        return drawn(stage.cut, offset)
    plan, at = stage.plan, offset + LARGEST
    scene = _scene(stage, offset)
    sigma = stage.size * float(plan.blur[at])
    if sigma > FADED:
        scene = cv2.GaussianBlur(scene, (0, 0), sigma)
    light = scene * (2.0 ** plan.light[at] * plan.cast).astype(np.float32)
    noise = seeds.generator(stage.seed, plan.name, at, "grain").standard_normal(
        light.shape, dtype=np.float32
    )
    # As in `camera.expose`: the grain of a sensor grows with the light.
    light = light + np.float32(plan.grain) * np.sqrt(0.35 + np.clip(light, 0, 1)) * noise
    file = io.BytesIO()
    pixels = (np.clip(light, 0, 1) * 255 + 0.5).astype(np.uint8)
    Image.fromarray(pixels).save(file, "JPEG", quality=int(plan.quality[at]))
    return file.getvalue()


def shown(file: bytes) -> Picture:
    """Return the image in a frame's file, 8-bit RGB."""
    return np.asarray(Image.open(io.BytesIO(file)))


def anchor_contrast(stage: Stage) -> float:
    """Return the contrast of the subject with its surroundings at the anchor (see `contrast`)."""
    scene = _scene(stage, 0)
    subject, *_others = stage.plan.targets
    outline = _layer(stage, subject, 0)[..., 3]
    seen = outline
    if stage.plan.passer is not None:
        seen = outline * (1 - _layer(stage, stage.plan.passer, 0)[..., 3])
    return contrast(scene, seen > 0.5, outline > 0.05)


def _scene(stage: Stage, offset: int) -> _Ground:
    """Return the scene before the camera in a frame, in [0, 1]."""
    plan, scene = stage.plan, _ground(stage, offset + LARGEST)
    subject, *others = (_layer(stage, mover, offset) for mover in plan.targets)
    for layer in others:
        scene = scenes.over(scene, layer)
    scene = scenes.over(_shaded(scene, subject, plan.shadow), subject)
    if plan.passer is not None:
        scene = scenes.over(scene, _layer(stage, plan.passer, offset))
    return scene


def _layer(stage: Stage, mover: Mover, offset: int) -> _Layer:
    icon = stage.icons[mover.place]
    affine = mover.affine(offset, len(icon), stage.size)
    return np.asarray(warped(icon, affine, stage.size))


def _icon(art: Art, mover: Mover, size: int) -> _Layer:
    """Return a drawing, premultiplied and lit."""
    icon = art.rgba[mover.place].astype(np.float32) / 255
    icon[..., :3] *= icon[..., 3:] * mover.gain.astype(np.float32)
    return np.asarray(np.clip(at_scale(icon, mover, size), 0, 1))


def _ground(stage: Stage, at: int) -> _Ground:
    """Return the part of the ground that the camera sees in a frame."""
    x, y = stage.size * (EDGE + stage.plan.pan[at])
    move = np.array([[1, 0, -x], [0, 1, -y]], np.float32)
    size = (stage.size, stage.size)
    return np.asarray(cv2.warpAffine(stage.ground, move, size, borderMode=cv2.BORDER_REFLECT))


def _shaded(scene: _Ground, layer: _Layer, shadow: tuple[float, float, float]) -> _Ground:
    """Return the ground with the soft shadow that a layer throws on it."""
    size = len(scene)
    move = np.array([[1, 0, size * shadow[0]], [0, 1, size * shadow[1]]], np.float32)
    dark = cv2.warpAffine(layer[..., 3], move, (size, size))
    dark = cv2.GaussianBlur(dark, (0, 0), 2.0 * size / SIDE)
    return np.asarray(scene * (1 - np.float32(shadow[2]) * dark[..., None]))
