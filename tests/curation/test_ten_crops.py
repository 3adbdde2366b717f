"""Ten-crop answers: any crop counts, the centre first, the same in any chunk, and stored."""

import os
import subprocess
import sys

import numpy as np
import pytest
import torch

from robust_lib.cache import Store
from robust_lib.curation.filtration import adversarial_filter
from robust_lib.curation.ten_crops import as_filter
from robust_lib.errors import InputError, ModelError
from robust_lib.models.wrappers import ten_crop
from robust_lib.predict.classify import predict
from robust_lib.preprocessing import Preprocessing
from tests.curation.filters import FRAME, ROOT, RULE, Pages, dots, filters, same, seer
from tests.toys import Misbehaving, Swatches, brightest, unchecked


@pytest.mark.parametrize("chunk", [1, 13, 90, 512])
@pytest.mark.parametrize("batch_size", [1, 7, 64])
def test_neither_chunk_nor_batch_size_changes_a_decision(chunk, batch_size):
    plain = adversarial_filter(Swatches(45), filters(), **RULE)
    other = adversarial_filter(Swatches(45), filters(), chunk=chunk, batch_size=batch_size, **RULE)
    same(plain, other)


@pytest.mark.parametrize("corner", [(0, 0), (0, 15), (15, 0), (15, 15)])
def test_a_crop_that_is_right_anywhere_is_enough(corner):
    # A dot in a corner is in one crop of five, and in its mirror.
    data = Pages((corner, None, (8, 8)), np.array([1, 1, 1]))
    told = adversarial_filter(data, [seer()], confidence=0.9)
    assert told.steps == ("correct", "shortlisted", "correct")
    assert told.predicted.tolist() == [[-1], [0], [-1]]
    assert np.isnan(told.confidence[[0, 2]]).all()


def test_confidences_are_means_over_the_ten_crops():
    data, (model, *_) = Swatches(60), filters(4)
    told = adversarial_filter(data, [model], confidence=1.0, most=None)
    mean = predict(ten_crop(model, crop=14), data)
    left = [place for place, step in enumerate(told.steps) if step != "correct"]
    assert len(left) > 10
    assert np.array_equal(told.predicted[left, 0], mean.predicted[left])
    np.testing.assert_allclose(told.confidence[left, 0], mean.confidence[left], rtol=1e-4)
    truth = np.exp(mean.logits)[left, data.labels[left]]
    np.testing.assert_allclose(told.in_truth[left, 0], truth, rtol=1e-4)


@pytest.mark.usefixtures("unprobed")
def test_what_the_centre_gives_away_is_shown_no_further():
    shown = []

    def count(images):
        shown.append(len(images))
        return dots(images)

    data = Pages(((8, 8),) * 30 + (None,) * 2, np.ones(32, np.int64))
    adversarial_filter(data, [seer("one", count), seer("two", dots)], batch_size=8)
    assert sum(shown) == 32 + 9 * 2


@pytest.mark.usefixtures("unprobed")
@pytest.mark.parametrize(
    ("preprocessing", "crop", "side"),
    [
        (Preprocessing(None, 64), None, 56),
        (Preprocessing(256, 224), None, 224),
        (Preprocessing(64, 64), None, 56),
        (Preprocessing(64, None), None, 56),
        (Preprocessing(256, 224), 192, 192),
    ],
)
def test_the_side_of_a_crop(preprocessing, crop, side):
    sides = set()

    def see(images):
        sides.add(tuple(images.shape[2:]))
        return torch.zeros(len(images), 3)

    model = Misbehaving(see, preprocessing=preprocessing)
    frame = preprocessing.resize or preprocessing.crop
    adversarial_filter(Swatches(2, side=frame), [model], crop=crop)
    assert sides == {(side, side)}


