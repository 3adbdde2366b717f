"""The camera: what a photograph has and composed art lacks, in the kinds that were meant."""

import io

import cv2
import numpy as np
import pytest
from PIL import Image

from robust_lib.miniworld import camera

GREY = np.full((64, 64, 3), 0.5, np.float32)


def step():
    """A dark and a light half, sharp."""
    scene = np.full((64, 64, 3), 0.2, np.float32)
    scene[:, 32:] = 0.8
    return scene


def exposures(scene, count=40):
    rngs = (np.random.default_rng(seed) for seed in range(count))
    return np.stack([camera.expose(scene, rng) for rng in rngs])


def fineness(pictures):
    """Return the variance of what a blur takes away, pixel values squared."""
    return np.mean(
        [(p - cv2.GaussianBlur(p, (0, 0), 1.5)).var() for p in pictures.astype(np.float32)]
    )


@pytest.fixture
def no(monkeypatch):
    """Switch off parts of the camera by name."""

    def switch(**settings):
        for name, value in settings.items():
            monkeypatch.setattr(camera, name, value)

    return switch


def test_a_photograph_is_an_8_bit_picture_of_the_same_size():
    for shape in ((64, 64, 3), (48, 80, 3)):
        picture = camera.expose(np.full(shape, 0.5, np.float32), np.random.default_rng(0))
        assert picture.shape == shape
        assert picture.dtype == np.uint8


def test_the_same_draws_give_the_same_photograph():
    one, other, third = (camera.expose(step(), np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert np.array_equal(one, other)
    assert not np.array_equal(one, third)


def test_extremes_neither_wrap_around_nor_fail():
    assert exposures(np.ones_like(GREY)).mean() > 200
    assert exposures(np.zeros_like(GREY)).mean() < 8
    assert exposures(1.4 * np.ones_like(GREY)).mean() > 240  # tinted art may be brighter than white


def test_grain_makes_fine_variance(no):
    no(QUALITY=(95, 96), BLUR=0.0)
    variances = []
    for grain in (0.0, 0.02, 0.04, 0.08):
        no(GRAIN=grain)
        variances.append(fineness(exposures(GREY)))
    assert variances[0] < 0.05
    assert variances == sorted(variances)
    assert variances[3] > 8 * variances[1]  # it grows with the square, less what JPEG smooths


def test_grain_is_that_of_the_constant(no):
    no(QUALITY=(100, 101), BLUR=0.0, CAST=0.0, EXPOSURE=0.0)
    # The file halves the resolution of colours, so what is left whole is the light.
    light = np.array([0.299, 0.587, 0.114])
    pictures = exposures(GREY, 200) @ light
    half_normal = np.sqrt(2 / np.pi)
    expected = 255 * camera.GRAIN * half_normal * np.sqrt(0.35 + 0.5) * np.linalg.norm(light)
    assert pictures.std(axis=(1, 2)).mean() == pytest.approx(expected, rel=0.1)


def test_grain_grows_with_the_light(no):
    no(QUALITY=(100, 101), BLUR=0.0, CAST=0.0, EXPOSURE=0.0)
    pictures = exposures(step(), 100).astype(float)
    dark, light = pictures[:, :, 4:28], pictures[:, :, 36:60]
    assert light.std(axis=(1, 2)).mean() > 1.2 * dark.std(axis=(1, 2)).mean()


def test_a_lens_softens_edges(no):
    no(QUALITY=(100, 101), GRAIN=0.0, CAST=0.0, EXPOSURE=0.0, BLUR=0.0)
    sharp = exposures(step())
    no(BLUR=0.6)
    slopes = np.abs(np.diff(exposures(step()).astype(int), axis=2)).max(axis=(1, 2, 3))
    assert np.abs(np.diff(sharp.astype(int), axis=2)).max() == pytest.approx(153, abs=6)
    assert slopes.min() < 130  # softened in some, and left alone in others
    assert slopes.max() > 145


def test_exposure_and_cast_change_light_and_colour(no):
    no(GRAIN=0.0, BLUR=0.0, CAST=0.0)
    means = exposures(GREY).mean(axis=(1, 2))
    assert np.ptp(means, axis=1).max() < 1.5  # grey stays grey
    stops = np.log2(means.mean(1) / 127.5)
    assert np.abs(stops).max() < camera.EXPOSURE + 0.02
    assert np.ptp(stops) > camera.EXPOSURE
    no(CAST=0.06, EXPOSURE=0.0)
    casts = exposures(GREY).mean(axis=(1, 2)) / 127.5 - 1
    assert casts.std() == pytest.approx(0.06, rel=0.3)


def test_compression_is_that_of_a_jpeg_file():
    scene = step()
    for quality in (30, 60, 95):
        file = io.BytesIO()
        pixels = np.round(scene * 255).astype(np.uint8)
        Image.fromarray(pixels).save(file, "JPEG", quality=quality)
        assert np.array_equal(camera.compress(scene, quality), np.asarray(Image.open(file)))


def test_photographs_show_the_blocks_of_jpeg(no):
    """Noise has no borders; after compression, steps between blocks of eight stand out."""
    rng = np.random.default_rng(0)
    scene = cv2.GaussianBlur(rng.random((64, 64, 3), np.float32), (0, 0), 1.5)
    no(GRAIN=0.0, BLUR=0.0, QUALITY=(20, 21))
    steps = np.abs(np.diff(exposures(scene).astype(int), axis=2)).mean(axis=(0, 1, 3))
    borders = steps[7::8].mean() / np.delete(steps, np.s_[7::8]).mean()
    raw = np.abs(np.diff(scene, axis=1)).mean(axis=(0, 2))
    assert borders > 1.15 * raw[7::8].mean() / np.delete(raw, np.s_[7::8]).mean()


def test_quality_varies_over_photographs(no):
    drawn = []
    compress = camera.compress

    def spy(scene, quality):
        drawn.append(quality)
        return compress(scene, quality)

    no(compress=spy)
    exposures(GREY, 60)
    low, high = camera.QUALITY
    assert low <= min(drawn) < low + 8
    assert high - 8 < max(drawn) < high
