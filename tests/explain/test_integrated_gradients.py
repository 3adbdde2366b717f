"""Integrated gradients: known answers, completeness, captum's own, and shares by hand."""

import numpy as np
import pytest
import torch
from torch import nn

from robust_lib.errors import InputError
from robust_lib.explain.integrated_gradients import (
    elsewhere,
    integrated_gradients,
    pixels_of,
    share_inside,
    within,
)
from robust_lib.models.detectors.class_logits import fixed_places, logits_at
from tests.boxed import seeded, talkative


def picture(side=12, seed=0):
    return torch.rand(3, side, side, generator=torch.Generator().manual_seed(seed))


def network(smooth=True):
    bend = nn.Softplus if smooth else nn.ReLU
    return seeded(
        lambda: nn.Sequential(
            nn.Conv2d(3, 8, 3),
            bend(),
            nn.Conv2d(8, 8, 3, stride=2),
            bend(),
            nn.Flatten(),
            nn.LazyLinear(2),
        )
    )


def test_a_linear_answer_gives_weight_times_pixel():
    image, weight = picture(), torch.randn(3, 12, 12)
    found = integrated_gradients(lambda x: (x * weight).sum((1, 2, 3))[:, None], image, steps=1)
    assert found.values[0] == pytest.approx((image * weight).numpy(), abs=1e-6)


def test_a_polynomial_is_followed_without_error():
    """n nodes are exact to degree 2n - 1: the gradient of a fifth power needs three."""
    image = picture()
    found = integrated_gradients(lambda x: (x**5).sum((1, 2, 3))[:, None], image, steps=3)
    assert found.values[0] == pytest.approx((image**5).numpy(), abs=1e-5)
    coarse = integrated_gradients(lambda x: (x**5).sum((1, 2, 3))[:, None], image, steps=2)
    assert coarse.error[0] > 10 * found.error[0]


def test_where_memory_does_not_hold_a_batch_it_is_halved():
    image, module, seen = picture(), network(), []

    def narrow(pictures):
        seen.append(len(pictures))
        if len(pictures) > 2:
            raise torch.OutOfMemoryError
        return module(pictures)

    found = integrated_gradients(narrow, image, steps=12, batch=8)
    assert seen[:4] == [8, 4, 2, 2]
    np.testing.assert_allclose(
        found.values, integrated_gradients(module, image, steps=12).values, atol=1e-6
    )


def test_a_baseline_that_is_no_black():
    image = picture()
    grey = integrated_gradients(lambda x: x.sum((1, 2, 3))[:, None], image, baseline=0.5)
    assert grey.values[0] == pytest.approx(image.numpy() - 0.5, abs=1e-6)
    own = integrated_gradients(lambda x: x.sum((1, 2, 3))[:, None], image, baseline=image)
    assert not own.values.any()


def test_several_numbers_are_attributed_each_for_itself():
    image, model = picture(), network()
    both = integrated_gradients(model, image, steps=8)
    for place in range(2):
        alone = integrated_gradients(lambda x, at=place: model(x)[:, [at]], image, steps=8)
        assert both.values[place] == pytest.approx(alone.values[0], abs=1e-6)


def test_batches_change_nothing():
    image, model = picture(), network()
    whole = integrated_gradients(model, image, steps=10, batch=10)
    cut = integrated_gradients(model, image, steps=10, batch=3)
    assert whole.values == pytest.approx(cut.values, abs=1e-6)


@pytest.mark.parametrize("smooth", [True, False])
def test_what_captum_says(smooth):
    attr = pytest.importorskip("captum.attr")
    image, model = picture(), network(smooth)
    found = integrated_gradients(model, image, steps=32)
    for target in range(2):
        theirs, delta = attr.IntegratedGradients(model).attribute(
            image[None],
            baselines=0.0,
            target=target,
            n_steps=32,
            method="gausslegendre",
            return_convergence_delta=True,
        )
        assert np.abs(found.values[target] - theirs[0].detach().numpy()).max() < 1e-4
        missed = found.values[target].sum() - found.change[target]
        assert missed == pytest.approx(float(delta), abs=1e-4)


