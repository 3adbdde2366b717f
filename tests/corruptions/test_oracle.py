"""Ours against the slow oracle, given the same draws: the same 8-bit values."""

import pytest

from robust_lib.vocabulary import COMMON, EXTRA, OWN, SEVERITIES
from tests.reference import corruptions as oracle
from tests.reference.agreement import compare
from tests.reference.photographs import flats

SHARE = 0.999  # of the values must be equal, for each corruption and severity
FLAT_SHARE = 0.99  # of those of pictures that consist of flat colours
APART = 1  # level at most


def textures_for(name, request):
    return request.getfixturevalue("frost_folder") if name == "frost" else None


@pytest.mark.parametrize("name", COMMON + EXTRA + OWN)
def test_same_levels(name, pictures, request):
    if name == "glass_blur":  # the oracle walks pixel by pixel
        pictures = pictures[[0, 5]]
    for severity in SEVERITIES:
        shown = pictures[severity % len(pictures) :: len(SEVERITIES)]
        equal, apart = compare(oracle, name, severity, shown, textures_for(name, request))
        assert equal.mean() >= SHARE, severity
        assert apart.max() <= APART, severity


# Not contrast: its level of a flat colour hangs on the last bit of a mean of all pixels, which
# is a sum of 50,176 numbers in NumPy's order.
@pytest.mark.parametrize("name", sorted({*COMMON, *EXTRA, *OWN} - {"contrast"}))
def test_same_levels_of_flat_colours(name, request):
    pictures = flats()[2:] if name == "glass_blur" else flats()
    for severity in SEVERITIES:
        equal, apart = compare(oracle, name, severity, pictures, textures_for(name, request))
        assert equal.min() >= FLAT_SHARE, severity
        assert apart.max() <= APART, severity


def test_the_comparison_would_notice(pictures, monkeypatch):
    """An oracle with another constant does not agree."""
    right = oracle.gaussian_blur
    monkeypatch.setattr(oracle, "gaussian_blur", lambda picture, severity: right(picture, 2))
    equal, apart = compare(oracle, "gaussian_blur", 1, pictures[:1])
    assert equal.mean() < 0.5
    assert apart.max() > 1
