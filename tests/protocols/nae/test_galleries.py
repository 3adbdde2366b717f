"""Which pictures are shown, and what is written above them."""

import numpy as np
import torch

from robust_lib import preprocessing
from robust_lib.chapters.nae import galleries
from tests.protocols.nae.answers import asked
from tests.toys import AS_IS, Misbehaving, Swatches

IMAGES = Swatches(count=12)
ASKED = asked("hard", {"net": 3}, images=12)
FIRST = ASKED.predictions["net"][0]


def test_the_surest_mistakes_come_first_and_no_class_twice_in_a_row_of_three():
    shown = galleries.hard(ASKED, IMAGES, network="net", geometry=AS_IS)
    assert len(shown.pictures) == 9  # what is right is not shown
    truths = [words.split("\n")[0] for words in shown.words]
    for start in (0, 3, 6):
        assert set(truths[start : start + 3]) == set(IMAGES.class_names)
    sure = [float(words.split()[-2]) for words in shown.words[::3]]
    assert sure == sorted(sure, reverse=True)
    assert "→" in shown.words[0]


def test_foreign_pictures_are_told_by_their_ids_alone():
    shown = galleries.foreign(ASKED, IMAGES, network="net", geometry=AS_IS)
    assert len(shown.pictures) == 12
    assert shown.words[0].split("\n")[0] in ("candle", "key", "owl")
    assert galleries.truth("n02783161/n13896217_1.JPEG") == "foreign"


def test_parts_follow_each_other():
    shown = galleries.hard(ASKED, IMAGES, network="net", geometry=AS_IS)
    both = shown.part(0, 2) + shown.part(2, 5)
    assert both.words == shown.words[:5]
    assert shown.part(20, 24).words == shown.words[-4:]  # there are nine
    assert shown.part(0, 30).words == shown.words


def test_confusions_are_counted():
    pairs = galleries.confusions(ASKED, IMAGES, "net")
    assert sum(count for _, _, count in pairs) == 9
    assert pairs == sorted(pairs, key=lambda pair: -pair[2])


def corner(images):
    """Says where in the crop the picture is brightest: left or right."""
    left, right = images[..., :7].mean((1, 2, 3)), images[..., 7:].mean((1, 2, 3))
    return torch.stack([left, right], 1)


def test_ten_answers_are_those_to_ten_crops():
    model = Misbehaving(corner, outputs=2)
    model.preprocessing = preprocessing.Preprocessing(None, 16)
    found = galleries.ten_answers(model, IMAGES, limit=5, batch_size=2)
    assert len(found) == 5
    for place, answers in found.items():
        picture = IMAGES.read(place, AS_IS)[1:15, 1:15]  # the central crop of 14 pixels
        seen = torch.from_numpy(picture.astype(np.float32)).permute(2, 0, 1)[None]
        assert answers[4] == int(corner(seen).argmax())
        assert answers[9] == int(corner(seen.flip(-1)).argmax())
    shown = galleries.fickle(found, IMAGES, geometry=AS_IS, most=2)
    assert len(shown.pictures) == 2
    assert "answers" in shown.words[0]


def test_the_surest_wrong_answer_is_a_row():
    (row,) = galleries.surest(ASKED, "net").rows
    assert row.value == float(FIRST.confidence[~FIRST.correct].max())
    right = asked("hard", {"net": 12}, images=12)
    assert len(galleries.surest(right, "net")) == 0
