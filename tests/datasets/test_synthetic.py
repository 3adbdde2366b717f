"""Synthetic anomalies: what their recipes say, at any size."""

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter, label

from robust_lib.datasets import ImageSet
from robust_lib.datasets.synthetic import PATTERNS, Synthetic, bernoulli_noise, blobs
from robust_lib.errors import InputError
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import UNKNOWN

AS_IS = Preprocessing(None, None)


def some(pattern="blobs", images=6, **changes):
    settings = {"size": 64, "classes": "pair", "class_names": ("one", "other")} | changes
    return Synthetic("some", pattern, images, **settings)


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("size", [32, 64, 100, 224])
def test_patterns_are_image_sets_of_any_size(pattern, size):
    data = some(pattern, size=size)
    assert isinstance(data, ImageSet)
    assert len(data) == len(data.ids) == len(data.labels) == 6
    assert data.ids[2] == f"{pattern}/000002"
    assert set(data.labels.tolist()) == {UNKNOWN}
    pictures = [data.read(index, AS_IS) for index in range(6)]
    assert {picture.shape for picture in pictures} == {(size, size, 3)}
    assert {picture.dtype for picture in pictures} == {np.dtype(np.uint8)}
    assert len({picture.tobytes() for picture in pictures}) == 6
    again = some(pattern, size=size, images=3)
    assert np.array_equal(again.read(2, AS_IS), pictures[2])


def test_half_of_the_noise_is_white_and_neighbours_know_nothing_of_each_other():
    picture = bernoulli_noise(256, np.random.default_rng(0)) / 255
    assert set(np.unique(picture)) == {0.0, 1.0}
    assert picture.mean() == pytest.approx(0.5, abs=0.005)
    centred = picture - picture.mean()
    assert abs((centred[:, 1:] * centred[:, :-1]).mean()) < 0.01
    assert abs((centred[..., 0] * centred[..., 1]).mean()) < 0.01


def test_blobs_at_32_pixels_are_the_published_recipe():
    """scikit-image's filter with multichannel=False is SciPy's over all three axes."""
    for seed in range(3):
        noise = (np.random.default_rng(seed).random((32, 32, 3)) < 0.7).astype(np.float32)
        field = gaussian_filter(noise, sigma=1.5, mode="nearest")
        field[field < 0.75] = 0
        picture = blobs(32, np.random.default_rng(seed))
        assert np.abs(picture / 255 - field).max() < 1 / 255


def test_blobs_grow_with_the_picture():
    """As many, and as much of the picture, at any size."""
    counts, shares = [], []
    for size in (32, 64, 224):
        drawn = [blobs(size, np.random.default_rng(seed))[..., 1] > 0 for seed in range(20)]
        counts.append(np.mean([label(picture)[1] for picture in drawn]))
        shares.append(np.mean(drawn))
    assert max(counts) < 1.4 * min(counts)
    assert np.ptp(shares) < 0.08
    assert 0.1 < min(shares) < max(shares) < 0.5


def test_digests_tell_sets_apart():
    sets = [
        some(),
        some("bernoulli_noise"),
        some(images=5),
        some(size=32),
        some(seed=1),
        some(classes="others"),
        some(class_names=("one", "two")),
    ]
    assert len({data.digest for data in sets}) == 7
    assert some().digest == sets[0].digest


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"pattern": "stripes"}, "one of bernoulli_noise, blobs, but got stripes"),
        ({"images": 0}, "but got 0 images of 64 pixels"),
        ({"size": 0}, "but got 6 images of 0 pixels"),
    ],
)
def test_what_there_is_not_is_refused(change, words):
    with pytest.raises(InputError, match=words):
        some(**change)
