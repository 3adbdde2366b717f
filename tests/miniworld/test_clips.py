"""Frames of clips: drawn alone as in order, one motion at any size, grain and file keyed."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.miniworld import clips
from robust_lib.miniworld.clip_faults import Fault
from robust_lib.miniworld.clip_plan import PAN, planned, spoilt

SHOWN = ("angular", "round")


@pytest.fixture(scope="module")
def plan(art, things):
    targets, clutter = things

    def make(number, seed=0):
        return planned(
            f"val/{number}", SHOWN[number % 2], art, targets, clutter, seed=seed, faults=False
        )

    return make


@pytest.fixture(scope="module")
def stage(plan, art, things):
    def make(number, size=64, seed=0, of=None):
        return clips.stage(of or plan(number, seed), art, things[1], size=size, seed=seed)

    return make


def picture(stage, offset=0):
    return clips.shown(clips.drawn(stage, offset))


def test_a_frame_is_a_square_8_bit_picture(stage):
    for size in (32, 64, 128):
        frame = picture(stage(0, size))
        assert (frame.shape, frame.dtype) == ((size, size, 3), np.uint8)
        assert frame.std() > 5


def test_a_frame_drawn_alone_is_that_drawn_in_order(stage):
    for number in (0, 1, 2):
        in_order = [clips.drawn(stage(number), offset) for offset in range(-10, 11)]
        assert clips.drawn(stage(number), 3) == in_order[13]
        assert clips.drawn(stage(number), -10) == in_order[0]
        assert len(set(in_order)) == 21


def test_other_seeds_and_names_are_other_clips(stage):
    frames = [picture(stage(number, seed=seed)) for number, seed in ((0, 0), (0, 1), (2, 0))]
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert np.abs(frames[one].astype(int) - frames[other]).mean() > 5


def test_a_larger_frame_is_the_same_moment(stage):
    for number in range(6):
        for offset in (-10, 0, 7):
            small, large = (picture(stage(number, size), offset) for size in (64, 128))
            halved = cv2.resize(large, (64, 64), interpolation=cv2.INTER_AREA)
            apart = np.abs(small.astype(int) - halved).mean()
            assert apart < 8
            other = picture(stage(number + 1), offset)
            assert np.abs(small.astype(int) - other).mean() > 2 * apart


def test_neighbours_are_alike_and_the_first_and_the_last_are_less_so(stage):
    near, far = [], []
    for number in range(8):
        frames = [picture(stage(number), offset).astype(int) for offset in (0, 1, 10)]
        near.append(np.abs(frames[1] - frames[0]).mean())
        far.append(np.abs(frames[2] - frames[0]).mean())
    assert np.mean(near) < 0.5 * np.mean(far)


def test_grain_is_keyed_by_the_frame_and_scaled_by_the_plan(stage, plan):
    """Of a still clip, nothing but the grain differs from frame to frame."""
    still = plan(0)
    still = replace(
        still,
        targets=tuple(mover.moved(0.0) for mover in still.targets),
        passer=None,
        pan=np.zeros((21, 2)),
        light=np.zeros(21),
        blur=np.zeros(21),
        quality=np.full(21, 95),
    )
    for grain, low, high in ((0.0, 0, 1e-9), (0.02, 1.5, 8)):
        staged = stage(0, of=replace(still, grain=grain))
        frames = [picture(staged, offset).astype(int) for offset in (0, 1)]
        assert low <= np.abs(frames[0] - frames[1]).mean() <= high
        assert clips.drawn(staged, 1) == clips.drawn(staged, 1)


def test_a_file_has_the_quality_of_its_frame(stage, plan):
    sizes = []
    for quality in (70, 95):
        staged = stage(0, of=replace(plan(0), quality=np.full(21, quality)))
        sizes.append(len(clips.drawn(staged, 0)))
    assert sizes[0] < 0.7 * sizes[1]


def test_light_is_in_stops(stage, plan):
    dim = replace(plan(1), light=np.full(21, -2.0), grain=0.0, cast=np.full(3, 1.0))
    means = [
        picture(stage(1, of=replace(dim, light=np.full(21, stops)))).mean()
        for stops in (-3.0, -2.0)
    ]
    assert means[1] / means[0] == pytest.approx(2, rel=0.05)


def test_blur_takes_the_edges_away(stage, plan):
    sharp = replace(plan(1), blur=np.zeros(21), grain=0.0)
    blurred = spoilt(sharp, Fault("blur", (1, 2, 3), 0.05))
    edges = [
        np.abs(np.diff(picture(stage(1, of=one), 2).astype(int), axis=0)).max()
        for one in (sharp, blurred)
    ]
    assert edges[1] < 0.5 * edges[0]


def test_a_cut_shows_the_other_clip_and_leaves_the_rest(stage, plan):
    whole = stage(0, of=replace(plan(0), fault=Fault("cut", (9, 10)), cut=plan(1)))
    assert clips.drawn(whole, 9) == clips.drawn(stage(1), 9)
    assert clips.drawn(whole, 8) == clips.drawn(stage(0), 8)


def test_the_ground_is_wide_enough_for_the_camera():
    assert clips.EDGE > PAN


def test_a_subject_on_a_ground_of_its_colour_has_no_contrast(stage, plan):
    staged = stage(0, of=replace(plan(0), passer=None, shadow=(0.0, 0.0, 0.0)))
    (place,) = {plan(0).targets[0].place}
    told = []
    for colour in (0.1, 1.0):
        ground = np.full_like(staged.ground, 0.1)
        icon = staged.icons[place].copy()
        icon[..., :3] = colour * icon[..., 3:]
        told.append(clips.anchor_contrast(replace(staged, ground=ground, icons={place: icon})))
    assert told[0] == pytest.approx(0, abs=0.01)
    assert told[1] == pytest.approx(0.9, abs=0.05)


def coloured(stage, place, mover, colour):
    """A stage with one drawing in one colour."""
    icon = stage.icons[place].copy()
    icon[..., :3] = np.float32(colour) * icon[..., 3:]
    return replace(stage, icons={**stage.icons, mover.place: icon})


def test_company_lies_behind_the_subject_and_what_passes_before_both(plan, stage, art):
    """A subject in the middle of three of its size: none but the one before it hides it."""
    ball, dot, ring = art.of("ball")[0], art.of("dot")[0], art.of("ring")[0]
    subject = replace(plan(1).targets[0].moved(0.0), place=ball)
    company, passer = replace(subject, place=dot), replace(subject, place=ring)
    bare = replace(plan(1), shadow=(0.0, 0.0, 0.0))
    seen = {}
    for name, targets, before in (
        ("alone", (subject,), None),
        ("company", (subject, company), None),
        ("passer", (subject, company), passer),
        ("swapped", (company, subject), None),
    ):
        staged = stage(1, of=replace(bare, targets=targets, passer=before))
        for mover, colour in ((subject, (1, 0, 0)), (company, (0, 1, 0)), (passer, (0, 0, 1))):
            if mover.place in staged.icons:
                staged = coloured(staged, mover.place, mover, colour)
        scene = clips._scene(staged, 0)
        seen[name] = [int((scene == np.float32(c)).all(-1).sum()) for c in np.eye(3)]
        if name != "swapped":
            seen[name].append(clips.anchor_contrast(staged))
    assert seen["company"] == seen["alone"]
    assert seen["swapped"][1] > 0
    assert seen["swapped"][0] < seen["alone"][0]
    assert seen["passer"][2] > 0
    assert seen["passer"][0] < seen["alone"][0]


def test_what_passes_is_no_part_of_the_subjects_contrast(plan, stage, art):
    """A subject of the ground's colour is lost, however bright what passes before it is."""
    ball, ring = art.of("ball")[0], art.of("ring")[0]
    subject = replace(plan(1).targets[0].moved(0.0), place=ball)
    passer = replace(subject, place=ring, side=subject.side * 0.6)
    bare = replace(plan(1), targets=(subject,), passer=passer, shadow=(0.0, 0.0, 0.0))
    staged = stage(1, of=bare)
    staged = replace(staged, ground=np.full_like(staged.ground, 0.1))
    staged = coloured(coloured(staged, ball, subject, 0.1), ring, passer, 1.0)
    assert clips.anchor_contrast(staged) < 0.05


