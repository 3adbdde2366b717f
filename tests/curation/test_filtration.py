"""Filtration: each step by hand, the slow reference, and the same however it is run or killed."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch

from robust_lib.cache import Store
from robust_lib.curation import manifest_file
from robust_lib.curation.filtration import adversarial_filter, anomalous_filter
from robust_lib.errors import InputError, ModelError
from robust_lib.models.class_subset import select
from robust_lib.models.wrappers import ten_crop
from robust_lib.predict.classify import predict
from robust_lib.preprocessing import Preprocessing
from tests.reference import filtration as reference
from tests.toys import Misbehaving, Swatches, brightest, convolutional, unchecked

ROOT = Path(__file__).resolve().parents[2]
FRAME = Preprocessing(None, 16)
RULE = {"confidence": 0.3, "most": 8}  # under which the two filters use every step


def filters(*seeds):
    return [convolutional(f"net{seed}", seed, FRAME) for seed in seeds or (10, 11)]


def same(one, other):
    assert one.steps == other.steps
    assert np.array_equal(one.predicted, other.predicted)
    for column in ("confidence", "in_truth"):
        np.testing.assert_allclose(getattr(one, column), getattr(other, column), rtol=1e-5)


@dataclass(frozen=True, eq=False)
class Pages:
    """Pictures of 16 pixels that are black but for one given pixel each."""

    pixels: tuple[tuple[int, int] | None, ...]
    labels: np.ndarray
    name: str = "pages"
    digest: str = "pages"
    classes: str = "two"
    class_names: tuple[str, ...] = ("blank", "dot")

    @property
    def ids(self):
        return tuple(f"page{number}" for number in range(len(self.pixels)))

    def __len__(self):
        return len(self.pixels)

    def read(self, index, preprocessing):
        picture = np.zeros((16, 16, 3), np.uint8)
        if self.pixels[index] is not None:
            picture[self.pixels[index]] = 255
        return picture


def dots(images):
    """Say "dot" where any pixel is bright."""
    bright = images.flatten(1).amax(1)
    return torch.stack([0.5 - bright, bright - 0.5], 1) * 20


def seer(name="seer", answer=dots, outputs=2):
    return Misbehaving(answer, name=name, outputs=outputs, preprocessing=FRAME)


@pytest.mark.parametrize("seeds", [(10, 11), (11, 10), (4, 5), (2, 3), (0,), (10, 4, 7)])
def test_steps_are_those_of_the_slow_reference(seeds):
    data, models = Swatches(60), filters(*seeds)
    expected = reference.imagenet_a(data, models, 14, **RULE)
    assert list(adversarial_filter(data, models, **RULE).steps) == expected


def test_the_reference_is_tried_on_every_step():
    found = Counter(adversarial_filter(Swatches(90), filters(), **RULE).steps)
    assert set(found) == {"correct", "confident", "confusion", "shortlisted"}
    assert min(found.values()) >= 8


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


def test_either_filter_may_be_right():
    blind = seer("blind", lambda images: torch.tensor([[20.0, 0.0]]).repeat(len(images), 1))
    data = Pages(((8, 8), None), np.array([1, 1]))
    for models in ([seer(), blind], [blind, seer()]):
        assert adversarial_filter(data, models).steps == ("correct", "shortlisted")


def leaning(name, share):
    """Give the class "dot" a probability, whatever is shown."""
    logits = torch.log(torch.tensor([[1 - share, share]]))
    return seer(name, lambda images: logits.repeat(len(images), 1))


def test_either_filters_confidence_in_the_truth_is_enough():
    data = Pages((None,), np.array([1]))
    low, high = leaning("low", 0.14), leaning("high", 0.16)
    assert adversarial_filter(data, [low]).steps == ("shortlisted",)
    assert adversarial_filter(data, [low, high]).steps == ("confident",)
    assert adversarial_filter(data, [high, low]).steps == ("confident",)
    assert adversarial_filter(data, [low, high], confidence=0.17).steps == ("shortlisted",)


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


def test_a_confusion_is_kept_as_often_as_allowed_first_come():
    data = Pages((None,) * 5 + ((8, 8),) * 3, np.array([1, 1, 1, 1, 1, 0, 0, 1]))
    told = adversarial_filter(data, [seer()], most=2)
    kept = ("shortlisted", "shortlisted", "confusion", "confusion", "confusion")
    assert told.steps == (*kept, "shortlisted", "shortlisted", "correct")
    assert adversarial_filter(data, [seer()], most=None).places == (0, 1, 2, 3, 4, 5, 6)


def test_the_first_filter_names_the_confusion():
    data = Pages((None,) * 4, np.array([2, 2, 2, 2]), class_names=("a", "b", "c"))
    turns = iter(range(100))

    def alternate(images):  # the class changes from picture to picture, shown one by one
        return torch.eye(3)[[next(turns) // 10 % 2]] * 20

    def steady(images):
        return torch.tensor([[20.0, 0.0, 0.0]]).repeat(len(images), 1)

    first, other = seer("first", alternate, 3), seer("other", steady, 3)
    told = adversarial_filter(data, [first, other], most=2, batch_size=1)
    assert told.predicted.tolist() == [[0, 0], [1, 0], [0, 0], [1, 0]]
    assert told.steps == ("shortlisted",) * 4
    told = adversarial_filter(data, [other, seer("next", steady, 3)], most=2)
    assert told.steps == ("shortlisted",) * 2 + ("confusion",) * 2


def test_what_the_centre_gives_away_is_shown_no_further():
    shown = []

    def count(images):
        shown.append(len(images))
        return dots(images)

    data = Pages(((8, 8),) * 30 + (None,) * 2, np.ones(32, np.int64))
    adversarial_filter(data, [seer("one", count), seer("two", dots)], batch_size=8)
    assert sum(shown) == 32 + 9 * 2


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


# The store.


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


RUN = """
import sys
from pathlib import Path
from robust_lib.cache import Store
from robust_lib.curation import manifest_file
from robust_lib.curation.filtration import adversarial_filter
from tests.curation.test_filtration import RULE, filters
from tests.toys import Swatches
folder = Path(sys.argv[1])
data = Swatches(30, log=folder / "read", seconds=float(sys.argv[2]))
told = adversarial_filter(
    data, filters(), store=Store(folder / "store"), batch_size=4, chunk=8, **RULE
)
manifest_file.save(told, folder / "manifest.csv")
"""


def test_a_killed_run_goes_on_where_it_was_and_ends_with_the_same_decisions(tmp_path):
    command = [sys.executable, "-c", RUN, str(tmp_path)]
    settings = {"cwd": ROOT, "env": {**os.environ, "PYTHONPATH": str(ROOT)}}
    process = subprocess.Popen([*command, "0.05"], **settings)
    deadline = time.monotonic() + 120
    while len(list((tmp_path / "store").rglob("*.json"))) < 2:
        assert process.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline, "the run stored no chunk"
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "manifest.csv").exists()
    read_before = len((tmp_path / "read").read_text().split())
    assert 16 <= read_before < 30

    subprocess.run([*command, "0"], check=True, **settings)
    read = (tmp_path / "read").read_text().split()[read_before:]
    assert read == list(Swatches().ids[16:])  # two chunks of eight were there
    undisturbed = adversarial_filter(Swatches(30), filters(), batch_size=4, chunk=8, **RULE)
    manifest_file.save(undisturbed, tmp_path / "undisturbed.csv")
    manifests = [tmp_path / "manifest.csv", tmp_path / "undisturbed.csv"]
    assert manifests[0].read_bytes() == manifests[1].read_bytes()


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


# ImageNet-O's rule.


def sure(*shares):
    """A classifier that prefers class 1 with the share of the picture's number."""
    turns = iter(shares)

    def answer(images):
        rows = [[(1 - s) / 2, s, (1 - s) / 2] for s in (next(turns) for _ in images)]
        return torch.log(torch.tensor(rows))

    return Misbehaving(answer, preprocessing=FRAME)


