"""Clips: short videos of one thing, composed frame by frame from a plan.

The stand-in for ImageNet-Vid-Robust: an anchor frame and its neighbours, with what is true of each.
What the frames of a clip share - its ground, its drawings - is prepared once, as a *stage*, and
each frame is drawn alone from it.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from jaxtyping import Float32

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.miniworld import camera, scenes
from robust_lib.miniworld.clip_motion import LARGEST, Mover, warped
from robust_lib.miniworld.clip_plan import PAN, SIDE, Plan
from robust_lib.miniworld.icons import Art
from robust_lib.miniworld.similarity import Box, Target, Truth
from robust_lib.types import Picture

EDGE = 0.125  # of the frame's side, that the ground is wider each way
GROUND = round(SIDE * (1 + 2 * EDGE))  # pixels at which it is drawn
FADED = 0.2  # pixels of a blur that is none, as for the camera of scenes

_Layer = Float32[np.ndarray, "height width 4"]
_Ground = Float32[np.ndarray, "height width 3"]

assert EDGE > PAN


@dataclass(frozen=True, eq=False)
class Stage:
    """What the frames of a clip share at one size: the ground with its clutter, the drawings.

    `icons` are premultiplied, in [0, 1], by their place in the art; `cut` is the stage of the clip
    that a cut shows.
    """

    plan: Plan
    size: int
    seed: int
    ground: _Ground
    icons: dict[int, _Layer]
    cut: "Stage | None" = None


@dataclass(frozen=True)
class Frame:
    """A frame: its picture, 8-bit RGB, and what is true of it."""

    picture: Picture
    truth: Truth


def stage(
    plan: Plan, art: Art, clutter: tuple[int, ...], *, size: int = SIDE, seed: int = 0
) -> Stage:
    """Return what the frames of a planned clip share.

    Args:
        plan: of the clip.
        art: rasterised drawings.
        clutter: where the drawings lie that may lie on the ground.
        size: pixels of the square frames.
        seed: of the world, as the plan's.

    Raises:
        InputError: a size below 16 pixels, of which nothing could be told.
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


