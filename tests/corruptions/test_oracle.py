"""Ours against the slow oracle, given the same draws: the same 8-bit values."""

import pytest

from robust_lib.corruptions import COMMON, EXTRA, SEVERITIES

SHARE = 0.999  # of the values must be equal, for each corruption and severity
APART = 1  # level at most


@pytest.mark.parametrize("severity", SEVERITIES)
@pytest.mark.parametrize("name", COMMON + EXTRA)
def test_same_levels(name, severity, pictures, oracle, agreement, request):
    if name == "glass_blur":  # the oracle walks pixel by pixel
        pictures = pictures[:2]
    folder = request.getfixturevalue("frost_folder") if name == "frost" else None
    equal, apart = agreement.compare(oracle, name, severity, pictures, folder)
    assert equal.mean() >= SHARE
    assert apart.max() <= APART


def test_the_comparison_would_notice(pictures, oracle, agreement, monkeypatch):
    """An oracle with another constant does not agree."""
    right = oracle.gaussian_blur
    monkeypatch.setattr(oracle, "gaussian_blur", lambda picture, severity: right(picture, 2))
    equal, apart = agreement.compare(oracle, "gaussian_blur", 1, pictures[:1])
    assert equal.mean() < 0.5
    assert apart.max() > 1
