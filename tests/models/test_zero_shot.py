"""Models of open_clip: nearest description wins, shown pictures as the model says."""

import sys
from types import SimpleNamespace

import pytest
import torch

from robust_lib.errors import InputError, ModelError
from robust_lib.models import zero_shot
from robust_lib.preprocessing import Preprocessing

NAMES = ["red thing", "green thing", "blue thing"]
SHOWN = {"size": 8, "mean": (0.0, 0.0, 0.0), "std": (1.0, 1.0, 1.0), "interpolation": "bicubic"}


class Colours(torch.nn.Module):
    """Sees a picture's mean colour, and reads the first of three colours in a text."""

    def __init__(self):
        super().__init__()
        self.logit_scale = torch.nn.Parameter(torch.tensor(2.0))

    def encode_image(self, images, *, normalize):
        assert normalize
        return torch.nn.functional.normalize(images.mean((2, 3)), dim=1)


def described(network, *, tokenizer, classnames, templates):
    texts = [[template(name) for template in templates] for name in classnames]
    assert texts[1] == ["a green thing.", "the green thing."]
    return torch.eye(3)


@pytest.fixture
def library(monkeypatch):
    made = SimpleNamespace(
        IMAGENET_CLASSNAMES=NAMES,
        OPENAI_IMAGENET_TEMPLATES=(lambda name: f"a {name}.", lambda name: f"the {name}."),
        list_pretrained=lambda: [("RN50", "openai"), ("RN50", "yfcc15m")],
        create_model_and_transforms=lambda model, pretrained: (Colours(), None, None),
        get_tokenizer=lambda model: str,
        get_model_preprocess_cfg=lambda network: SHOWN,
        build_zero_shot_classifier=described,
    )
    monkeypatch.setitem(sys.modules, "open_clip", made)
    return made


def test_the_nearest_description_is_the_answer(library):
    model = zero_shot.load("open_clip/RN50@openai")
    assert (model.name, model.classes, model.outputs) == ("open_clip/RN50@openai", "imagenet_1k", 3)
    assert model.preprocessing == Preprocessing(8, 8, "bicubic")
    pictures = torch.zeros(3, 3, 8, 8)
    for place in range(3):
        pictures[place, place] = 0.5
    logits = torch.as_tensor(model(pictures))
    assert logits.argmax(1).tolist() == [0, 1, 2]
    assert logits.max().item() == pytest.approx(torch.tensor(2.0).exp().item(), rel=1e-5)


def test_squashed_pictures_are_squashed_here_too(library):
    library.get_model_preprocess_cfg = lambda network: SHOWN | {"resize_mode": "squash"}
    model = zero_shot.load("open_clip/RN50@openai")
    assert model.preprocessing == Preprocessing((8, 8), 8, "bicubic")


def test_what_is_not_known_is_refused_in_words(library, monkeypatch):
    with pytest.raises(InputError, match=r"RN50@openai, RN50@yfcc15m, but got RN50@mine"):
        zero_shot.load("open_clip/RN50@mine")
    library.get_model_preprocess_cfg = lambda network: SHOWN | {"resize_mode": "longest"}
    with pytest.raises(ModelError, match="8 x 8, longest, bicubic"):
        zero_shot.load("open_clip/RN50@openai")
    library.create_model_and_transforms = lambda model, pretrained: 1 / 0
    with pytest.raises(ModelError, match=r"load open_clip/RN50@openai.*division"):
        zero_shot.load("open_clip/RN50@openai")
    monkeypatch.setitem(sys.modules, "open_clip", None)
    with pytest.raises(ModelError, match="Install it: pip install open_clip_torch"):
        zero_shot.load("open_clip/RN50@openai")