def test_the_confident_ones_are_kept_first_come():
    told = anomalous_filter(Swatches(5), sure(0.9, 0.5, 0.81, 0.95, 0.79), most=2)
    steps = ("shortlisted", "unconfident", "shortlisted", "repeated", "unconfident")
    assert told.steps == steps
    assert told.predicted[:, 0].tolist() == [1] * 5
    assert told.labels.tolist() == [-1] * 5
    assert {one.truth for one in told} == {None}
    funnel = told.funnel()
    assert funnel.columns.tolist() == ["candidates", "confident", "shortlisted"]
    assert funnel.loc["total"].tolist() == [5, 3, 2]
    assert funnel.loc["green"].tolist() == [5, 3, 2]


def test_without_a_cap_all_confident_ones_are_kept():
    model = convolutional(preprocessing=FRAME)
    told = anomalous_filter(Swatches(60), model, confidence=0.6, chunk=7)
    said = predict(model, Swatches(60))
    assert list(told.places) == np.flatnonzero(said.confidence >= 0.6).tolist()
    assert 0 < len(told.places) < 60


def test_the_rule_of_imagenet_o_is_stored(tmp_path):
    data, model = Swatches(20, log=tmp_path / "read"), convolutional(preprocessing=FRAME)
    for threshold in (0.5, 0.9):
        anomalous_filter(data, model, confidence=threshold, store=Store(tmp_path / "store"))
    assert len((tmp_path / "read").read_text().split()) == 20


