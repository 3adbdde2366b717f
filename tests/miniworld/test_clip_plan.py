"""Plans: keyed by a clip's name, the same motion with a fault as without, faults as told."""

from dataclasses import fields, replace

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.miniworld import camera
from robust_lib.miniworld.clip_faults import Fault
from robust_lib.miniworld.clip_motion import LARGEST, Mover
from robust_lib.miniworld.clip_plan import COMPANY, PAN, PASSER, Plan, planned, spoilt
from robust_lib.miniworld.similarity import Similarity

SHOWN = ("angular", "round")


@pytest.fixture(scope="module")
def plan(art, things):
    """Plan a clip; every second one shows something round."""
    targets, clutter = things

    def make(number, **settings):
        return planned(f"val/{number}", SHOWN[number % 2], art, targets, clutter, **settings)

    return make


@pytest.fixture(scope="module")
def plans(plan):
    return [plan(number) for number in range(120)]


def same(one, other):
    """Whether two plans, movers or arrays are the same to the last bit."""
    if isinstance(one, Plan | Mover):
        return all(same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(np.array_equal(one, other))


def test_a_plan_is_that_of_its_name_and_its_seed(plan, plans):
    for number in (3, 0, 1):
        assert same(plan(number), plans[number])
        assert not same(plan(number, seed=1).targets, plans[number].targets)
    assert not same(plans[0].targets, plans[2].targets)
    assert len({each.grain for each in plans}) == 120


def test_a_subject_is_of_the_class_that_is_shown(art, things, plans):
    targets, clutter = things
    drawn = {label: set() for label in SHOWN}
    for number, each in enumerate(plans):
        subject = each.targets[0]
        assert subject.label == SHOWN[number % 2]
        drawn[subject.label].add(subject.place)
        if each.passer is not None:
            assert each.passer.place in clutter
            assert each.passer.label is None
    assert drawn == {label: set(places) for label, places in targets.items()}


def test_some_clips_have_company_of_another_class_and_some_a_passer(plans):
    accompanied = [each for each in plans if len(each.targets) == 2]
    assert len(accompanied) / 120 == pytest.approx(COMPANY, abs=0.06)
    for each in accompanied:
        subject, other = each.targets
        assert subject.label != other.label
        apart = subject.centre[LARGEST, 0] - other.centre[LARGEST, 0]
        assert abs(apart) > 0.3  # a half of the frame each
    assert sum(each.passer is not None for each in plans) / 120 == pytest.approx(PASSER, abs=0.08)


def test_some_company_comes_or_goes(plan):
    travels = []
    for number in range(400):
        each = plan(number, faults=False)
        if len(each.targets) == 2:
            path = each.targets[1].centre[:, 0]
            travels.append(abs(path - 0.5).max() > 0.65)
            # It is in place at the anchor, and on one side of it.
            assert abs(path[LARGEST] - 0.5) < 0.35
    assert 0.2 < np.mean(travels) < 0.6


def test_light_blur_and_file_stay_in_their_bounds(plan):
    rule = Similarity()
    for number in range(60):
        each = plan(number, faults=False)
        assert np.abs(each.light - each.light[LARGEST]).max() <= rule.light + 1e-9
        assert 0 <= each.blur.min() <= each.blur.max() <= rule.blur + 1e-12
        assert each.blur[LARGEST] == each.blur.min()
        least, most = camera.QUALITY
        assert least <= each.quality.min() <= each.quality.max() <= most
        assert np.linalg.norm(each.pan, axis=1).max() <= PAN + 1e-9
        assert (each.pan[LARGEST] == 0).all()


def test_a_fault_leaves_the_rest_of_the_clip_as_it_is(plan, plans):
    kinds = set()
    for number, each in enumerate(plans):
        plain = plan(number, faults=False)
        assert plain.fault is plain.cut is None
        if each.fault is None:
            assert same(each, plain)
            continue
        kinds.add(each.fault.reason)
        others = np.ones(21, bool)
        others[np.array(each.fault.offsets) + LARGEST] = False
        assert same(each.targets[0].centre[others], plain.targets[0].centre[others])
        assert same(each.blur[others], plain.blur[others])
        assert (each.cut is not None) == (each.fault.reason == "cut")
    assert kinds == {"jump", "cut", "blur", "label"}


def test_a_cut_shows_another_class(plans):
    cuts = [each for each in plans if each.cut is not None]
    assert cuts
    for each in cuts:
        assert each.cut.targets[0].label != each.targets[0].label
        assert each.cut.fault is None
        assert each.cut.name == f"{each.name}/cut"


def test_a_jump_goes_as_far_as_told(plan):
    plain = plan(0, faults=False)
    jumped = spoilt(plain, Fault("jump", (8, 9, 10), 0.5, np.pi / 2))
    far = jumped.targets[0].centre - plain.targets[0].centre
    assert (far[:-3] == 0).all()
    expected = [0, 0.5 * plain.targets[0].side[LARGEST]]
    np.testing.assert_allclose(far[-3:], np.tile(expected, (3, 1)), atol=1e-12)
    assert same(replace(jumped, targets=plain.targets, fault=None), plain)


def test_a_blur_is_at_least_as_strong_as_told(plan):
    plain = plan(0, faults=False)
    blurred = spoilt(plain, Fault("blur", (-3, -2, -1), 0.03))
    np.testing.assert_allclose(
        blurred.blur[7:10], np.maximum(plain.blur[7:10], [0.015, 0.03, 0.015])
    )
    assert same(replace(blurred, blur=plain.blur, fault=None), plain)


def test_a_tighter_rule_bounds_the_motion(plan):
    for number in range(10):
        tight = plan(number, faults=False, rule=Similarity(turn=1.0, light=0.01))
        turn = np.rad2deg(tight.targets[0].turn)
        assert np.abs(turn - turn[LARGEST]).max() <= 1 + 1e-9
        assert np.ptp(tight.light) <= 0.02


def test_a_class_that_there_is_not_is_refused(art, things):
    targets, clutter = things
    with pytest.raises(InputError, match="Expected square and another class among the targets"):
        planned("val/0", "square", art, targets, clutter)
    with pytest.raises(InputError, match="another class among the targets, but got round"):
        planned("val/0", "round", art, {"round": targets["round"]}, clutter)
