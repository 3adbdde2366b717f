"""detectron2's contract: kept by a stub, by a wrapped network of torchvision, and by the library.

The library itself is on no package index, so what needs it is left out where it is missing.
"""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from PIL import Image

from robust_lib.errors import InputError, ModelError
from robust_lib.models.detectors.contract import check_detector, probe_images
from robust_lib.models.detectors.detectron2_detector import Detectron2, wrap_detectron2
from robust_lib.models.detectors.torch_detector import TorchDetector
from tests import toys
from tests.boxed import Squares, brightest, seeded, talkative

ITS_WARNINGS = pytest.mark.filterwarnings("ignore")
RNG = np.random.default_rng(0)
PICTURE = torch.from_numpy(RNG.integers(0, 256, (3, 60, 90), dtype=np.uint8)) / 255


def instances(boxes, scores, classes):
    return {
        "instances": SimpleNamespace(
            pred_boxes=SimpleNamespace(tensor=torch.as_tensor(boxes, dtype=torch.float32)),
            scores=torch.as_tensor(scores, dtype=torch.float32),
            pred_classes=torch.as_tensor(classes, dtype=torch.int64),
        )
    }


class Stub(torch.nn.Module):
    """Finds the bright squares of what it is shown, by detectron2's contract."""

    def __init__(self):
        super().__init__()
        self.shown = []

    def forward(self, asked):
        self.shown = [tuple(one["image"].shape) for one in asked]
        return [self.one(**one) for one in asked]

    def one(self, image, height, width):
        assert image.dtype == torch.float32
        boxes, classes, scores = brightest(image.flip(0) / 255)  # blue came first
        across, down = width / image.shape[2], height / image.shape[1]
        return instances(boxes * np.array([across, down, across, down]), scores, classes)


