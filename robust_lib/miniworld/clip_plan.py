"""Plans of clips: all random choices for a clip, keyed by its name, before pixels are drawn.

A plan determines every frame, so frame +3 needs no earlier frame, and it does not depend on the
size of the images.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float64, Int64

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.miniworld import camera
from robust_lib.miniworld.clip_faults import Fault, drawn_fault
from robust_lib.miniworld.clip_motion import FRAMES, LARGEST, Curve, Mover, Path, curve, posed
from robust_lib.miniworld.clip_motion import within as within_rule
from robust_lib.miniworld.icons import Art
from robust_lib.miniworld.scenes import SPREAD, TARGET
from robust_lib.miniworld.similarity import Similarity

COMPANY = 0.1  # share of clips with a second target; of the released anchors 7 % have two labels
TRAVELS = 0.4  # share of second targets that come into the frame, or leave it
PASSER = 0.15  # share of clips in which something passes before the subject, as in scenes
PAN = 0.1  # how far the ground moves behind the things, of the frame's side
SIDE = 64  # pixels of the scenes, in which the camera's blur is given


@dataclass(frozen=True, eq=False)
class Plan:
    """All random choices for a clip except grain and background, but including any fault.

    Args:
        name: name of the clip, which keys every draw.
        targets: objects of a class: the subject and, in some clips, a second one behind it.
        passer: object that passes in front of them, if any.
        pan: distance that the camera has moved over the background in each frame, as a share of the
            frame's side.
        light: exposure in each frame, in stops.
        blur: standard deviation of the lens blur in each frame, as a share of the frame's side.
        shadow: offset of the subject's shadow (x and y, as shares of the side) and its depth.
        fault: the reason why some of its frames are bad neighbours, if any.
        cut: the clip that a cut shows instead.
    """

    name: str
    targets: tuple[Mover, ...]
    passer: Mover | None
    pan: Path
    light: Curve
    blur: Curve
    quality: Int64[np.ndarray, "21"]
    cast: Float64[np.ndarray, "3"]
    grain: float
    shadow: tuple[float, float, float]
    fault: Fault | None = None
    cut: "Plan | None" = None


def planned(
    name: str,
    shown: str,
    art: Art,
    targets: Mapping[str, Sequence[int]],
    clutter: Sequence[int],
    *,
    seed: int = 0,
    rule: Similarity | None = None,
    faults: bool = True,
) -> Plan:
    """Return the plan of a clip.

    Args:
        name: name of the clip, such as "test/clip_00012".
        shown: class of its subject.
        targets: for each class, the indices of its drawings.
        clutter: indices of the drawings that may pass in front of the subject.
        rule: the rule that bounds the motion; None: the default rule.

    Raises:
        InputError: an unknown class, or no second class to be mistaken for it.
    """
    others = [label for label in targets if label != shown]
    if shown not in targets or not others:
        raise InputError(
            f"Expected {shown} and another class among the targets, but got {', '.join(targets)}."
        )
    rule = rule or Similarity()
    plain = _plain(name, shown, art, targets, clutter, seed, rule)
    rng = seeds.generator(seed, name, "fault")
    fault = drawn_fault(rng, others) if faults else None
    if fault is None:
        return plain
    if fault.reason != "cut":
        return spoilt(plain, fault)
    other = str(rng.choice(others))
    cut = _plain(f"{name}/cut", other, art, targets, clutter, seed, rule)
    return replace(plain, fault=fault, cut=cut)


def spoilt(plan: Plan, fault: Fault) -> Plan:
    """Return a plan with a fault: its subject has jumped, or its lens is out of focus."""
    at = np.array(fault.offsets) + LARGEST
    subject, *others = plan.targets
    if fault.reason == "jump":
        way = np.array([np.cos(fault.way), np.sin(fault.way)])
        centre = subject.centre.copy()
        centre[at] += subject.side[LARGEST] * fault.amount * way
        subject = replace(subject, centre=centre)
    blur = plan.blur.copy()
    blur[at] = np.maximum(blur[at], [fault.blur(offset) for offset in fault.offsets])
    return replace(plan, targets=(subject, *others), blur=blur, fault=fault)


def _plain(
    name: str,
    shown: str,
    art: Art,
    targets: Mapping[str, Sequence[int]],
    clutter: Sequence[int],
    seed: int,
    rule: Similarity,
) -> Plan:
    """Return a plan without a fault."""
    film = seeds.generator(seed, name, "film")
    base, hunt = camera.BLUR * film.random() / SIDE, film.random()
    least, most = camera.QUALITY
    return Plan(
        name,
        _targets(name, shown, art, targets, seed, rule),
        _passer(name, clutter, seed, rule),
        pan=PAN * film.random() * np.stack([curve(film), curve(film)], axis=1) / np.sqrt(2),
        light=film.uniform(-1, 1) * camera.EXPOSURE + rule.light * film.random() * curve(film),
        blur=base + hunt * (rule.blur - base) * np.abs(curve(film)),
        quality=np.clip(film.integers(least, most) + 8 * curve(film), least, most).astype(np.int64),
        cast=1 + camera.CAST * film.standard_normal(3),
        grain=camera.GRAIN * abs(float(film.standard_normal())),
        shadow=(*(film.uniform(-3, 3, 2) / SIDE).tolist(), float(film.uniform(0, 0.5))),
    )


def _targets(
    name: str,
    shown: str,
    art: Art,
    targets: Mapping[str, Sequence[int]],
    seed: int,
    rule: Similarity,
) -> tuple[Mover, ...]:
    """Return the subject and, in some clips, a second target on the other half of the frame."""
    rng, second = (seeds.generator(seed, name, purpose) for purpose in ("subject", "company"))
    accompanied = second.random() < COMPANY
    half = 1 if second.random() < 0.5 else -1
    place = int(rng.choice(targets[shown]))
    subject = posed(
        place,
        shown,
        rng,
        side=(0.42, 0.58) if accompanied else TARGET,
        middle=(0.5 - 0.2 * half * accompanied, 0.5),
        spread=SPREAD / 2 if accompanied else SPREAD,
        rule=rule,
    )
    subject = within_rule(subject, art.rgba[place], rule)
    if not accompanied:
        return (subject,)
    label = str(second.choice([label for label in targets if label != shown]))
    place = int(second.choice(targets[label]))
    beside = (0.5 + 0.25 * half, 0.5)
    company = posed(
        place, label, second, side=(0.38, 0.52), middle=beside, spread=SPREAD / 2, rule=rule
    )
    if second.random() < TRAVELS:
        forwards = 1 if second.random() < 0.5 else -1
        time = np.clip(forwards * np.linspace(-1, 1, FRAMES), 0, 1)
        away = np.stack([half * 0.55 * time**1.5, np.zeros(FRAMES)], axis=1)
        company = replace(company, centre=company.centre + away)
    return subject, company


def _passer(name: str, clutter: Sequence[int], seed: int, rule: Similarity) -> Mover | None:
    """Return what passes before the subject: it drifts evenly through its place at the anchor."""
    rng = seeds.generator(seed, name, "passer")
    if rng.random() >= PASSER:
        return None
    place = int(rng.choice(clutter))
    thing = posed(place, None, rng, side=(0.15, 0.3), middle=(0.5, 0.5), spread=0.45, rule=rule)
    way, far = rng.uniform(0, 2 * np.pi), rng.uniform(0, 0.3)
    drift = np.linspace(-1, 1, FRAMES)[:, None] * far * np.array([np.cos(way), np.sin(way)])
    return replace(thing, centre=thing.centre[LARGEST] + drift)
