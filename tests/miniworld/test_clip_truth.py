"""What is true of frames: against outlines read point by point, and by the rule."""

from dataclasses import replace

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.miniworld import clips
from robust_lib.miniworld.clip_faults import Fault
from robust_lib.miniworld.clip_motion import LARGEST
from robust_lib.miniworld.clip_plan import planned, spoilt
from robust_lib.miniworld.clip_truth import RESOLUTION, Clip, truth, truths
from robust_lib.miniworld.similarity import Similarity, differences

RULE = Similarity()
SHOWN = ("angular", "round")


@pytest.fixture(scope="module")
def plain(art, things):
    """Plans of clips without a fault."""
    targets, clutter = things
    return [
        planned(f"val/{n}", SHOWN[n % 2], art, targets, clutter, faults=False) for n in range(70)
    ]


@pytest.fixture(scope="module")
def told(plain, art):
    """What is true of their frames."""
    return [truths(plan, art) for plan in plain]


def test_every_frame_of_an_unfaulted_clip_obeys_the_rule(plain, told):
    """But for what passes before the subject: it may cover the edges of its box."""
    free = 0
    for plan, frames in zip(plain, told, strict=True):
        anchor = frames[LARGEST]
        for frame in frames:
            found = set(differences(frame, anchor, RULE))
            assert not found - {"overlap", "visible"}
            if plan.passer is None:
                assert not found
                free += 1
    assert free > 1000


def opacity(art, mover, offset, x, y):
    """How opaque a drawing is at a point of the frame: bilinear between its pixels' middles."""
    alpha = art.rgba[mover.place][..., 3] / 255
    affine = mover.affine(offset, len(alpha), 1.0)
    column, row = np.linalg.solve(affine[:, :2], np.array([x, y]) - affine[:, 2]) - 0.5
    left, top = int(np.floor(column)), int(np.floor(row))
    found = 0.0
    for at, across in ((left, 1 - column + left), (left + 1, column - left)):
        for down, along in ((top, 1 - row + top), (top + 1, row - top)):
            if 0 <= at < len(alpha) and 0 <= down < len(alpha):
                found += alpha[down, at] * across * along
    return found


def slow_truth(plan, art, offset, step=2):
    """Visible share, covered share and box of each target, from every second point."""
    counts = [[0.0, 0.0, []] for _ in plan.targets]
    for row in range(0, RESOLUTION, step):
        for column in range(0, RESOLUTION, step):
            x, y = (column + 0.5) / RESOLUTION, (row + 0.5) / RESOLUTION
            left = 1.0
            if plan.passer is not None:
                left -= opacity(art, plan.passer, offset, x, y)
            for mover, count in zip(plan.targets, counts, strict=True):
                alpha = opacity(art, mover, offset, x, y)
                count[0] += alpha * left
                count[1] += alpha * (1 - left)
                if alpha * left > 0.5:
                    count[2].append((x, y))
                left *= 1 - alpha
    for mover, (seen, hidden, points) in zip(plan.targets, counts, strict=True):
        side = mover.side[offset + LARGEST] * RESOLUTION / step
        alpha = art.rgba[mover.place][..., 3].mean() / 255
        whole = alpha * side**2 * abs(np.linalg.det(mover.shape))
        box = (*np.min(points, axis=0), *np.max(points, axis=0)) if points else (0,) * 4
        yield seen / whole, hidden / whole, box


@pytest.mark.parametrize("kind", ["alone", "company", "passer"])
def test_truth_is_that_of_an_obvious_reading(plain, told, art, kind):
    chosen = {
        "alone": lambda plan: len(plan.targets) == 1 and plan.passer is None,
        "company": lambda plan: len(plan.targets) == 2,
        "passer": lambda plan: plan.passer is not None,
    }[kind]
    number = next(n for n, plan in enumerate(plain) if chosen(plan))
    for offset in (-10, 4):
        frame = told[number][offset + LARGEST]
        slow = list(slow_truth(plain[number], art, offset))
        for target, (visible, covered, box) in zip(frame.targets, slow, strict=True):
            assert target.visible == pytest.approx(visible, abs=0.02)
            assert target.covered == pytest.approx(covered, abs=0.02)
            np.testing.assert_allclose(target.box, box, atol=2.6 / RESOLUTION)