class AsDetectron2(torch.nn.Module):
    """A network of torchvision behind detectron2's contract."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, asked):
        found = []
        for one in asked:
            (said,) = self.module([one["image"].flip(0) / 255])
            across = one["width"] / one["image"].shape[2]
            down = one["height"] / one["image"].shape[1]
            boxes = said["boxes"] * torch.tensor([across, down, across, down])
            found.append(instances(boxes, said["scores"], said["labels"] - 1))
        return found


def real():
    """Return a small Faster R-CNN of detectron2, with random weights, and its configuration."""
    pytest.importorskip("detectron2")
    from detectron2.config import get_cfg
    from detectron2.modeling import build_model

    stages, levels = ["res2", "res3", "res4", "res5"], ["p2", "p3", "p4", "p5", "p6"]
    settings = {
        "MODEL.DEVICE": "cpu",
        "MODEL.WEIGHTS": "",
        "MODEL.BACKBONE.NAME": "build_resnet_fpn_backbone",
        "MODEL.RESNETS.DEPTH": 18,
        "MODEL.RESNETS.RES2_OUT_CHANNELS": 64,
        "MODEL.RESNETS.OUT_FEATURES": stages,
        "MODEL.FPN.IN_FEATURES": stages,
        "MODEL.FPN.OUT_CHANNELS": 32,
        "MODEL.ANCHOR_GENERATOR.SIZES": [[16], [32], [48], [64], [96]],
        "MODEL.RPN.IN_FEATURES": levels,
        "MODEL.RPN.POST_NMS_TOPK_TEST": 40,
        "MODEL.ROI_HEADS.NAME": "StandardROIHeads",
        "MODEL.ROI_HEADS.IN_FEATURES": levels[:4],
        "MODEL.ROI_HEADS.SCORE_THRESH_TEST": 0.0001,
        "MODEL.ROI_BOX_HEAD.NAME": "FastRCNNConvFCHead",
        "MODEL.ROI_BOX_HEAD.NUM_FC": 2,
        "MODEL.ROI_BOX_HEAD.FC_DIM": 64,
        "MODEL.ROI_BOX_HEAD.POOLER_RESOLUTION": 7,
        "INPUT.MIN_SIZE_TEST": 96,
        "INPUT.MAX_SIZE_TEST": 160,
    }
    config = get_cfg()
    config.merge_from_list([part for pair in settings.items() for part in pair])

    def make():
        model = build_model(config).eval()
        torch.nn.init.normal_(model.roi_heads.box_predictor.cls_score.weight, std=0.5)
        return model

    return seeded(make), config


def wrapped(model, **settings):
    return wrap_detectron2(model, "wrapped", "colours", **{"outputs": 3} | settings)


@pytest.mark.parametrize("shorter", [None, 64, 100])
def test_a_stub_finds_what_there_is_where_it_is(shorter):
    data, stub = Squares(), Stub()
    model = wrapped(stub, shorter=shorter)
    check_detector(model)
    for place in range(len(data)):
        image = torch.from_numpy(data.read(place, toys.AS_IS)).permute(2, 0, 1) / 255
        ((boxes, classes, scores),) = model([image])
        expected = brightest(image)
        assert classes.tolist() == expected[1].tolist()
        np.testing.assert_allclose(boxes, expected[0], atol=1.5 if shorter else 0)
        np.testing.assert_allclose(scores, expected[2])
    assert stub.shown == [(3, shorter or 64, shorter or 64)]


@pytest.mark.parametrize("shorter", [None, 64])
def test_a_network_of_torchvision_says_the_same_by_either_contract(shorter):
    module = talkative().module
    plain = TorchDetector(module=module, name="plain", classes="colours", outputs=3)
    model = wrapped(AsDetectron2(module), shorter=shorter, least_score=plain.least_score)
    check_detector(model)
    image = (PICTURE * 255).round() / 255
    (one,), (other,) = plain([image]), model([image])
    assert len(one[2])
    if shorter is None:  # resized by Pillow, it sees other levels
        for mine, its in zip(one, other, strict=True):
            np.testing.assert_allclose(mine, its, atol=1e-3)


@pytest.mark.parametrize(
    ("height", "width", "expected"),
    [
        (480, 640, (800, 1067)),
        (640, 480, (1067, 800)),
        (300, 900, (444, 1333)),
        (96, 128, (800, 1067)),
    ],
)
def test_sides_are_those_of_resize_shortest_edge(height, width, expected):
    assert tuple(Detectron2(Stub()).levels(torch.zeros(3, height, width)).shape[1:]) == expected


def test_levels_are_those_of_a_file_that_pillow_resized():
    picture = Image.fromarray((PICTURE * 255).round().byte().permute(1, 2, 0).numpy())
    expected = np.asarray(picture.resize((60, 40), Image.Resampling.BILINEAR))[:, :, ::-1]
    shown = Detectron2(Stub(), shorter=40).levels(PICTURE)
    np.testing.assert_array_equal(shown.permute(1, 2, 0).numpy(), expected.astype(np.float32))
    as_read = Detectron2(Stub(), shorter=40, colours="RGB").levels(PICTURE)
    np.testing.assert_array_equal(as_read.flip(0), shown)


def test_classes_are_told_by_name_where_the_model_has_its_own_order():
    """The stub's class 0, red, is COCO's bench here; its others are no classes of COCO."""
    names = ["bench", *(f"thing {number}" for number in range(79))]
    with pytest.raises(InputError, match=r"80 classes.*among 81 categories"):
        wrap_detectron2(Stub(), "mine", "coco", categories=names)
    from robust_lib.config import class_lists

    ordered = sorted(class_lists.load_classes("coco").names)
    model = wrap_detectron2(Stub(), "mine", "coco", categories=ordered, shorter=None)
    data = Squares()
    image = torch.from_numpy(data.read(0, toys.AS_IS)).permute(2, 0, 1) / 255
    ((_, classes, _),) = model([image])
    named = class_lists.load_classes("coco").names
    assert [named[one] for one in classes] == [ordered[one] for one in brightest(image)[1]]


def test_the_fingerprint_knows_sizes_and_the_order_of_colours():
    prints = {
        wrapped(Stub(), **settings).fingerprint
        for settings in ({}, {"shorter": 600}, {"longer": 1000}, {"colours": "RGB"})
    }
    assert len(prints) == 4


def test_a_file_of_weights_is_no_model():
    with toys.unchecked(), pytest.raises(InputError, match=r"but got str. Build it .* never read"):
        wrapped("model_final_280758.pkl")


def test_models_that_find_no_boxes():
    class Segments(torch.nn.Module):
        def forward(self, asked):
            return [{"sem_seg": one["image"]} for one in asked]

    with pytest.raises(ModelError, match=r"`instances`.*dict .KeyError"):
        wrapped(Segments())([PICTURE])


@ITS_WARNINGS
def test_the_library_keeps_the_contract():
    model, _ = real()
    outputs = 80
    wrapped_ = wrapped(model, outputs=outputs, shorter=96, longer=160, least_score=0.0001)
    check_detector(wrapped_)
    assert len(wrapped_([PICTURE])[0][2])


@ITS_WARNINGS
def test_the_library_says_what_its_own_predictor_says():
    from importlib import import_module

    model, config = real()
    engine = import_module("detectron2.engine")
    predictor = engine.DefaultPredictor(config)
    predictor.model.load_state_dict(model.state_dict())
    ours = wrap_detectron2(model, "mine", "coco", shorter=96, longer=160, least_score=0.0001)
    for image in [*probe_images()[2:], PICTURE]:
        pixels = (image * 255).round().byte().permute(1, 2, 0).numpy()
        said = predictor(pixels[:, :, ::-1])["instances"]
        ((boxes, classes, scores),) = ours([image])
        assert len(scores) > 5
        np.testing.assert_allclose(scores, said.scores.numpy(), rtol=1e-5)
        np.testing.assert_allclose(boxes, said.pred_boxes.tensor.numpy(), atol=1e-3)
        np.testing.assert_array_equal(classes, said.pred_classes.numpy())


@ITS_WARNINGS
def test_classes_of_the_library_are_those_of_the_list():
    pytest.importorskip("detectron2")
    from detectron2.data import MetadataCatalog

    from robust_lib.config import class_lists

    named = MetadataCatalog.get("coco_2017_val").thing_classes
    assert tuple(named) == class_lists.load_classes("coco").names
