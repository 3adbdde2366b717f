"""Grids: what an archive holds comes from it, what none holds is made here, and both are one."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from robust_lib.cache import Store
from robust_lib.chapters import inc_2_mce
from robust_lib.config.profiles import load_profile
from robust_lib.run import grids
from robust_lib.run.start import start
from tests import tiny, toys, trees

NOWHERE = Store(Path("nowhere"))


@pytest.fixture
def asked(monkeypatch):
    """Which corruptions are asked of which source."""
    calls = []

    def corrupted(profile, images, models, corruptions):
        calls.append((profile.corrupted, tuple(corruptions)))
        return SimpleNamespace(cell=None, name="c", storage="memory", notes=(), models={})

    def evaluate(models, images, cell, *, corruptions, severities, **_):
        return toys.grid(lambda *_: [True, False], models, corruptions, severities)

    monkeypatch.setattr(grids.corrupted_sets, "corrupted", corrupted)
    monkeypatch.setattr(grids, "evaluate", evaluate)
    return calls


def grid(mini, source, corruptions):
    profile = mini.model_copy(update={"corrupted": source})
    return grids.grid(profile, toys.Swatches(), {"one": (toys.brightest(),)}, corruptions, NOWHERE)


@pytest.fixture
def mini():
    return load_profile("mini")


def test_all_is_made_here_where_there_is_no_archive(mini, asked):
    found = grid(mini, "generated", ("fog", "border"))
    assert asked == [("generated", ("fog", "border"))]
    assert found.corruptions == ("fog", "border")


def test_what_no_archive_holds_is_made_here(mini, asked):
    found = grid(mini, "archive", ("fog", "border"))
    assert sorted(asked) == [("archive", ("fog",)), ("generated", ("border",))]
    assert set(found.corruptions) == {"fog", "border"}


def test_an_archive_that_holds_all_is_enough(mini, asked):
    grid(mini, "archive", ("fog", "snow"))
    assert asked == [("archive", ("fog", "snow"))]


def test_an_archive_that_holds_nothing_is_not_asked(mini, asked):
    assert grid(mini, "archive", ("border",)).corruptions == ("border",)
    assert asked == [("generated", ("border",))]


def said(folder, monkeypatch, corrupted, limit):
    """The files of a real network's predictions on validation images and two of their cells."""
    tiny.enter(folder, monkeypatch)
    profiles = folder / "data_manifests" / "profiles"
    tiny.change(profiles / "full.yaml", corrupted=corrupted)
    run = start(
        inc_2_mce.CHAPTER, "full", models=["squeezenet1_1"], limit=limit, device="cpu",
        corruptions=["gaussian_noise"], severities=[2, 4],
    )  # fmt: skip
    grid = run.grid()
    for name, answers in (("clean", grid.clean), ("cells", grid.cells)):
        for key, (one,) in answers.items():
            one.save(folder / "said" / f"{name}-{key}.npz")
    return tiny.files(folder / "said")


@pytest.mark.slow
@pytest.mark.parametrize("corrupted", ["archive", "generated"])
@pytest.mark.parametrize("limit", [None, 2])
def test_flat_and_sorted_validation_images_give_equal_bytes(
    tmp_path, monkeypatch, corrupted, limit
):
    """Flat as the archive unpacks, with the kit; or sorted into class folders, without."""
    by_layout = []
    for layout in ("flat", "sorted"):
        folder = tiny.real_layouts(tmp_path / layout)
        home = folder / "data" / "imagenet_val"
        trees.class_folders(home / "val", per_class=1)
        trees.imagenet_c(folder / "data" / "imagenet_c", ["gaussian_noise"])
        if layout == "flat":
            # The kit's order of classes is not that of WordNet ids.
            trees.devkit(home, trees.KIT_ORDER, trees.WNIDS)
            for file in sorted((home / "val").rglob("*.JPEG")):
                file.rename(home / "val" / file.name)
            for wnid in trees.WNIDS:
                (home / "val" / wnid).rmdir()
        by_layout.append(said(folder, monkeypatch, corrupted, limit))
    flat, in_folders = by_layout
    assert len(flat) == 3
    assert flat == in_folders
