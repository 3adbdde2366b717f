"""Mistakes of a network: the surest, the commonest, and pictures whose crops it cannot agree on."""

import numpy as np
import torch

from robust_book.chapters import nae_2_imagenet_a as chapter
from robust_book.chapters.nae_2_imagenet_a import mistakes
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.predict.predictions import Predictions
from robust_lib.preprocessing import Preprocessing
from robust_lib.results.compare import compare
from tests.chapters.pages import page
from tests.protocols.nae.toys import masked
from tests.toys import AS_IS, Misbehaving, Swatches, brightest

IMAGES = Swatches(count=12)
MASKED = masked("hard", {"net": 3}, images=12)
FIRST = MASKED.predictions["net"][0]


def test_the_surest_mistake_is_a_row():
    (row,) = mistakes.results(MASKED, IMAGES, "net").rows
    assert row.dataset == "hard/surest"
    assert row.value == float(FIRST.confidence[~FIRST.correct].max())
    assert (row.n, row.n_full) == (9, 9)


def test_the_papers_picture_is_compared_with_candles_alone():
    """Not with the surest of all mistakes, which is a torch here."""
    images = Swatches(count=4, class_names=("candle", "jack-o'-lantern", "torch"))
    logits = np.array([[0, 2, 0], [0, 4, 0], [1, 0, 0], [9, 0, 0]], np.float32)
    labels = np.array([0, 0, 0, 2])
    said = Predictions.from_logits(
        logits, ids=images.ids, labels=labels, model="net", dataset="imagenet_a"
    )
    shown = MaskedPredictions("imagenet_a", 3, 3, {"net": (said,)}, {})
    rows = mistakes.results(shown, images, "net")
    assert rows.row(dataset="imagenet_a").value == float(said.confidence[1])
    assert rows.row(dataset="imagenet_a").n == 2
    assert rows.row(dataset="imagenet_a/surest").value == float(said.confidence[3])
    (verdict,) = compare(rows, "nae-fig7")
    assert verdict.ours == float(said.confidence[1])
    alone = rows.select(dataset="imagenet_a/surest")
    assert compare(alone, "nae-fig7")[0].verdict == "not comparable"


def test_a_network_without_mistakes_has_no_row():
    right = masked("hard", {"net": 12}, images=12)
    assert len(mistakes.results(right, IMAGES, "net")) == 0
    assert len(mistakes.confusion_frame(right, IMAGES, "net")) == 0


def test_confusions_are_counted_the_commonest_first():
    frame = mistakes.confusion_frame(MASKED, IMAGES, "net")
    assert frame["Times"].sum() == 9
    assert frame["Times"].is_monotonic_decreasing
    assert frame.iloc[0].tolist() == ["red", "green", 3]
    assert len(mistakes.confusion_frame(MASKED, IMAGES, "net", most=2)) == 2


def corner(images):
    """Says where in the crop the picture is brightest: left or right."""
    left, right = images[..., :7].mean((1, 2, 3)), images[..., 7:].mean((1, 2, 3))
    return torch.stack([left, right], 1)


def test_each_of_ten_crops_gets_its_prediction():
    model = Misbehaving(corner, outputs=2)
    model.preprocessing = Preprocessing(None, 16)
    found = mistakes.by_crop(model, IMAGES, limit=5, batch_size=2)
    assert len(found) == 5
    for index, predicted in found.items():
        picture = IMAGES.read(index, AS_IS)[1:15, 1:15]  # the central crop of 14 pixels
        seen = torch.from_numpy(picture.astype(np.float32)).permute(2, 0, 1)[None]
        assert predicted[4] == int(corner(seen).argmax())
        assert predicted[9] == int(corner(seen.flip(-1)).argmax())


def test_the_pictures_whose_crops_get_most_classes_are_shown():
    predicted = {3: [0] * 10, 5: [0, 1] * 5, 8: [0, 1, 2] * 3}
    found = mistakes.unstable(predicted, IMAGES, geometry=AS_IS, most=2)
    assert found.captions == ("blue\n3 predictions", "blue\n2 predictions")
    assert np.array_equal(found.pictures[0], IMAGES.read(8, AS_IS))


def test_a_runs_crops_are_those_of_the_first_seed():
    run = page(chapter, net=(brightest(preprocessing=Preprocessing(None, 16)), None)).run
    found = mistakes.crop_predictions(run, "net", limit=3)
    assert len(found) == 3
    assert all(len(predicted) == 10 for predicted in found.values())


def test_the_class_that_takes_in_most_others_is_shown_with_one_of_each():
    """Blue takes in two classes, red one, though red has more mistakes."""
    labels = np.array([0, 0, 1, 2, 2, 2, 1])
    predicted = np.array([2, 2, 2, 0, 0, 0, 1])
    logits = np.zeros((7, 3), np.float32)
    logits[np.arange(7), predicted] = [1, 3, 2, 9, 9, 9, 9]
    first = Predictions.from_logits(
        logits, ids=tuple("abcdefg"), labels=labels, model="net", dataset="hard"
    )
    told = MaskedPredictions("hard", 3, 3, {"net": (first,)}, {})
    found = mistakes.stretched(told, IMAGES, "net", geometry=AS_IS, most=5)
    assert [one.split(" ")[1] for one in found.captions] == ["blue", "blue"]
    assert [one.split("\n")[0] for one in found.captions] == ["red", "green"]
    assert np.array_equal(found.pictures[0], IMAGES.read(1, AS_IS))  # the surer of both reds


def test_a_network_without_mistakes_stretches_nothing():
    right = masked("hard", {"net": 12}, images=12)
    assert mistakes.stretched(right, IMAGES, "net", geometry=AS_IS, most=5).captions == ()