def test_what_captum_says_of_a_detectors_fixed_place():
    attr = pytest.importorskip("captum.attr")
    detector, image = talkative(), picture(64)
    boxes, classes, _ = (part[:1] for part in detector([image])[0])
    places = fixed_places(detector, image, boxes, classes)

    def asked(pictures):
        return logits_at(detector, pictures, places)[:, :, int(classes[0])]

    found = integrated_gradients(asked, image, steps=20)
    theirs = attr.IntegratedGradients(asked).attribute(
        image[None], baselines=0.0, target=0, n_steps=20, method="gausslegendre"
    )
    assert np.abs(found.values[0] - theirs[0].detach().numpy()).max() < 1e-4


def test_steps_are_doubled_until_the_error_is_small():
    image, model = picture(), network(smooth=False)
    rough = integrated_gradients(model, image, steps=2)
    tolerance = float(rough.error.max()) / 4
    found = within(model, image, steps=2, tolerance=tolerance, most=512)
    assert found.steps > 2
    assert found.error.max() <= tolerance
    assert within(model, image, steps=2, tolerance=0.0, most=9).steps == 8  # no more is allowed


def test_an_answer_that_does_not_change_has_no_complete_attribution():
    found = integrated_gradients(lambda x: 0 * x.sum((1, 2, 3))[:, None], picture())
    assert found.error[0] == 0
    around = integrated_gradients(
        lambda x: (x * (1 - x)).sum((1, 2, 3))[:, None], torch.ones(3, 4, 4)
    )
    assert around.change[0] == 0
    assert np.isfinite(around.error[0])


def test_shares_by_hand():
    heat = np.array([[1.0, -1.0, 4.0], [2.0, 0.0, -2.0]])
    box = np.array([[True, True, False], [True, False, False]])
    nobody = np.zeros_like(box)
    assert share_inside(heat, box, nobody) == pytest.approx(4 / 10)
    assert share_inside(heat, box, nobody, signed=True) == pytest.approx(2 / 4)
    other = np.array([[False, True, True], [False, False, False]])  # one pixel lies in both
    assert share_inside(heat, box, other) == pytest.approx(3 / 5)
    assert np.isnan(share_inside(0 * heat, box, nobody))
    assert np.isnan(share_inside(heat, box, ~nobody))


def test_evenly_spread_attribution_lies_in_a_box_by_its_area():
    box = pixels_of(np.array([2.0, 3.0, 7.0, 9.0]), 10, 10)
    assert box.sum() == 30
    assert share_inside(np.ones((10, 10)), box, np.zeros((10, 10), bool)) == pytest.approx(0.3)


def test_boxes_elsewhere_fill_the_picture_evenly():
    box = np.array([0.0, 0.0, 4.0, 4.0])
    rng = np.random.default_rng(0)
    times = np.mean([pixels_of(elsewhere(box, 8, 8, rng), 8, 8) for _ in range(400)], axis=0)
    assert times.sum() == pytest.approx(16, rel=0.1)
    assert times[3:5, 3:5].min() > times[0, 0]  # the middle lies in most of them
    assert elsewhere(np.array([0.0, 0.0, 8.0, 8.0]), 8, 8, rng).tolist() == [0, 0, 8, 8]


def test_impossible_paths_are_refused():
    with pytest.raises(InputError, match="at least 1"):
        integrated_gradients(lambda x: x.sum((1, 2, 3))[:, None], picture(), steps=0)
    with pytest.raises(InputError, match="shape"):
        integrated_gradients(
            lambda x: x.sum((1, 2, 3))[:, None], picture(), baseline=torch.zeros(3, 2, 2)
        )