def _icon(art: Art, mover: Mover, size: int) -> _Layer:
    """Return a drawing, premultiplied and lit; one that is much reduced is averaged first."""
    icon = art.rgba[mover.place].astype(np.float32) / 255
    icon[..., :3] *= icon[..., 3:] * mover.gain.astype(np.float32)
    # Decided at the anchor for the whole clip, so that no frame switches.
    if size * mover.side[LARGEST] / len(icon) < 0.5:
        icon = cv2.resize(icon, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return np.clip(icon, 0, 1)


def drawn(stage: Stage, offset: int) -> Frame:
    """Return one frame of a clip, with what is true of it.

    Args:
        stage: of the clip.
        offset: from the anchor, -10 to 10.

    Raises:
        InputError: another offset.
    """
    if (other := _cut_at(stage, offset)) is not None:
        return replace(drawn(other, offset), truth=truth(stage, offset))
    plan, at, size = stage.plan, offset + LARGEST, stage.size
    targets, passer = _layers(stage, offset)
    scene = _ground(stage, at)
    for layer in reversed(targets[1:]):
        scene = scenes.over(scene, layer)
    scene = scenes.over(_shaded(scene, targets[0], plan.shadow), targets[0])
    if passer is not None:
        scene = scenes.over(scene, passer)
    sigma = size * _blur(plan, offset)
    if sigma > FADED:
        scene = cv2.GaussianBlur(scene, (0, 0), sigma)
    light = scene * (2.0 ** plan.light[at] * plan.cast).astype(np.float32)
    noise = seeds.generator(stage.seed, plan.name, at, "grain").standard_normal(
        light.shape, dtype=np.float32
    )
    # As in `camera.expose`: the grain of a sensor grows with the light.
    light = light + np.float32(plan.grain) * np.sqrt(0.35 + np.clip(light, 0, 1)) * noise
    picture = camera.compress(np.clip(light, 0, 1), int(plan.quality[at]))
    return Frame(picture, _truth(stage, offset, targets, passer))


def truth(stage: Stage, offset: int) -> Truth:
    """Return what is true of one frame; its picture is not drawn.

    Raises:
        InputError: an offset beyond -10 to 10.
    """
    if (other := _cut_at(stage, offset)) is not None:
        # The metadata still say what the clip showed at its anchor.
        return replace(truth(other, offset), said=truth(stage, 0).said, fault="cut")
    return _truth(stage, offset, *_layers(stage, offset))


def _cut_at(stage: Stage, offset: int) -> Stage | None:
    """Return the stage that a cut shows at an offset, or None."""
    if abs(offset) > LARGEST:
        raise InputError(f"Expected an offset from -{LARGEST} to {LARGEST}, but got {offset}.")
    fault = stage.plan.fault
    return stage.cut if fault is not None and fault.at(offset) else None


def _layers(stage: Stage, offset: int) -> tuple[tuple[_Layer, ...], _Layer | None]:
    """Return the layers of the targets, the subject's first, and of what passes before them."""
    plan = stage.plan
    affines = [_affine(stage, mover, offset) for mover in plan.targets]
    fault = plan.fault
    if fault is not None and fault.reason == "jump" and fault.at(offset):
        far = stage.size * plan.targets[0].side[LARGEST] * fault.amount
        affines[0][:, 2] += far * np.array([np.cos(fault.way), np.sin(fault.way)])
    targets = tuple(
        warped(stage.icons[mover.place], affine, stage.size)
        for mover, affine in zip(plan.targets, affines, strict=True)
    )
    if plan.passer is None:
        return targets, None
    affine = _affine(stage, plan.passer, offset)
    return targets, warped(stage.icons[plan.passer.place], affine, stage.size)


def _affine(stage: Stage, mover: Mover, offset: int) -> np.ndarray:
    return mover.affine(offset, len(stage.icons[mover.place]), stage.size)


def _ground(stage: Stage, at: int) -> _Ground:
    """Return what of the ground the camera sees in a frame."""
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


def _blur(plan: Plan, offset: int) -> float:
    added = 0.0 if plan.fault is None else plan.fault.blur(offset)
    return max(float(plan.blur[offset + LARGEST]), added)


def _truth(
    stage: Stage, offset: int, layers: tuple[_Layer, ...], passer: _Layer | None
) -> Truth:
    """Return what the layers of a frame show: a target is seen where nothing before it covers."""
    plan, at, targets = stage.plan, offset + LARGEST, []
    open_ = np.ones((stage.size, stage.size), np.float32)
    if passer is not None:
        open_ = open_ - passer[..., 3]
    for mover, layer in zip(plan.targets, layers, strict=True):
        seen = layer[..., 3] * open_
        icon = stage.icons[mover.place]
        linear = _affine(stage, mover, offset)[:, :2]
        whole = float(icon[..., 3].sum() * abs(np.linalg.det(linear)))
        targets.append(
            Target(
                str(mover.label),
                _box(seen),
                min(1.0, float(seen.sum()) / (whole + 1e-6)),
                float(mover.side[at]),
                float(np.rad2deg(mover.turn[at])),
            )
        )
        open_ = open_ * (1 - layer[..., 3])
    told = Truth(tuple(targets), float(plan.light[at]), _blur(plan, offset), ())
    fault = plan.fault if plan.fault is not None and plan.fault.at(offset) else None
    said = told.shown if fault is None or fault.label is None else (fault.label,)
    return replace(told, said=said, fault=None if fault is None else fault.reason)


def _box(seen: Float32[np.ndarray, "height width"]) -> Box:
    """Return the xyxy pixels of what is more than half opaque; zeros if nothing is."""
    columns, rows = np.nonzero((seen > 0.5).any(0))[0], np.nonzero((seen > 0.5).any(1))[0]
    if not len(rows):
        return (0.0, 0.0, 0.0, 0.0)
    return (float(columns[0]), float(rows[0]), columns[-1] + 1.0, rows[-1] + 1.0)
