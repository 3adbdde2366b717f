"""Grids: what an archive holds comes from it, what none holds is made here, and both are one."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from robust_book.chapters import inc_2_mce
from robust_lib.cache import Store
from robust_lib.config.profiles import changed, load_profile
from robust_lib.datasets.imagenet_c import Archive
from robust_lib.errors import InputError
from robust_lib.preprocessing import Preprocessing
from robust_lib.run import grids, image_sets
from robust_lib.run.start import start
from tests import tiny, toys, trees
from tests.looks import aged, counting

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
@pytest.mark.parametrize(("corrupted", "limit"), [("archive", 2), ("generated", None)])
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


@pytest.mark.parametrize("pictures", [1, 9])
def test_a_warm_start_asks_once_a_folder_of_the_archive(tmp_path, monkeypatch, pictures):
    """All predictions are stored: what is left is to see that the pictures are those."""
    folder = tiny.enter(tiny.real_layouts(tmp_path), monkeypatch)
    count = pictures * len(trees.WNIDS)
    validation = trees.class_folders(folder / "data" / "imagenet_val" / "val", per_class=pictures)
    for severity in range(1, 6):
        cell = folder / "data" / "imagenet_c" / "fog" / str(severity)
        trees.class_folders(cell, per_class=pictures, side=224)
    aged(folder / "data")
    tiny.change(folder / "data_manifests" / "datasets" / "imagenet_val.yaml", images=count)
    archive = folder / "data_manifests" / "datasets" / "imagenet_c.yaml"
    tiny.change(archive, contents=[{"path": "fog/[1-5]", "images": count, "matches": 5,
                                    "folders": "imagenet_1k"}])  # fmt: skip
    profile = changed(load_profile("full"), device="cpu")
    asked = {"one": (toys.Misbehaving(
        lambda images: images.mean((2, 3))[:, [0, 0, 1, 2]],
        name="one", outputs=4, classes="imagenet_1k", preprocessing=Preprocessing(256, 224),
    ),)}  # fmt: skip

    def begin():
        images = image_sets.image_set(profile, "imagenet_val", store)
        return grids.grid(profile, images, asked, ("fog",), store)

    store = Store(folder / "build" / "cache" / "store")
    first = begin()
    monkeypatch.setattr(Archive, "read", lambda *_: pytest.fail("predicted once more"))
    looks = counting(monkeypatch)
    again = begin()
    assert [runs[0].ids for runs in again.cells.values()] == [
        runs[0].ids for runs in first.cells.values()
    ]
    folders = 1 + len(trees.WNIDS)
    # And a few for each cell: its store's entry, its folder, the manifest.
    assert looks["stat"] <= 5 * (folders + 12) + 3 * folders + 40
    assert looks["scandir"] <= 8  # and not one a folder
    assert validation.exists()


def test_grids_of_other_images_or_severities_do_not_stand_together():
    chapters = ("inc_2_mce", "overlap_1_matrix")
    grids.require_same(("a", (1, 3)), ("a", (1, 3)), chapters)
    for other in (("b", (1, 3)), ("a", (1, 2))):
        with pytest.raises(InputError, match=r"inc_2_mce.*overlap_1_matrix"):
            grids.require_same(("a", (1, 3)), other, chapters)
