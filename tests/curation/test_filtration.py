"""Filtration: each step by hand, the slow reference, and the same however it is run or killed."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter

import numpy as np
import pytest
import torch

from robust_lib.cache import Store
from robust_lib.curation import decisions
from robust_lib.curation.filtration import adversarial_filter, anomalous_filter
from robust_lib.errors import InputError
from robust_lib.models.class_subset import select
from robust_lib.predict.classify import predict
from tests.curation.filters import FRAME, ROOT, RULE, Pages, filters, seer
from tests.reference import filtration as reference
from tests.toys import Misbehaving, Swatches, brightest, convolutional


@pytest.mark.parametrize("seeds", [(10, 11), (11, 10), (4, 5), (2, 3), (0,), (10, 4, 7)])
def test_steps_are_those_of_the_slow_reference(seeds):
    data, models = Swatches(60), filters(*seeds)
    expected = reference.imagenet_a(data, models, 14, **RULE)
    assert list(adversarial_filter(data, models, **RULE).steps) == expected


def test_the_reference_is_tried_on_every_step():
    found = Counter(adversarial_filter(Swatches(90), filters(), **RULE).steps)
    assert set(found) == {"correct", "confident", "confusion", "shortlisted"}
    assert min(found.values()) >= 8


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


# The store.


RUN = """
import sys
from pathlib import Path
from robust_lib.cache import Store
from robust_lib.curation import decisions
from robust_lib.curation.filtration import adversarial_filter
from tests.curation.filters import RULE, filters
from tests.toys import Swatches
folder = Path(sys.argv[1])
data = Swatches(30, log=folder / "read", seconds=float(sys.argv[2]))
told = adversarial_filter(
    data, filters(), store=Store(folder / "store"), batch_size=4, chunk=8, **RULE
)
decisions.save(told, folder / "manifest.csv")
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
    decisions.save(undisturbed, tmp_path / "undisturbed.csv")
    manifests = [tmp_path / "manifest.csv", tmp_path / "undisturbed.csv"]
    assert manifests[0].read_bytes() == manifests[1].read_bytes()


# ImageNet-O's rule.


def sure(*shares):
    """A classifier that prefers class 1 with the share of the picture's number."""
    turns = iter(shares)

    def answer(images):
        rows = [[(1 - s) / 2, s, (1 - s) / 2] for s in (next(turns) for _ in images)]
        return torch.log(torch.tensor(rows))

    return Misbehaving(answer, preprocessing=FRAME)


@pytest.mark.usefixtures("unprobed")
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


@pytest.mark.usefixtures("unprobed")
def test_the_rule_of_imagenet_o_asks_among_all_of_the_networks_classes():
    """A known answer: of four classes the set's are the last and the second, in this order."""
    shares = ((0.1, 0.7, 0.1, 0.1), (0.7, 0.1, 0.1, 0.1), (0.02, 0.03, 0.05, 0.9))
    turns = iter(shares)

    def answer(images):
        return torch.log(torch.tensor([next(turns) for _ in images]))

    model = Misbehaving(answer, preprocessing=FRAME, outputs=4)
    two = Swatches(3, classes="two", class_names=("red", "green"))
    told = anomalous_filter(two, model, outputs=(3, 1), confidence=0.6)
    assert told.steps == ("shortlisted", "unconfident", "shortlisted")
    assert told.confidence[:, 0] == pytest.approx([0.7, 0.1, 0.9])
    assert told.predicted[[0, 2], 0].tolist() == [1, 0]


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
        (Swatches(), filters(1, 1), {}, "with different names, but got net1, net1"),
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
        (Swatches(), filters(), {"crop": 16}, "images of 16 pixels and the crops would have 16"),
        (Swatches(), [brightest()], {}, "receives images of None pixels"),
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