# Wrong input.


class Unlabelled(Swatches):
    labels = property(lambda self: np.full(self.count, -1))


@pytest.mark.parametrize(
    ("data", "models", "changes", "told"),
    [
        (Swatches(), [], {}, "at least one classifier to filter with"),
        (Swatches(), filters(1, 1), {}, "of different names, but got net1, net1"),
        (
            Swatches(),
            [select(filters(1)[0], [0, 1], "two")],
            {},
            "net1 to have 3 outputs, the classes of swatches, but it has 2",
        ),
        (Swatches(), filters(), {"confidence": 15.0}, "from 0 to 1, but got 15.0. .* 15 % is 0.15"),
        (Swatches(), filters(), {"confidence": float("nan")}, "from 0 to 1, but got nan"),
        (Swatches(), filters(), {"most": 0}, "at least 1, but got 0, 512 and 64"),
        (Swatches(), filters(), {"chunk": 0}, "at least 1, but got 15, 0 and 64"),
        (Swatches(), filters(), {"batch_size": 0}, "at least 1, but got 15, 512 and 0"),
        (Swatches(0), filters(), {}, "to have candidates, but it has none"),
        (Unlabelled(), filters(), {}, "labels from 0 to 2 in swatches, but swatch0 has -1"),
        (Swatches(), filters(), {"crop": 16}, "pictures of 16 pixels and the crops would have 16"),
        (Swatches(), [brightest()], {}, "sees pictures of None pixels"),
    ],
)
def test_wrong_input_is_refused_before_a_picture_is_read(data, models, changes, told, monkeypatch):
    monkeypatch.setattr(Swatches, "read", lambda *_: pytest.fail("a picture was read"))
    with pytest.raises(InputError, match=told):
        adversarial_filter(data, models, **changes)


@pytest.mark.parametrize(
    ("changes", "told"),
    [({"confidence": -0.1}, "from 0 to 1"), ({"most": 0}, "at least 1"), ({"chunk": 0}, "1")],
)
def test_wrong_input_of_the_other_rule(changes, told):
    with pytest.raises(InputError, match=told):
        anomalous_filter(Swatches(), convolutional(preprocessing=FRAME), **changes)
    with pytest.raises(InputError, match="has 2"):
        anomalous_filter(Swatches(), seer())


def test_a_filter_that_breaks_its_contract_is_named():
    broken = Misbehaving(lambda images: torch.full((len(images), 3), torch.nan), name="broken",
                         preprocessing=FRAME)  # fmt: skip
    with unchecked(), pytest.raises(ModelError, match="from broken, but it returned NaN"):
        adversarial_filter(Swatches(), [broken])
