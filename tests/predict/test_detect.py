"""The loop of detectors: right boxes, the same however it is run; killed, it goes on."""

import numpy as np
import pytest
import torch

from robust_lib.cache import Store
from robust_lib.datasets.vid_boxes import flat
from robust_lib.errors import CacheError, InputError, ModelError
from robust_lib.metrics.boxes import Truth
from robust_lib.metrics.detection import mean_average_precision
from robust_lib.predict import detect as loop
from robust_lib.predict.classify import choose, predict
from robust_lib.predict.detect import detect, detect_all
from tests import toys
from tests.boxed import FAMILIES, Saying, Squares, boxes_of, brightest, family, talkative


def seeing(name="seeing", **changes):
    return Saying(brightest, name=name, **changes)


def same(one, other):
    for name in ("images", "classes", "boxes", "scores"):
        first, second = (getattr(found.detections, name) for found in (one, other))
        if not np.array_equal(first, second):
            return False
    return one.ids == other.ids


def test_boxes_are_those_of_the_objects_in_the_data_sets_order():
    data = Squares(count=20)
    found = detect(seeing(), data)
    assert (found.model, found.dataset, found.ids) == ("seeing", "squares", data.ids)
    assert mean_average_precision(Truth(*flat(data.annotations)), found.detections, 0.5) > 0.9
    assert len(found) == 20
    assert found.convention == "scores from 0.05, at most 100 boxes per image"
    assert 4 not in found.detections.images  # every fifth picture is empty


@pytest.mark.parametrize("batch_size", [1, 7, 64])
@pytest.mark.parametrize("chunk", [3, 512])
def test_batches_and_chunks_change_nothing(batch_size, chunk):
    whole = detect(seeing(), Squares())
    assert same(whole, detect(seeing(), Squares(), batch_size=batch_size, chunk=chunk))


def test_a_network_is_asked_as_a_function_is():
    model = talkative()
    one, other = (detect(model, Squares(8), batch_size=size) for size in (8, 3))
    assert len(one.detections.scores)
    assert len(one.detections.scores) == len(other.detections.scores)
    np.testing.assert_allclose(
        np.sort(one.detections.scores), np.sort(other.detections.scores), atol=1e-4
    )


class Mixed(Squares):
    """Squares of which every second picture is wider, and every third lower, than the others."""

    def read(self, index, preprocessing):
        picture = super().read(index, preprocessing)
        wide = np.concatenate([picture, picture[:, :16]], 1) if index % 2 else picture
        return wide[:40] if index % 3 == 0 else wide


class Turned(Mixed):
    """The same images in another order."""

    @property
    def ids(self):
        return super().ids[::-1]

    def read(self, index, preprocessing):
        return super().read(len(self) - 1 - index, preprocessing)


@pytest.mark.parametrize("name", FAMILIES)
def test_sizes_of_the_other_pictures_and_the_order_move_boxes_by_rounding_alone(name):
    model, settings = family(name), {"least_score": 0.001, "most": 20}
    alone = detect(model, Mixed(9), batch_size=1, **settings)
    together = detect(model, Mixed(9), batch_size=9, **settings)
    turned = detect(model, Turned(9), batch_size=4, **settings)
    assert len(alone.detections.scores) > 20
    for found, images in ((together, np.arange(9)), (turned, np.arange(9)[::-1])):
        for place, image in enumerate(images):
            expected = alone.detections.scores[alone.detections.images == place]
            scores = found.detections.scores[found.detections.images == image]
            np.testing.assert_allclose(scores, expected, atol=1e-4)


def test_the_surest_boxes_are_kept_in_order():
    rows = [(0, 0, 8, 8, 0, 0.04), (0, 0, 9, 9, 1, 0.3), (0, 0, 7, 7, 2, 0.9), (0, 0, 6, 6, 0, 0.3)]
    model = Saying(lambda _: boxes_of(*rows))
    found = detect(model, Squares(1)).detections
    assert found.classes.tolist() == [2, 1, 0]
    assert detect(model, Squares(1), most=1).detections.classes.tolist() == [2]
    assert len(detect(model, Squares(1), least_score=0.0).detections.scores) == 4


def test_every_image_is_read_once_for_all_detectors(tmp_path):
    data = Squares(10, log=tmp_path / "read")
    found = detect_all([seeing("a"), seeing("b")], data, batch_size=4)
    assert list(found) == ["a", "b"]
    assert sorted((tmp_path / "read").read_text().split()) == sorted(data.ids)


def test_stored_boxes_are_read_back_without_touching_an_image(tmp_path):
    data, store = Squares(10, log=tmp_path / "read"), Store(tmp_path / "store")
    first = detect(seeing(), data, cache=store, chunk=4)
    again = detect(seeing(), data, cache=store, chunk=4)
    assert len((tmp_path / "read").read_text().split()) == 10
    assert same(first, again)
    assert len(list((tmp_path / "store").rglob("*.json"))) == 1  # the chunks are gone


