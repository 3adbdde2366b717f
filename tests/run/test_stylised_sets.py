"""Style transfer of a run: one more corruption of its grid, painted by bands or by networks."""

import pytest
import torch

from robust_book.chapters import inc_2_mce
from robust_lib.config.profiles import load_profile
from robust_lib.datasets import batch
from robust_lib.errors import ModelError
from robust_lib.run import stylised_sets
from robust_lib.run.start import start
from robust_lib.style_transfer import networks
from tests import tiny, trees

FULL = load_profile("full").model_copy(update={"device": "cpu"})


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return tiny.drawn(tmp_path_factory)


def test_style_transfer_joins_the_corruptions_of_the_same_pictures(made, monkeypatch):
    tiny.enter(made, monkeypatch)
    run = start(inc_2_mce.CHAPTER, "tiny", corruptions=["fog"])
    grid = stylised_sets.grid(run)
    assert grid.corruptions == ("fog", "style_transfer")
    assert grid.corrupted == "scenes_val_c"
    said = {key[2]: one[0] for key, one in grid.cells.items() if key[1] == "style_transfer"}
    assert sorted(said) == [1, 2, 3, 4, 5]
    assert {one.ids for one in said.values()} == {grid.clean["alexnet_mini"][0].ids}
    bands = (
        "mean and spread of three opponent colours at five scales, alphas 0.2, 0.4, 0.6, 0.8, 1.0"
    )
    assert bands in grid.convention("style_transfer")
    clean = batch(run.images, [0, 1], run.geometry)
    moved = [
        float((stylised_sets.shown(run, s).batch([0, 1], run.geometry) - clean).abs().mean())
        for s in (1, 3, 5)
    ]
    assert moved == sorted(moved)


def test_the_networks_that_paint_are_read_and_used(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    trees.painters(tmp_path / "adain")
    paint = stylised_sets.transfer(FULL)
    content, style = torch.rand(2, 3, 32, 24), torch.rand(2, 3, 32, 24)
    encode, decode = networks.encoder(), networks.decoder()
    state = torch.load(tmp_path / "adain" / "vgg_normalised.pth", weights_only=True)
    encode.load_state_dict(networks.first_layers(state))
    decode.load_state_dict(torch.load(tmp_path / "adain" / "decoder.pth", weights_only=True))
    wanted = networks.restyled(content, style, 0.4, encode, decode)
    assert torch.allclose(paint.apply(content, style, 0.4), wanted)
    trees.painters(tmp_path / "adain", seed=1)
    assert stylised_sets.transfer(FULL).digest != paint.digest


@pytest.mark.parametrize("there", [(), ("decoder.pth",)])
def test_missing_networks_are_named_in_a_paragraph(there, tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    trees.painters(tmp_path / "adain")
    for name in {networks.ENCODER, networks.DECODER} - set(there):
        (tmp_path / "adain" / name).unlink()
    with pytest.raises(ModelError, match=r"vgg_normalised.pth.*Put"):
        stylised_sets.transfer(FULL)


def test_other_networks_are_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    trees.painters(tmp_path / "adain")
    torch.save(torch.nn.Linear(2, 2).state_dict(), tmp_path / "adain" / "decoder.pth")
    with pytest.raises(ModelError, match=r"decoder\.pth"):
        stylised_sets.transfer(FULL)