def test_truth_tells_what_the_plan_says(plain, told):
    for plan, frames in zip(plain[:10], told, strict=False):
        for at, frame in enumerate(frames):
            assert (frame.light, frame.blur) == (plan.light[at], plan.blur[at])
            assert frame.said == frame.shown
            assert frame.fault is None
            for mover, target in zip(plan.targets, frame.targets, strict=True):
                assert (target.label, target.side) == (mover.label, mover.side[at])
                assert target.turn == pytest.approx(np.rad2deg(mover.turn[at]))
                assert 0 <= target.visible <= 1
                assert target.visible + target.covered <= 1.01
                assert 0 <= min(target.box) <= max(target.box) <= 1


def test_boxes_are_where_the_picture_shows_the_thing(plain, art, things):
    """Whatever changes when the subject is painted over is the subject."""
    plan = next(plan for plan in plain if len(plan.targets) == 1 and plan.passer is None)
    for size in (64, 128):
        stage = clips.stage(plan, art, things[1], size=size)
        place = plan.targets[0].place
        painted = replace(stage, icons={place: stage.icons[place] * np.float32([0, 0, 0, 1])})
        for offset in (-8, 0, 9):
            # Without shadow and blur, or what is around it would change as well.
            scenes = [
                clips._scene(replace(one, plan=replace(plan, shadow=(0.0, 0.0, 0.0))), offset)
                for one in (stage, painted)
            ]
            outline = clips._layer(stage, plan.targets[0], offset)[..., 3]
            changed = (np.abs(scenes[0] - scenes[1]).max(-1) > 0.02) & (outline > 0.5)
            rows, columns = np.nonzero(changed)
            found = np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]) / size
            box = truth(plan, art, offset).targets[0].box
            np.testing.assert_allclose(box, found, atol=1.5 / size)


def faulty(plan, art, fault):
    return truths(spoilt(plan, fault), art)


FAULTS = {
    "jump": (Fault("jump", (5, 6, 7, 8, 9, 10), 0.6, 0.3), "overlap"),
    "blur": (Fault("blur", (-4, -3, -2), 0.03), "blur"),
    "label": (Fault("label", (2, 3, 4), label="round"), "labels"),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_each_fault_is_found_by_its_part_of_the_rule(plain, art, kind):
    fault, part = FAULTS[kind]
    for number in (2, 4, 8):  # something angular, alone
        frames = faulty(plain[number], art, fault)
        for at, frame in enumerate(frames):
            found = differences(frame, frames[LARGEST], RULE)
            is_fault = at - LARGEST in fault.offsets
            assert frame.fault == (kind if is_fault else None)
            assert (part in found) == is_fault


def test_a_cut_is_another_subject_with_the_labels_of_this_one(plain, art):
    fault = Fault("cut", (9, 10))
    plan = replace(plain[0], fault=fault, cut=plain[1])
    frames = truths(plan, art)
    anchor = frames[LARGEST]
    for at, frame in enumerate(frames):
        if at - LARGEST not in fault.offsets:
            assert frame == truth(plain[0], art, at - LARGEST)
            continue
        other = truth(plain[1], art, at - LARGEST)
        assert frame == replace(other, said=anchor.said, fault="cut")
        assert differences(frame, anchor, RULE)[0] == "subject"


def test_frames_are_told_one_by_one_as_together(plain, told, art):
    for offset in (-10, 3, 0):
        assert truth(plain[5], art, offset) == told[5][offset + LARGEST]
    assert Clip("val/5", "round", told[5], 0.5).at(3) == told[5][13]


@pytest.mark.parametrize("offset", [-11, 11])
def test_a_frame_that_there_is_not_is_refused(plain, art, offset):
    with pytest.raises(InputError, match=f"offset from -10 to 10, but got {offset}"):
        truth(plain[0], art, offset)
