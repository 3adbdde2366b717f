"""Style transfer in profile full: the public files of the networks that paint, and paintings."""

import json

import pytest

from robust_book.chapters.inc_5_auxiliary import style_transfer
from robust_book.page import Page
from robust_lib.errors import DataError, ModelError
from robust_lib.protocols.corruption_error import style_transfer as protocol
from robust_lib.run.start import start
from robust_lib.vocabulary import COMMON
from tests import tiny, trees


def layouts(folder):
    """ImageNet, its archive of corruptions, three paintings, and both networks' files."""
    tiny.real_layouts(folder)
    data = folder / "data"
    trees.class_folders(data / "imagenet_val" / "val", per_class=1)
    trees.imagenet_c(data / "imagenet_c", COMMON)
    trees.painters(data / "adain")
    for number in range(3):
        trees.save(data / "paintings" / "some" / f"{number}.jpg", number, 50, 36)


@pytest.fixture
def released(tmp_path_factory, monkeypatch):
    return tiny.enter(tiny.shared(tmp_path_factory, "stylised_full", layouts), monkeypatch)


def started():
    given = {"models": ["alexnet", "resnet18"], "severities": [4], "limit": 2, "device": "cpu"}
    return start(style_transfer.CORRUPTED, "full_trained", **given)


@pytest.mark.slow
def test_pictures_are_painted_and_judged(released, monkeypatch):
    monkeypatch.setattr(style_transfer, "SHOWN", 1)
    run = started()
    page = Page(run)
    grid, normaliser = style_transfer.corrupted(run)
    assert grid.convention("fog") == "archive"
    assert grid.convention("style_transfer").startswith("jpeg85 at the network's own size; ")
    assert "style_transfer: alexnet, measured on the same images" in normaliser.words
    rows = protocol.results(grid, normaliser, samples=50)
    style_transfer.errors(page, run, rows, grid, normaliser)
    style_transfer.restyled(page, run)
    page.save(rows, style_transfer.key_numbers(rows, run.paper_names))
    saved = json.loads((page.run.folder / "results" / "inc_2_mce.json").read_text("utf-8"))
    (item,) = saved["items"]
    assert item["item"] == "inc-claim-style"
    named = {row.dataset for row in rows.rows}
    assert named == {"imagenet_val", "imagenet_c", "imagenet_val_style_transfer"}
    assert len(rows.select(metric="error", corruption="style_transfer")) == 2


def test_missing_paintings_and_networks_are_named_before_anything_is_predicted(
    released, tmp_path, monkeypatch
):
    data = tiny.copy(released / "data", tmp_path / "data")
    monkeypatch.setenv("ROBUST_DATA", str(data))
    assert style_transfer.ready(started()).images.name == "imagenet_val"
    (data / "adain").rename(tmp_path / "networks")
    with pytest.raises(ModelError, match=r"decoder\.pth are not there"):
        style_transfer.ready(started())
    (data / "paintings").rename(tmp_path / "paintings")
    with pytest.raises(DataError, match="paintings"):
        style_transfer.ready(started())