@pytest.mark.usefixtures("unprobed")
def test_filters_of_two_frames_get_their_own_pictures():
    class Sized(Swatches):
        def read(self, index, preprocessing):
            side = preprocessing.crop
            return np.full((side, side, 3), 10 * index, np.uint8)

    seen = {"small": set(), "large": set()}

    def look(name):
        def answer(images):
            seen[name].add(images.shape[-1])
            return torch.zeros(len(images), 3)

        return answer

    models = [
        Misbehaving(look("small"), "small", preprocessing=Preprocessing(None, 16)),
        Misbehaving(look("large"), "large", preprocessing=Preprocessing(None, 32)),
    ]
    adversarial_filter(Sized(6), models)
    assert seen == {"small": {14}, "large": {28}}


def test_a_stored_result_is_read_back_and_other_thresholds_need_no_picture(tmp_path):
    log, store = tmp_path / "read", Store(tmp_path / "store")
    data = Swatches(30, log=log)
    first = adversarial_filter(data, filters(), store=store, chunk=8, **RULE)
    again = adversarial_filter(data, filters(), store=store, chunk=8, **RULE)
    assert (again.steps, again.settings) == (first.steps, first.settings)
    stricter = adversarial_filter(data, filters(), store=store, chunk=8, confidence=0.0, most=8)
    assert len(log.read_text().split()) == 30
    assert "confident" in stricter.steps
    assert "shortlisted" not in stricter.steps


@pytest.mark.parametrize(
    "other",
    [
        lambda store: adversarial_filter(Swatches(20), filters(11, 10), store=store),
        lambda store: adversarial_filter(Swatches(20), filters(), store=store, crop=12),
        lambda store: adversarial_filter(Swatches(20, side=18), filters(), store=store, crop=12),
        lambda store: adversarial_filter(Swatches(20), filters(10, 9), store=store),
    ],
    ids=["order of the filters", "crop", "pictures", "weights"],
)
def test_what_decides_an_answer_is_part_of_its_key(tmp_path, other):
    store = Store(tmp_path)
    adversarial_filter(Swatches(20), filters(), store=store)
    other(store)
    assert len(list(tmp_path.rglob("*.json"))) == 2


GROWTH = """
import resource
import numpy as np
from robust_lib.curation.filtration import adversarial_filter
from robust_lib.preprocessing import Preprocessing
from tests.toys import Misbehaving, Swatches
import torch

class Plain(Swatches):
    labels = property(lambda self: np.zeros(self.count, np.int64))
    digest = "plain"
    def read(self, index, preprocessing):
        return np.full((32, 32, 3), index % 256, np.uint8)

wrong = Misbehaving(lambda images: torch.tensor([[0.0, 9.0, 0.0]]).repeat(len(images), 1),
                    preprocessing=Preprocessing(None, 32))
for count in (1000, 20000):
    told = adversarial_filter(Plain(count), [wrong])
    assert len(told.places) == 15 and len(told) == count
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_memory_does_not_grow_with_the_pictures():
    done = subprocess.run(
        [sys.executable, "-c", GROWTH],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    small, large = (int(line) for line in done.stdout.split())
    pictures = 19000 * 32 * 32 * 3 / 1024  # kilobytes, at a byte a value
    assert large - small < 0.4 * pictures


def test_a_filter_that_breaks_its_contract_is_named():
    broken = Misbehaving(lambda images: torch.full((len(images), 3), torch.nan), name="broken",
                         preprocessing=FRAME)  # fmt: skip
    with unchecked(), pytest.raises(ModelError, match=r"broken.*returned NaN"):
        adversarial_filter(Swatches(), [broken])


def test_a_filter_is_a_classifier_with_a_frame_around_its_crops():
    found = as_filter(brightest(preprocessing=Preprocessing(64, 64)))
    assert (found.side, found.frame) == (56, Preprocessing(64, 64))
    with pytest.raises(InputError, match="receives images of None pixels"):
        as_filter(brightest())
    with pytest.raises(InputError, match=r"images.*16 pixels.*crops.*16"):
        as_filter(brightest(preprocessing=FRAME), crop=16)