def test_company_is_in_the_picture(plan, stage, art):
    """Beside the subject, not behind it."""
    subject = plan(1).targets[0].moved(0.0)
    aside = replace(subject, place=art.of("dot")[0], centre=subject.centre - 0.3)
    alone, both = (
        clips._scene(stage(1, of=replace(plan(1), targets=targets)), 0)
        for targets in ((subject,), (subject, aside))
    )
    assert (np.abs(alone - both).max(-1) > 0.05).mean() > 0.01


def test_a_subject_throws_its_shadow_to_one_side(plan, stage):
    subject = replace(plan(1).targets[0].moved(0.0), centre=np.full((21, 2), 0.5))
    sums = []
    for shadow in ((0.1, 0.0, 0.0), (0.1, 0.0, 0.5)):
        bare = replace(plan(1), targets=(subject,), passer=None, shadow=shadow)
        staged = stage(1, of=bare)
        sums.append(clips._scene(replace(staged, ground=np.full_like(staged.ground, 0.5)), 0))
    darker = (sums[0] - sums[1]).mean(-1)
    assert darker.min() > -1e-6
    assert darker.max() > 0.1
    assert darker[:, 32:].sum() > 3 * darker[:, :32].sum()


def test_sizes_and_offsets_that_there_are_not_are_refused(stage):
    with pytest.raises(InputError, match=r"16 pixels.*8"):
        stage(0, 8)
    with pytest.raises(InputError, match="from -10 to 10, but got 11"):
        clips.drawn(stage(0), 11)
