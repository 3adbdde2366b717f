"""Low-level statistics: pixel by pixel, pictures made to have them, and what they tell apart."""

import numpy as np
import pytest

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.metrics import image_statistics as module
from robust_lib.metrics.anomaly import auroc
from robust_lib.metrics.image_statistics import STATISTICS, low_level_scores, statistics
from tests.reference import image_statistics as reference
from tests.toys import unchecked


def column(pictures, name):
    return statistics(pictures)[:, STATISTICS.index(name)]


def noise(key, count=4, side=32):
    return seeds.generator(key).integers(0, 256, (count, side, side, 3), dtype=np.uint8)


def coloured(key, exponent, count=6, side=64):
    """Pictures whose power falls as a power of the frequency, as photographs' does."""
    rng = seeds.generator(key)
    frequency = np.hypot(np.fft.fftfreq(side)[:, None], np.fft.fftfreq(side)[None, :])
    frequency[0, 0] = 1
    waves = np.fft.fft2(rng.normal(size=(count, side, side))) * frequency ** (exponent / 2)
    grey = np.fft.ifft2(waves).real
    grey -= grey.mean(axis=(1, 2), keepdims=True)
    pixels = 128 + 35 * grey / grey.std(axis=(1, 2), keepdims=True)
    return np.repeat(pixels.clip(0, 255).round().astype(np.uint8)[..., None], 3, axis=3)


@pytest.mark.parametrize("shape", [(8, 8), (9, 12), (12, 9), (11, 11)])
def test_pixel_by_pixel(shape):
    pictures = seeds.generator("pixels", *shape).integers(0, 256, (3, *shape, 3), dtype=np.uint8)
    pictures[1] //= 3
    pictures[2] = np.sort(pictures[2], axis=0)
    expected = [reference.statistics(picture) for picture in pictures.tolist()]
    np.testing.assert_allclose(statistics(pictures), expected, rtol=1e-9)


def test_a_ramp_by_hand():
    """From 0 to 31 across: the gradient is one step of 255 everywhere."""
    ramp = np.broadcast_to(np.arange(32, dtype=np.uint8)[None, None, :, None], (1, 32, 32, 3))
    intensity, contrast, gradient, slope = statistics(ramp)[0]
    assert intensity == pytest.approx(15.5 / 255)
    assert contrast == pytest.approx(np.arange(32).std() / 255)
    assert gradient == pytest.approx(1 / 255)
    assert slope < -2


def test_intensity_is_the_mean_of_the_colours():
    red = np.zeros((1, 8, 8, 3), np.uint8)
    red[..., 0] = 255
    assert statistics(red)[0].round(12).tolist() == pytest.approx([1 / 3, 0, 0, 0])


@pytest.mark.parametrize("exponent", [0, -1, -2, -3])
def test_slopes_are_found_as_they_were_made(exponent):
    found = column(coloured("slopes", exponent), "slope")
    assert found.mean() == pytest.approx(exponent, abs=0.25)


def test_a_picture_of_one_colour_has_no_slope_and_a_brighter_one_the_same():
    for value in (0, 130, 255):
        assert statistics(np.full((1, 16, 16, 3), value, np.uint8))[0, 1:].round(9).tolist() == [
            0,
            0,
            0,
        ]
    pictures = noise("dark") // 2
    np.testing.assert_allclose(statistics(pictures + 100)[:, 1:], statistics(pictures)[:, 1:])


def test_mirrored_and_turned_pictures_have_the_same_statistics():
    pictures = coloured("mirror", -2)
    expected = statistics(pictures)
    for other in (pictures[:, ::-1], pictures[:, :, ::-1], pictures.transpose(0, 2, 1, 3)):
        np.testing.assert_allclose(statistics(other), expected)


def test_a_picture_does_not_depend_on_the_others(monkeypatch):
    pictures = noise("others", 7, 16)
    expected = statistics(pictures)
    monkeypatch.setattr(module, "_AT_ONCE", 3)
    np.testing.assert_allclose(statistics(pictures), expected, rtol=1e-12)
    np.testing.assert_allclose(statistics(pictures[4:5])[0], expected[4], rtol=1e-12)


@pytest.mark.parametrize("shape", [(0, 16, 16, 3), (2, 7, 16, 3), (2, 16, 7, 3)])
def test_pictures_that_are_too_few_or_too_small(shape):
    with pytest.raises(InputError, match=f"sides of at least 8 pixels, but got {shape[0]} of"):
        statistics(np.zeros(shape, np.uint8))


def low_level_auroc(ordinary, others, rng):
    return auroc(*low_level_scores(ordinary, others, rng=rng))


def test_noise_is_told_from_pictures_and_pictures_are_not_told_from_each_other():
    pictures = statistics(coloured("ordinary", -2, 300, 16))
    alike = statistics(coloured("alike", -2, 300, 16))
    rng = seeds.generator("halves")
    assert low_level_auroc(pictures, statistics(noise("noise", 50, 16)), rng=rng) > 0.99
    assert low_level_auroc(pictures, alike, rng=rng) == pytest.approx(0.5, abs=0.1)


def test_the_half_that_was_fitted_is_not_scored():
    """Of few pictures a Gaussian fits its own half too well; others like them must not pay."""
    found = []
    for case in range(200):
        values = seeds.generator("overfit", case).normal(size=(36, 4))
        found.append(low_level_auroc(values[:16], values[16:], rng=seeds.generator(case)))
    assert np.mean(found) == pytest.approx(0.5, abs=0.04)


def test_the_half_is_drawn_by_the_generator_and_not_by_the_order():
    """Sorted by class, the first half of a data set is another kind of picture."""
    rng = seeds.generator("sorted")
    values = np.concatenate([rng.normal(-5, 1, (200, 4)), rng.normal(5, 1, (200, 4))])
    assert low_level_auroc(values, values, rng=seeds.generator(0)) == pytest.approx(0.5, abs=0.05)
    one, again, another = (
        low_level_auroc(values, values + 1, rng=seeds.generator(key)) for key in "aab"
    )
    assert one == again != another


@pytest.mark.parametrize(
    ("ordinary", "others", "message"),
    [
        (np.zeros((1, 4)), np.zeros((3, 4)), "two ordinary images and one other, but got 1 and"),
        (np.zeros((3, 4)), np.zeros((0, 4)), "got 3 and 0"),
        (np.full((4, 4), np.nan), np.zeros((3, 4)), "finite features"),
        (np.zeros((4, 4)), np.zeros((3, 4)), "differ between images"),
    ],
)
def test_statistics_that_cannot_be_compared(ordinary, others, message):
    with unchecked(), pytest.raises(InputError, match=message):
        low_level_auroc(ordinary, others, rng=seeds.generator(0))
