"""R-FCN: which channel a cell votes with, against a slow loop; losses, answers, shapes."""

import itertools

import numpy as np
import pytest
import torch

from robust_lib.models.detectors import rfcn
from robust_lib.models.detectors.rfcn import ClassesAndShifts, vote
from tests.boxed import EMPTY, TARGET, positioned


def at(plane, y, x):
    """Read a plane between its pixels, whose values stand at their whole numbers."""
    y, x = (min(max(v, 0.0), side - 1.0) for v, side in zip((y, x), plane.shape, strict=True))
    top, left = int(y), int(x)
    bottom, right = min(top + 1, plane.shape[0] - 1), min(left + 1, plane.shape[1] - 1)
    dy, dx = y - top, x - left
    upper = (1 - dx) * plane[top, left] + dx * plane[top, right]
    lower = (1 - dx) * plane[bottom, left] + dx * plane[bottom, right]
    return (1 - dy) * upper + dy * lower


def slow_vote(maps, box, cells, stride):
    """Each cell of each answer looks at four points of its own plane, all by the book."""
    answers = maps.shape[0] // cells**2
    left, top, right, bottom = np.asarray(box) / stride - 0.5  # a pixel's value is at its middle
    height, width = (bottom - top) / cells, (right - left) / cells
    said = np.zeros(answers)
    for answer, row, column in itertools.product(range(answers), range(cells), range(cells)):
        plane = maps[answer * cells**2 + row * cells + column]
        points = [
            at(plane, top + (row + dy) * height, left + (column + dx) * width)
            for dy, dx in itertools.product((0.25, 0.75), repeat=2)
        ]
        said[answer] += np.mean(points) / cells**2
    return said


@pytest.mark.parametrize(("cells", "answers", "stride"), [(3, 5, 1), (2, 3, 4), (7, 2, 2)])
def test_every_cell_votes_with_its_own_map(cells, answers, stride):
    rng = np.random.default_rng(0)
    maps = rng.standard_normal((2, answers * cells**2, 16, 20))
    edge = np.array([20, 16, 20, 16]) * stride
    boxes = [
        np.sort(rng.random((2, 2, 2)), axis=1).reshape(2, 4) * edge * 0.9 + 0.05 * edge
        for _ in range(2)
    ]
    found = vote(
        torch.from_numpy(maps), [torch.from_numpy(one) for one in boxes], cells, stride
    ).numpy()
    slow = [slow_vote(maps[image], box, cells, stride) for image in (0, 1) for box in boxes[image]]
    np.testing.assert_allclose(found, slow, atol=1e-9)


def test_where_a_thing_is_not_centred_cells_disagree():
    """A map that is bright on the left: only boxes whose left cells lie there are voted for."""
    maps = torch.zeros(1, 4, 8, 8)
    maps[0, [0, 2], :, :4] = 1.0  # the left cells of two by two
    maps[0, [1, 3], :, 4:] = 1.0
    boxes = torch.tensor([[1.0, 1.0, 7.0, 7.0], [4.5, 1.0, 8.0, 7.0]])
    right, aside = vote(maps, [boxes], 2, 1)[:, 0].tolist()
    assert right > 0.9
    assert aside < 0.6


def test_a_shift_is_the_same_for_all_classes():
    scores, shifts = ClassesAndShifts(3)(torch.arange(14.0).view(2, 7))
    assert scores.tolist() == [[0, 1, 2], [7, 8, 9]]
    assert shifts.view(2, 3, 4).tolist() == [[[3, 4, 5, 6]] * 3, [[10, 11, 12, 13]] * 3]


def test_losses_by_name_that_reach_every_weight():
    network = positioned()
    losses = network([torch.rand(3, 64, 64), torch.rand(3, 64, 64)], [TARGET, EMPTY])
    assert set(losses) == {"loss_classifier", "loss_box_reg", "loss_objectness", "loss_rpn_box_reg"}
    torch.stack(list(losses.values())).sum().backward()
    assert [name for name, one in network.named_parameters() if one.grad is None] == []


def test_an_answer_has_boxes_inside_of_the_picture():
    network = positioned().eval()
    (found,) = network([torch.rand(3, 48, 80)])
    assert len(found["scores"])  # untrained, all classes are equally likely
    assert set(found["labels"].tolist()) <= {1, 2, 3}
    assert (found["boxes"][:, [0, 2]] <= 80).all()


def test_the_real_one_has_score_maps_of_seven_by_seven_cells():
    with torch.device("meta"):
        network = rfcn.real(30, "resnet101")
    assert network.roi_heads.box_roi_pool.maps.out_channels == (31 + 4) * 49
    assert network.backbone.out_channels == 1024