def test_what_decides_boxes_is_part_of_the_key(tmp_path):
    store = Store(tmp_path)
    for settings in ({}, {"most": 2}, {"least_score": 0.5}, {"limit": 5}):
        detect(seeing(), Squares(10), cache=store, **settings)
    detect(seeing(fingerprint="other"), Squares(10), cache=store)
    assert len(list(tmp_path.rglob("*.json"))) == 5


def test_a_run_that_was_killed_goes_on_where_it_was(tmp_path):
    store, log = Store(tmp_path / "store"), tmp_path / "read"
    known = {"seeing": "the network that dies"}  # one that dies is of other code

    def run(answer):
        return detect_all(
            [Saying(answer, name="seeing")], Squares(12, log=log), cache=store, chunk=4,
            batch_size=2, fingerprints=known,
        )["seeing"]  # fmt: skip

    def dying(image):
        if len(log.read_text().split()) > 8:
            raise KeyboardInterrupt
        return brightest(image)

    with pytest.raises(KeyboardInterrupt):
        run(dying)
    log.unlink()
    found = run(brightest)
    assert len(log.read_text().split()) == 4  # two chunks were there
    assert same(found, detect(seeing(), Squares(12)))


def test_a_damaged_entry_is_an_error(tmp_path):
    store = Store(tmp_path)
    detect(seeing(), Squares(), cache=store)
    (arrays,) = tmp_path.rglob("*.npz")
    arrays.write_bytes(arrays.read_bytes()[:-20])
    with pytest.raises(CacheError, match="to recompute it"):
        detect(seeing(), Squares(), cache=store)


def test_a_limit_takes_the_images_that_classifiers_are_shown():
    data = Squares(12)
    found = detect(seeing(), data, limit=5)
    assert found.ids == tuple(data.ids[place] for place in choose(data.ids, 5))


def test_images_without_boxes_are_counted():
    found = detect(Saying(lambda _: boxes_of()), Squares(6), chunk=2)
    assert len(found) == 6
    assert found.detections.boxes.shape == (0, 4)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (boxes_of((1, 2, np.nan, 4, 0, 0.5)), "NaN or infinity"),
        (boxes_of((1, 2, 3, 4, 3, 0.5)), "class 3, which is not one of 0 to 2"),
        ((np.zeros((2, 4)), np.zeros(1, int), np.zeros(1)), r"boxes \(2, 4\)"),
        (None, "NoneType in place of"),
    ],
)
def test_a_bad_answer_names_the_model_and_the_image(answer, told):
    seen = []

    def third(image):
        seen.append(image)
        return answer if len(seen) == 3 else brightest(image)

    with pytest.raises(ModelError, match=f"from saying for image square2 of squares, .*{told}"):
        detect(Saying(third), Squares(4))


def test_too_few_answers():
    class Short(Saying):
        def __call__(self, images):
            return super().__call__(images)[1:]

    with pytest.raises(ModelError, match=r"return 4 predictions.*begins"):
        detect(Short(brightest), Squares(4))


def test_a_detector_that_leaves_out_what_is_asked_for():
    with pytest.raises(InputError, match=r"scores.*0\.05.*below 0\.2"):
        detect(seeing(least_score=0.2), Squares())
    with pytest.raises(InputError, match="all but 10"):
        detect(seeing(most=10), Squares())


def test_detectors_and_classifiers_are_not_mixed_up():
    with toys.unchecked():
        with pytest.raises(InputError, match="Expected detectors, but brightest is not one"):
            detect(toys.brightest(), Squares())
        with pytest.raises(InputError, match="Expected classifiers, but seeing is not"):
            predict(seeing(), Squares())


def test_impossible_settings():
    for settings in ({"batch_size": 0}, {"chunk": 0}, {"limit": 0}, {"most": 0}):
        with pytest.raises(InputError, match="of at least 1"):
            detect(seeing(), Squares(), **settings)
    with pytest.raises(InputError, match="least_score in"):
        detect(seeing(), Squares(), least_score=1.5)
    with pytest.raises(InputError, match="different names"):
        detect_all([seeing(), seeing()], Squares())
    with pytest.raises(InputError, match="to have images"):
        detect(seeing(), Squares(0))


def test_the_format_is_part_of_the_key(tmp_path, monkeypatch):
    store = Store(tmp_path)
    detect(seeing(), Squares(3), cache=store)
    monkeypatch.setattr(loop, "FORMAT", 2)
    detect(seeing(), Squares(3), cache=store)
    assert len(list(tmp_path.rglob("*.json"))) == 2


class Small(Saying):
    """A detector on a device whose memory holds three images."""

    def __call__(self, images):
        if len(images) > 3:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return super().__call__(images)


def test_a_batch_that_memory_does_not_hold_is_shown_in_parts():
    assert same(detect(Small(brightest), Squares(), batch_size=10), detect(seeing(), Squares()))
