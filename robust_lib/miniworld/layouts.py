"""Layouts: composed photographs of one to four objects, with the ground truth of each.

The stand-in for COCO's and OpenImages' photographs. A layout is a pure function of its id and the
seed. Objects belong to the label set or are out of distribution; some are blurred, covered, cut by
the frame, or only a picture of an object on a card, which is what annotators are asked about [nao,
sec. 3.4].
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from jaxtyping import Bool, Float32

from robust_lib import seeds
from robust_lib.miniworld import camera, layout_grounds, scenes
from robust_lib.miniworld.contrast import contrast
from robust_lib.miniworld.icons import Art
from robust_lib.types import Picture

MANY = (0.3, 0.35, 0.2, 0.15)  # shares of pictures with one, two, three and four things
SCALE = (0.3, 0.52)  # side of a thing's drawing, of the picture's
SPREAD = 0.4  # of a thing's place about the middle, of the picture's side either way
COVERED = 0.3  # most of an earlier thing that a later one may cover; else it is put elsewhere
TRIES = 8  # places that are tried before a thing is left out
BLUR = (0.018, 0.03)  # standard deviation of the blur of a blurred thing, of the picture's side
PRINTED = 0.62  # side of a drawing on its card, of the card's
ANNOTATED = 0.25  # what of a thing must be seen, lest it is no object any more

Layer = Float32[np.ndarray, "height width 4"]
Mask = Bool[np.ndarray, "height width"]


@dataclass(frozen=True)
class Mixture:
    """The composition of a set's photographs: how often each property occurs.

    Args:
        grounds: kind of background (`layout_grounds.KINDS`) -> its weight.
        foreign: share of objects outside all classes.
        foreign_kinds: which of these objects occur; empty means all.
        blurred: share of objects that are out of focus.
        depictions: share of objects that are only a picture on a card.
    """

    grounds: Mapping[str, float]
    foreign: float
    foreign_kinds: tuple[str, ...] = ()
    blurred: float = 0.0
    depictions: float = 0.0


@dataclass(frozen=True, eq=False)
class Thing:
    """One object in a photograph, with its ground truth.

    Attributes:
        name: its class, or what it is if it has no class.
        foreign: whether it is outside all classes.
        box: box of its visible part, xyxy in pixels.
        mask: the pixels that show the object.
        visible: fraction of it that is inside the frame and not covered.
        contrast: distance of its colours from those around it, in [0, 1]; see `contrast`.
        depiction: whether it is a picture on a card.
    """

    name: str
    foreign: bool
    box: tuple[float, float, float, float]
    mask: Mask
    visible: float
    contrast: float
    blurred: bool
    depiction: bool


@dataclass(frozen=True, eq=False)
class Layout:
    """A photograph, the kind of its background, and its objects from back to front."""

    picture: Picture
    ground: str
    things: tuple[Thing, ...]


@dataclass(frozen=True, eq=False)
class _Put:
    """A thing's layer, as it lies in the picture: what is drawn, and of it the thing itself."""

    name: str
    foreign: bool
    drawn: Layer
    alpha: Float32[np.ndarray, "height width"]
    whole: float
    blurred: bool
    depiction: bool


def compose(
    item: str,
    art: Art,
    cards: Art,
    inside: Mapping[str, Sequence[int]],
    outside: Mapping[str, Sequence[int]],
    mixture: Mixture,
    *,
    size: int = 128,
    seed: int = 0,
) -> Layout:
    """Return the photograph with an item id.

    Args:
        cards: the same drawings on cards; see `on_cards`.
        inside: class -> indices of its drawings.
        outside: object outside the label set -> indices of its drawings.
        size: pixels of the square image.
    """
    rng = seeds.generator(seed, item, "layout")
    kinds = list(mixture.grounds)
    weights = np.array([mixture.grounds[kind] for kind in kinds], np.float64)
    ground = kinds[int(rng.choice(len(kinds), p=weights / weights.sum()))]
    picture = layout_grounds.drawn(ground, size, seeds.generator(seed, item, "ground"))
    put: list[_Put] = []
    for number in range(1 + int(rng.choice(len(MANY), p=MANY))):
        draw = seeds.generator(seed, item, "thing", number)
        found = _put(draw, art, cards, inside, outside, mixture, size, put)
        put += [] if found is None else [found]
    for one in put:
        picture = scenes.over(scenes.shade(picture, one.drawn, rng), one.drawn)
    picture = np.asarray(np.clip(picture, 0, 1), np.float32)
    things = [_thing(at, put, picture) for at in range(len(put))]
    return Layout(
        camera.expose(picture, seeds.generator(seed, item, "camera")),
        ground,
        tuple(thing for thing in things if thing.visible >= ANNOTATED),
    )


