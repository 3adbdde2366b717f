"""Ours against the package imagecorruptions, on the same pictures.

Given our draws, pixel by pixel; and with draws of its own, in distribution. Elastic transform and
frost are left out, because that package defines them otherwise.
"""

import numpy as np
import pytest

from robust_lib.corruptions import corrupt
from robust_lib.corruptions.levels import truncate
from robust_lib.corruptions.table import CORRUPTIONS
from robust_lib.vocabulary import COMMON, EXTRA, SEVERITIES
from tests.reference import two_samples
from tests.reference.agreement import compare_with_peer, ours_and_draws, tensors
from tests.reference.differences import DIFFERENCES
from tests.reference.handed import REDEFINED, answering, corrupted_by_peer, motion_blur

NAMES = [name for name in COMMON + EXTRA if name not in REDEFINED]
RANDOM = [name for name in NAMES if CORRUPTIONS[name].random]
ROUNDED = ("motion_blur", "snow")  # where a known difference is a matter of rounding
SHARE = 0.999

# Fixed beforehand: the chance that any of all these comparisons fails for equal distributions.
BOUND = two_samples.LEVEL / (len(RANDOM) * len(SEVERITIES) * 3)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ROUNDED])
def test_the_same_levels_given_the_same_draws(name, pictures, theirs):
    if name == "glass_blur":
        pictures = pictures[[0, 5]]
    for severity in SEVERITIES:
        shown = pictures[severity % len(pictures) :: len(SEVERITIES)]
        equal, apart = compare_with_peer(theirs, name, severity, shown)
        assert equal.mean() >= SHARE, severity
        assert apart.max() <= 1, severity


def test_motion_blur_differs_in_rounding_alone(pictures, theirs):
    for severity in SEVERITIES:
        shown = pictures[severity :: len(SEVERITIES)]
        ours, angles = ours_and_draws("motion_blur", severity, shown)
        for one, picture, (angle,) in zip(ours, shown, angles, strict=True):
            with answering(theirs, **motion_blur(angle)):
                peers = theirs.motion_blur(picture, severity)
            apart = np.abs(np.round(peers) - one)
            assert (apart == 0).mean() >= SHARE, severity
            assert apart.max() <= 1, severity


def test_snow_differs_by_two_levels_but_at_the_edge(pictures, theirs):
    for severity in SEVERITIES:
        shown = pictures[severity :: len(SEVERITIES)]
        ours, draws = ours_and_draws("snow", severity, shown)
        for one, picture, numbers in zip(ours, shown, draws, strict=True):
            peers = corrupted_by_peer(theirs, "snow", severity, picture, numbers)
            apart = np.abs(one.astype(int) - peers)
            inside = apart[25:-25, 25:-25]  # where no streak reaches the edge
            assert inside.max() <= 2, severity
            assert inside.mean() < 0.3, severity


@pytest.mark.parametrize("name", RANDOM)
def test_random_ones_in_distribution(name, pictures, theirs):
    """At the ends of the severities; the committed table holds all of them."""
    draws = two_samples.draws_of(name)
    for severity in (2,) if name == "glass_blur" else (SEVERITIES[0], SEVERITIES[-1]):
        both = two_samples.samples(theirs, name, severity, pictures[two_samples.PICTURE], draws)
        assert min(two_samples.p_values(*both).values()) > BOUND, severity


@pytest.mark.parametrize("name", REDEFINED)
def test_the_redefined_ones_differ(name, pictures, theirs):
    both = two_samples.samples(theirs, name, 3, pictures[two_samples.PICTURE], 16)
    assert min(two_samples.p_values(*both).values()) < BOUND


PATCH = np.zeros((224, 224, 1))
PATCH[56:112, 56:112] = 4.0


def drawn(name, severity, picture, keys):
    images = tensors(picture[None]).expand(len(keys), -1, -1, -1)
    return truncate(corrupt(images, name, severity, keys=keys)).permute(0, 2, 3, 1).numpy()


@pytest.mark.parametrize(
    ("change", "statistic"),
    [
        (lambda levels: levels + 1.0, "spectrum"),  # a level brighter
        (lambda levels: 128 + 1.04 * (levels - 128.0), "variance"),  # 4 % stronger
        (lambda levels: levels + PATCH, "mean"),  # four levels in a sixteenth of the picture
        (lambda levels: (levels + np.roll(levels, 1, 1)) / 2, "spectrum"),  # correlated
    ],
)
def test_the_tests_notice_a_small_change(change, statistic, pictures):
    grey = np.full_like(pictures[0], 128)
    ours = drawn("gaussian_noise", 1, grey, range(two_samples.DRAWS))
    others = drawn("gaussian_noise", 1, grey, range(100, 100 + two_samples.DRAWS))
    same = two_samples.p_values(ours, others)
    assert min(same.values()) > BOUND
    assert two_samples.p_values(ours, change(others))[statistic] < BOUND


def test_the_known_differences_have_the_sizes_that_they_must_have(pictures, theirs):
    measured = {
        name: measure(theirs, name, pictures[:2], None)
        for _, name, measure in DIFFERENCES
        if name in ("zoom_blur", "pixelate", "motion_blur", "defocus_blur")
    }
    assert measured["zoom_blur"].between < 1e-3
    assert measured["pixelate"].between == 0
    assert 0.3 < measured["motion_blur"].between < 0.6  # truncated against rounded
    # Pictures of 64 px: the peer's blur is as wide in pixels, so three times as wide in them.
    assert measured["defocus_blur"].peer > 1.5 * measured["defocus_blur"].benchmark
