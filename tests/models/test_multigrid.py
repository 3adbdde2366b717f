"""The multigrid network's relative: who sees whom in the pyramid, and at which size."""

import pytest
import torch

from robust_lib.errors import InputError
from robust_lib.models.multigrid import Layer, Unit, halved, multigrid

IMAGES = torch.rand(2, 3, 48, 48, generator=torch.Generator().manual_seed(0))


def pyramid(channels=4, sides=(8, 4, 2)):
    generator = torch.Generator().manual_seed(0)
    return [torch.rand(1, channels, side, side, generator=generator) for side in sides]


def test_a_grid_is_made_of_itself_and_of_its_neighbours():
    torch.manual_seed(0)
    layer = Layer(4, 6, 3).eval()
    grids = [grid.requires_grad_() for grid in pyramid()]
    found = layer(grids)
    assert [tuple(one.shape) for one in found] == [(1, 6, 8, 8), (1, 6, 4, 4), (1, 6, 2, 2)]
    seen = [
        [one is not None for one in torch.autograd.grad(
            grid.sum(), grids, allow_unused=True, retain_graph=True
        )]
        for grid in found
    ]  # fmt: skip
    assert seen == [[True, True, False], [True, True, True], [False, True, True]]


def test_one_grid_is_an_ordinary_convolution():
    torch.manual_seed(0)
    layer = Layer(4, 6, 1).eval()
    (grid,) = pyramid(sides=(8,))
    torch.testing.assert_close(layer([grid])[0], layer.grids[0](grid))


def test_a_unit_adds_to_what_came_in():
    unit = Unit(4, 4, 3).eval()
    for part in unit.second.grids:
        torch.nn.init.zeros_(part[1].weight)
    grids = pyramid()
    assert all(map(torch.equal, unit(grids), grids))  # of which none is negative


def test_halving_takes_the_largest_and_keeps_odd_ends():
    features = torch.arange(9.0).view(1, 1, 3, 3)
    assert halved(features).flatten().tolist() == [4, 5, 7, 8]


def test_each_stage_halves_the_grids_and_doubles_the_channels():
    network = multigrid(10, depths=(1, 1), width=8).eval()
    shapes = []
    for stage in network.stages:
        stage[-1].register_forward_hook(
            lambda _, __, out: shapes.append([tuple(grid.shape[1:3]) for grid in out])
        )
    assert network(IMAGES).shape == (2, 10)
    assert shapes == [[(8, 12), (8, 6), (8, 3)], [(16, 6), (16, 3), (16, 2)]]


def test_every_parameter_learns():
    torch.manual_seed(0)
    network = multigrid(5)
    network(IMAGES).square().sum().backward()
    assert all(one.grad is not None and one.grad.any() for one in network.parameters())


def test_networks_without_grids_or_stages_are_refused():
    for settings in ({"grids": 0}, {"depths": ()}):
        with pytest.raises(InputError, match="grids and stages"):
            multigrid(10, **settings)
