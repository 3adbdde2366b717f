"""Which pictures are shown, and what is written above them."""

from robust_book.chapters import galleries
from tests.protocols.nae.toys import masked
from tests.toys import AS_IS, Swatches

IMAGES = Swatches(count=12)
MASKED = masked("hard", {"net": 3}, images=12)


def test_the_surest_mistakes_come_first_and_no_class_twice_in_a_row_of_three():
    shown = galleries.mistakes(MASKED, IMAGES, network="net", geometry=AS_IS)
    assert len(shown.pictures) == 9  # what is right is not shown
    truths = [caption.split("\n")[0] for caption in shown.captions]
    for start in (0, 3, 6):
        assert set(truths[start : start + 3]) == set(IMAGES.class_names)
    sure = [float(caption.split()[-2]) for caption in shown.captions[::3]]
    assert sure == sorted(sure, reverse=True)
    assert "→" in shown.captions[0]


def test_what_an_out_of_distribution_picture_shows_its_id_alone_says():
    shown = galleries.out_of_distribution(MASKED, IMAGES, network="net", geometry=AS_IS)
    assert len(shown.pictures) == 12
    assert shown.captions[0].split("\n")[0] in ("candle", "key", "owl")
    assert galleries.depicted("n02783161/n13896217_1.JPEG") == "foreign"


def test_parts_follow_each_other():
    shown = galleries.mistakes(MASKED, IMAGES, network="net", geometry=AS_IS)
    both = shown.part(0, 2) + shown.part(2, 5)
    assert both.captions == shown.captions[:5]
    assert shown.part(20, 24).captions == shown.captions[-4:]  # there are nine
    assert shown.part(0, 30).captions == shown.captions


def test_a_figure_has_six_pictures_a_row():
    shown = galleries.mistakes(MASKED, IMAGES, network="net", geometry=AS_IS)
    axes = shown.figure().axes
    assert len(axes) == 9
    assert len({round(axis.get_position().y0, 6) for axis in axes}) == 2
    (answer,) = axes[0].texts
    assert f"{axes[0].get_title()}\n{answer.get_text()}" == shown.captions[0]
