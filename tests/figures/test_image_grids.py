"""Pictures as files: small, and close to what they show."""

import io

import numpy as np
import pytest
from PIL import Image

from robust_book.chapters.inc_1_corruptions import showcase
from robust_book.figures import image_grids, style
from robust_lib.errors import InputError
from tests.figures.drawn import apart, extents, saved


@pytest.fixture(scope="module")
def picture():
    return showcase.photograph("china")


def test_a_file_is_small_and_looks_like_the_picture(picture):
    file = image_grids.webp(picture)
    shown = np.asarray(Image.open(io.BytesIO(file)))
    assert len(file) < len(image_grids.png(picture)) / 5
    assert shown.shape == picture.shape
    assert np.abs(shown.astype(int) - picture).mean() < 6


def test_noise_still_looks_like_noise(picture):
    """What is saved by forgetting must not be the corruption itself."""
    (noisy,) = showcase.gallery(picture, ["gaussian_noise"], 3)
    shown = np.asarray(Image.open(io.BytesIO(image_grids.webp(noisy)))).astype(float)

    def grain(seen):
        return np.diff(seen.astype(float).mean(-1), axis=1).std()

    assert 0.85 < grain(shown) / grain(noisy) < 1.1
    assert grain(shown) > 1.5 * grain(picture)


def test_corruptions_stand_under_their_names(picture):
    figure = image_grids.corruptions([picture] * 2, ["jpeg_compression", "fog"], columns=2)
    assert [axis.get_title() for axis in figure.axes] == ["JPEG", "Fog"]


def pictures(count):
    return [np.full((8, 8, 3), 20 * i, np.uint8) for i in range(count)]


@pytest.mark.parametrize(("count", "columns", "rows"), [(6, 3, 2), (7, 3, 3), (1, 1, 1), (4, 5, 1)])
def test_pictures_stand_in_rows_with_their_captions(count, columns, rows):
    captions = [f"picture {i}" for i in range(count)]
    figure = image_grids.grid(pictures(count), captions, columns=columns)
    assert len(figure.axes) == count
    assert len({round(axis.get_position().y0, 6) for axis in figure.axes}) == rows
    used = [axis for axis in figure.axes if axis.images]
    assert [axis.get_title() for axis in used] == captions
    for axis, picture in zip(used, pictures(count), strict=True):
        assert np.array_equal(axis.images[0].get_array(), picture)
        assert axis.images[0].get_interpolation() == "none"
    assert not any(axis.axison for axis in figure.axes)
    saved(figure)


def test_a_wrong_answer_is_red_below_its_truth_in_ink_and_neighbours_do_not_touch():
    long = "musical keyboard\n\N{RIGHTWARDS ARROW} an extraordinarily long traffic light 100 %"
    figure = image_grids.grid(pictures(6), [long, "hat", long] * 2, columns=3, size=1.3)
    wrong, right = figure.axes[0], figure.axes[1]
    (answer,) = wrong.texts
    assert answer.get_text().startswith("\N{RIGHTWARDS ARROW}")
    assert answer.get_color() == style.WRONG
    assert wrong.title.get_color() != style.WRONG
    assert wrong.title.get_text().split() == ["musical", "keyboard"]
    assert not right.texts
    written = [text for axis in figure.axes for text in (axis.title, *axis.texts)]
    boxes = extents(figure, written)
    answers = [
        box for box, text in zip(boxes, written, strict=True) if text in answer_texts(figure)
    ]
    assert apart(answers)
    below = figure.axes[0].get_window_extent()
    assert all(not box.overlaps(below) for box in extents(figure, figure.axes[3].texts))


def answer_texts(figure):
    return [text for axis in figure.axes for text in axis.texts]


@pytest.mark.parametrize(("size", "pixels"), [(1.3, 64), (0.95, 48), (2.4, 224), (1.6, 32)])
def test_pictures_are_drawn_at_whole_multiples_of_their_pixels(size, pixels):
    some = [np.zeros((pixels, pixels, 3), np.uint8)] * 3
    figure = image_grids.grid(some, ["a", "b", "c"], columns=3, size=size)
    saved(figure)
    for axis in figure.axes:
        width = axis.get_position().width * figure.get_figwidth() * image_grids.DOTS
        height = axis.get_position().height * figure.get_figheight() * image_grids.DOTS
        assert width == pytest.approx(height)
        assert width / pixels == pytest.approx(round(width / pixels))
        assert width <= size * image_grids.DOTS


def test_without_captions_pictures_take_less_room():
    bare = image_grids.grid(pictures(4), [""] * 4, columns=2)
    captioned = image_grids.grid(pictures(4), ["a"] * 4, columns=2)
    assert bare.get_figheight() < captioned.get_figheight()


@pytest.mark.parametrize(("count", "captions"), [(2, ["a"]), (1, ["a", "b"]), (0, [])])
def test_captions_of_another_number_and_no_pictures_are_refused(count, captions):
    with pytest.raises(InputError, match=f"got {len(captions)} for {count} images"):
        image_grids.grid(pictures(count), captions, columns=2)


def test_a_picture_as_a_file_is_the_picture():
    picture = np.random.default_rng(0).integers(0, 256, (5, 7, 3), dtype=np.uint8)
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(image_grids.png(picture)))), picture)


def test_withheld_pictures_are_grey_and_maps_of_numbers_stay(picture):
    figure = image_grids.grid([picture, picture], ["owl", "hat"], columns=2)
    numbers = np.eye(3)
    figure.axes[1].imshow(numbers)
    assert image_grids.withhold(figure)
    first, second, heat = (image for axis in figure.axes for image in axis.images)
    for one in (first, second):
        assert one.get_array().shape == picture.shape
        assert set(np.unique(one.get_array())) <= {205, 235}
    assert np.array_equal(heat.get_array(), numbers)
    assert [axis.get_title() for axis in figure.axes] == ["owl", "hat"]