def on_cards(art: Art) -> Art:
    """Return all drawings on white cards, which serve as pictures of objects.

    >>> from robust_lib.miniworld.icons import Drawing
    >>> blank = Art((Drawing("set", "nothing"),), np.zeros((1, 8, 8, 4), np.uint8))
    >>> on_cards(blank).rgba[0, 4, 4].tolist()
    [250, 249, 244, 255]
    """
    return replace(art, rgba=np.stack([_printed(icon, card=True) for icon in art.rgba]))


def _put(
    rng: np.random.Generator,
    art: Art,
    cards: Art,
    inside: Mapping[str, Sequence[int]],
    outside: Mapping[str, Sequence[int]],
    mixture: Mixture,
    size: int,
    before: Sequence[_Put],
) -> _Put | None:
    """Return a thing in a place where it covers little of those before; None if it finds none."""
    foreign = bool(rng.random() < mixture.foreign)
    named = (mixture.foreign_kinds or tuple(outside)) if foreign else tuple(inside)
    name = named[int(rng.integers(len(named)))]
    place = int(rng.choice((outside if foreign else inside)[name]))
    depiction, blurred = (rng.random() < share for share in (mixture.depictions, mixture.blurred))
    sigma = size * rng.uniform(*BLUR)
    for _ in range(TRIES):
        key = int(rng.integers(2**62))

        def posed(of: Art, key: int = key) -> tuple[Layer, float]:
            return scenes.pose(
                of, place, size, np.random.default_rng(key), scale=SCALE, spread=SPREAD
            )

        drawn, whole = posed(cards if depiction else art)
        alpha = drawn[..., 3]
        covered = [float((one.alpha * alpha).sum() / (one.alpha.sum() + 1e-6)) for one in before]
        if max(covered, default=0.0) > COVERED:
            continue
        if depiction:
            bare = Art((art.drawings[place],), _printed(art.rgba[place], card=False)[None])
            layer, whole = scenes.pose(
                bare, 0, size, np.random.default_rng(key), scale=SCALE, spread=SPREAD
            )
            alpha = layer[..., 3]
        if blurred:
            drawn = cv2.GaussianBlur(drawn, (0, 0), sigma)
        return _Put(name, foreign, drawn, alpha, whole, bool(blurred), bool(depiction))
    return None


def _printed(icon: np.ndarray, *, card: bool) -> np.ndarray:
    """Return a drawing, smaller, in the middle of a card, or of nothing."""
    side = icon.shape[0]
    small = round(PRINTED * side)
    first = (side - small) // 2
    shrunk = cv2.resize(icon, (small, small), interpolation=cv2.INTER_AREA)
    made = np.zeros_like(icon)
    made[first : first + small, first : first + small] = shrunk
    if not card:
        return made
    edge = max(side // 16, 1)
    share = made[..., 3:].astype(np.float32) / 255
    paper = np.array([250, 249, 244], np.float32)
    flat = (made[..., :3] * share + paper * (1 - share)).round().astype(np.uint8)
    flat[:edge], flat[-edge:], flat[:, :edge], flat[:, -edge:] = (70,) * 4
    return np.concatenate([flat, np.full((side, side, 1), 255, np.uint8)], axis=-1)


def _thing(at: int, put: Sequence[_Put], picture: Float32[np.ndarray, "height width 3"]) -> Thing:
    """Return the truth of one thing once all lie in the picture."""
    one = put[at]
    seen = one.alpha.copy()
    for later in put[at + 1 :]:
        seen *= 1 - later.drawn[..., 3]
    mask = seen > 0.5
    rows, columns = np.nonzero(mask)
    box = (
        (float(columns.min()), float(rows.min()), columns.max() + 1.0, rows.max() + 1.0)
        if len(rows)
        else (0.0, 0.0, 0.0, 0.0)
    )
    return Thing(
        one.name,
        one.foreign,
        box,
        mask,
        visible=min(1.0, float(seen.sum()) / (one.whole + 1e-6)) if len(rows) else 0.0,
        contrast=contrast(picture, mask, one.alpha > 0.05) if len(rows) else 0.0,
        blurred=one.blurred,
        depiction=one.depiction,
    )
