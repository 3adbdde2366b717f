"""What decides the answers of a user's own network: each change is another fingerprint."""

import functools
import subprocess
import sys
from collections import OrderedDict

import numpy as np
import pytest
import torch
from torch import nn

from robust_lib.models import own_code
from robust_lib.models.adapter import TorchClassifier, wrap_callable
from robust_lib.models.contract import fingerprint_of
from robust_lib.models.detectors.torch_detector import TorchDetector
from robust_lib.models.wrappers import clahe
from robust_lib.preprocessing import Preprocessing

SCALE = 1.0
SIZE = Preprocessing(None, 8)


def scaled(images):
    return images * SCALE


class Net(nn.Module):
    shift = 0.0
    limit = 2.0  # no probe is as bright, so no probe tells of it

    def __init__(self):
        super().__init__()
        self.gain = 1.0
        self.loose = torch.ones(3)
        self.register_buffer("hidden", torch.ones(3), persistent=False)
        self.seen: list[int] = []
        self.calls = 0

    def forward(self, images):
        self.calls += 1
        self.seen.append(len(images))
        means = scaled(images).mean((2, 3)) * self.gain * self.loose * self.hidden + self.shift
        return torch.where(means > self.limit, -means, means)


class Boxes(nn.Module):
    def __init__(self):
        super().__init__()
        self.side = 4.0

    def forward(self, images):
        box = torch.tensor([[0.0, 0.0, self.side, self.side]])
        return [
            {"boxes": box, "labels": torch.tensor([1]), "scores": torch.tensor([0.5])}
            for _ in images
        ]


class Mine:
    """A class of the user's own that says of itself what it likes."""

    name, classes, outputs, fingerprint = "mine", "colours", 3, "first try"
    preprocessing = SIZE
    bias = 0.0

    def __call__(self, images):
        return images.mean((2, 3)) + self.bias


def own(module):
    return TorchClassifier(
        module=module, name="m", classes="colours", outputs=3, preprocessing=SIZE
    )


def detecting(module):
    return TorchDetector(module=module, name="d", classes="colours", outputs=3)


def upside_down(module, _, answer):
    return -answer


def test_two_of_one_code_are_known_alike_however_often_they_were_asked():
    """A counter and a list of what was seen change with each call, and decide nothing."""
    one, other = own(Net()), own(Net())
    first = one.fingerprint
    one(torch.rand(5, 3, 8, 8))
    assert first == one.fingerprint == other.fingerprint


@pytest.mark.parametrize(
    "change",
    [
        lambda net, patch: setattr(net, "gain", 2.0),
        lambda net, patch: setattr(net, "limit", 3.0),
        lambda net, patch: setattr(net, "loose", 2 * torch.ones(3)),
        lambda net, patch: net.hidden.mul_(2),
        lambda net, patch: net.register_forward_hook(upside_down),
        lambda net, patch: setattr(net, "forward", lambda images: images.mean((2, 3))),
        lambda net, patch: patch.setattr(Net, "shift", 1.0),
        lambda net, patch: patch.setattr(Net, "limit", 3.0),
        lambda net, patch: patch.setitem(globals(), "SCALE", 2.0),
        lambda net, patch: patch.setitem(globals(), "scaled", lambda images: images + 1),
    ],
)
def test_whatever_decides_an_answer_is_in_the_fingerprint(change, monkeypatch):
    model = own(Net())
    before = model.fingerprint
    change(model.module, monkeypatch)
    assert model.fingerprint != before


def test_a_hook_on_a_network_of_the_library_is_seen_and_its_own_code_is_not(monkeypatch):
    module = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten())
    model = TorchClassifier(
        module=module, name="m", classes="colours", outputs=3, preprocessing=SIZE, of_row=True
    )
    before = model.fingerprint
    assert own_code.own_code(module) == ""
    handle = module.register_forward_hook(upside_down)
    assert model.fingerprint != before
    handle.remove()
    monkeypatch.setattr(nn.Flatten, "forward", lambda self, images: images.flatten(1) + 1)
    assert model.fingerprint != before


def test_detectors_functions_and_wrappers_of_own_networks_follow_their_code_too(monkeypatch):
    boxes = detecting(Boxes())
    function = wrap_callable(lambda x: SCALE * x.mean((2, 3)), "f", "colours", SIZE)
    stated = wrap_callable(lambda x: SCALE * x.mean((2, 3)), "f", "c", SIZE, fingerprint="v1")
    part = wrap_callable(functools.partial(np.mean, axis=(2, 3)), "p", "colours", SIZE)
    behind = clahe(own(Net()))
    mine = Mine()
    models = [boxes, function, stated, behind, mine, part]
    before = [fingerprint_of(model) for model in models]
    assert before == [fingerprint_of(model) for model in models]
    boxes.module.side = 5.0
    monkeypatch.setitem(globals(), "SCALE", 2.0)
    monkeypatch.setattr(Mine, "bias", 1.0)
    after = [fingerprint_of(model) for model in models]
    assert [a == b for a, b in zip(before, after, strict=True)] == [False] * 5 + [True]


def test_a_key_is_the_same_in_another_process(tmp_path):
    (tmp_path / "net.py").write_text(
        "import torch\nfrom layers import Net\n"
        "from robust_lib import Preprocessing, TorchClassifier\n"
        "def build():\n    return TorchClassifier(module=Net(), name='m', classes='colours',\n"
        "        outputs=3, preprocessing=Preprocessing(None, 8))\n"
    )
    layers = tmp_path / "layers.py"
    text = (
        "import torch\nSIGN = 1\nKNOWN = {'a', 'b', 'c', 'd'}\n"
        "class Net(torch.nn.Module):\n    def forward(self, images):\n"
        "        return SIGN * images.mean((2, 3)) if 'a' in KNOWN else images\n"
    )
    name = f"{tmp_path}/net.py:build"
    code = f"from robust_lib.models.torch_models import load; print(load({name!r}).fingerprint)"

    def key():
        return subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True
        ).stdout

    layers.write_text(text)
    first = key()
    assert key() == first
    layers.write_text(text.replace("SIGN = 1", "SIGN = -1"))
    assert key() != first


def test_containers_and_objects_are_walked_by_what_they_hold():
    class Settings:
        def __init__(self, value):
            self.value, self.itself = value, self

    pairs = [
        (np.zeros(3), np.ones(3)),
        ([torch.zeros(2)], [torch.ones(2)]),
        ({"a": {1, 2}}, {"a": {1, 3}}),
        (OrderedDict(a=1), OrderedDict(a=2)),
        (Settings(1), Settings(2)),
        (functools.partial(scaled, 1), functools.partial(scaled, 2)),
        (Settings(1).__init__, Settings(2).__init__),
        ([nn.Linear(2, 2)], [nn.Linear(2, 2)]),
    ]
    for one, other in pairs:
        assert own_code.digest(one) == own_code.digest(one) != own_code.digest(other), one
