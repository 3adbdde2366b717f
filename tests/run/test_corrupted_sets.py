"""Where corrupted images come from: made on the fly, or read from the archive."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from robust_book.chapters import inc_2_mce
from robust_lib import paths
from robust_lib.cache import Store
from robust_lib.config import manifests
from robust_lib.config.profiles import changed, load_profile
from robust_lib.datasets.decoded import Decoded
from robust_lib.datasets.imagenet_c import BENCHMARK, Archive, Corrupted
from robust_lib.errors import DataError, InputError
from robust_lib.models.adapter import wrap_callable
from robust_lib.models.contract import Classifier, fingerprint_of
from robust_lib.preprocessing import Preprocessing
from robust_lib.run import corrupted_sets, image_sets
from robust_lib.run.start import start
from tests import shards, tiny, toys, trees
from tests.looks import aged, counting


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return tiny.drawn(tmp_path_factory)


@pytest.fixture
def project(made, monkeypatch):
    return tiny.enter(made, monkeypatch)


@pytest.fixture
def store(project):
    return Store(project / "build" / "cache" / "store")


@pytest.fixture
def layouts(tmp_path, monkeypatch):
    folder = tiny.real_layouts(tmp_path)
    trees.class_folders(folder / "data" / "imagenet_val" / "val", per_class=1)
    trees.imagenet_c(folder / "data" / "imagenet_c", ["fog"])
    return tiny.enter(folder, monkeypatch)


def loaded(profile, role="imagenet_val", store=None):
    return image_sets.image_set(load_profile(profile), role, store or Store(paths.cache()))


def wrapped(answer, **changes):
    settings = {"outputs": 4, "preprocessing": Preprocessing(None, 64), "classes": "scenes"}
    return toys.Misbehaving(answer, **settings | changes)


def answers(images):
    return images.mean((2, 3))[:, [0, 0, 1, 2]]


def test_scenes_are_corrupted_on_the_fly(store):
    profile, images = load_profile("tiny"), loaded("tiny", store=store)
    source = corrupted_sets.corrupted(profile, images, {}, ["fog"])
    cell = source.cell("fog", 3)
    assert isinstance(cell, Corrupted)
    assert cell.base is images
    own = "jpeg85 at the network's own size"
    assert (source.name, source.storage, source.models) == ("scenes_val_c", own, None)
    memory = corrupted_sets.corrupted(changed(profile, storage="memory"), images, {}, ["fog"])
    assert memory.cell("fog", 3).storage == "memory"
    assert memory.storage == "memory at the network's own size"


def test_what_is_divided_by_published_errors_is_made_as_the_archive(layouts):
    """For networks of whatever filter and size, unless the profile asks for their own."""
    profile = changed(load_profile("full"), corrupted="generated", device="cpu")
    images = loaded("full")
    geometries = {
        "bilinear": Preprocessing(256, 224),
        "bicubic": Preprocessing(256, 224, "bicubic"),
        "large": Preprocessing(272, 240, "bicubic"),
        "fixed": Preprocessing(272, 240, "bicubic"),
    }

    def of_240(images):
        if images.shape[-1] != 240:
            raise AssertionError("Input height (224) doesn't match model (240).")
        return answers(images)

    models = {
        name: (
            wrapped(
                of_240 if name == "fixed" else answers,
                name=name,
                classes="imagenet_1k",
                preprocessing=geometry,
            ),
        )
        for name, geometry in geometries.items()
    }
    source = corrupted_sets.corrupted(profile, images, models, ["fog"])
    assert source.storage == "jpeg85 of 224 pixels, made as the archive"
    as_it_is, resized = "shown as stored and not at 240 pixels", "then resized to 240 pixels"
    assert source.resized == {"large": as_it_is, "fixed": resized}
    seen = {name: runs[0].preprocessing for name, runs in source.models.items()}
    assert seen == {
        "bilinear": Preprocessing(None, 224),
        "bicubic": Preprocessing(None, 224, "bicubic"),
        "large": Preprocessing(None, 224, "bicubic"),
        "fixed": Preprocessing(240, 240, "bicubic"),
    }
    cell = source.cell("fog", 3)
    assert np.array_equal(cell.read(2, seen["bicubic"]), cell.read(2, seen["bilinear"]))
    grid = corrupted_sets.grid(profile, images, models, ("fog",), None)
    cells = {name: grid.cells[name, "fog", 3][0] for name in models}
    assert cells["large"].ids == cells["fixed"].ids
    assert np.array_equal(cells["large"].confidence, cells["bicubic"].confidence)
    assert grid.convention("fog", model="bicubic") == source.storage
    for name, words in source.resized.items():
        assert grid.convention("fog", model=name) == f"{source.storage}, {words}"
    own = corrupted_sets.corrupted(changed(profile, geometry="network"), images, models, ["fog"])
    assert (own.storage, own.models) == ("jpeg85 at the network's own size", None)
    assert own.cell("fog", 3).digest != cell.digest


def test_what_is_not_the_benchmarks_own_is_noted(store, monkeypatch):
    small, images = load_profile("tiny"), loaded("tiny", store=store)
    as_archive, home = changed(small, geometry="archive"), paths.data() / "frost_by_pip"
    published = changed(small, normaliser="published", geometry="network")
    monkeypatch.setattr(corrupted_sets, "frost_to_draw", lambda: home)
    for profile, noted in ((small, ["frost"]), (as_archive, []), (published, [])):
        source = corrupted_sets.corrupted(profile, images, {}, ["fog", "frost"])
        assert list(source.notes) == noted
        assert source.cell("frost", 1).frost == (None if noted else home)


def test_pictures_of_a_folder_are_decoded_once_for_all_cells(layouts):
    values = {"corrupted": "generated", "geometry": "network"}
    profile = changed(load_profile("full"), **values, device="cpu")
    images = loaded("full")
    alike = {"a": (wrapped(answers),), "b": (wrapped(answers),)}
    base = corrupted_sets.corrupted(profile, images, alike, ["fog"]).cell("fog", 1).base
    assert isinstance(base, Decoded)
    assert base.digest == images.digest
    cropped = Preprocessing(None, 64)
    assert np.array_equal(base.read(2, cropped), images.read(2, cropped))
    fewer = (
        corrupted_sets.corrupted(changed(profile, limit=2), images, alike, ["fog"])
        .cell("fog", 1)
        .base
    )
    assert len(fewer) == 2
    assert set(fewer.ids) < set(images.ids)
    unlike = alike | {"c": (wrapped(answers, preprocessing=Preprocessing(256, 224)),)}
    assert corrupted_sets.corrupted(profile, images, unlike, ["fog"]).cell("fog", 1).base is images
    archives = changed(profile, geometry="archive")
    base = corrupted_sets.corrupted(archives, images, unlike, ["fog"]).cell("fog", 1).base
    assert base.preprocessing == BENCHMARK


def test_as_many_threads_decode_as_the_profile_says(layouts, monkeypatch):
    said = []

    def decode(shown, *_, workers):
        said.append(workers)
        return shown

    monkeypatch.setattr(corrupted_sets, "decode", decode)
    profile = changed(load_profile("full"), device="cpu")
    corrupted_sets.decoded_once(profile, loaded("full"), {"a": (wrapped(answers),)})
    assert said == [profile.workers] == [8]


def test_the_archive_is_read_as_it_is(layouts):
    profile, images = load_profile("full"), loaded("full")
    mine = wrapped(answers, name="mine", preprocessing=Preprocessing(256, 224))
    source = corrupted_sets.corrupted(profile, images, {"mine": (mine,)}, ["fog"])
    assert (source.name, source.storage) == ("imagenet_c", "archive")
    cell = source.cell("fog", 5)
    assert isinstance(cell, Archive)
    assert cell.name == "imagenet_c/fog/5"
    assert len({source.cell("fog", severity).digest for severity in range(1, 6)}) == 5
    stored = source.models["mine"][0]
    assert isinstance(stored, Classifier)
    assert stored.preprocessing == Preprocessing(None, 224)
    assert stored.fingerprint == fingerprint_of(mine)
    for attribute in ("name", "classes", "outputs"):
        assert getattr(stored, attribute) == getattr(mine, attribute)
    picture = torch.rand(2, 3, 8, 8)
    assert torch.equal(stored(picture), mine(picture))
    assert cell.read(0, stored.preprocessing).shape == (224, 224, 3)


def test_only_the_cells_that_are_asked_for_must_be_there(layouts):
    profile, images = load_profile("full"), loaded("full")
    corrupted_sets.corrupted(profile, images, {}, ["fog"])
    corrupted_sets.corrupted(profile, images, {}, [])  # clean pictures alone
    with pytest.raises(DataError, match=r"snow/\[1-5\].*5.*these.*found 0") as told:
        corrupted_sets.corrupted(profile, images, {}, ["fog", "snow"])
    assert "frost" not in str(told.value)


def test_the_archives_pictures_are_those_of_the_clean_sets_classes(layouts):
    """Networks of ImageNet-100 know a tenth of the classes, and count them from 0."""
    wnids = trees.WNIDS[1::2]
    rows = [f"{n},{2 * n + 1},{wnid},name of {wnid}\n" for n, wnid in enumerate(wnids)]
    table = layouts / "data_manifests" / "classes" / "imagenet_100.csv"
    table.write_text("index,imagenet,wnid,name\n" + "".join(rows), "utf-8")
    profile, images = load_profile("full"), loaded("full", "imagenet_100")
    cell = corrupted_sets.corrupted(profile, images, {}, ["fog"]).cell("fog", 5)
    assert (cell.classes, len(cell.class_names)) == ("imagenet_100", 2)
    assert cell.ids == images.ids
    assert cell.labels.tolist() == images.labels.tolist() == [0, 1]


def test_another_archive_has_other_predictions(layouts):
    """The manifest is part of a cell's digest: results of one release are none of another."""
    profile, images = load_profile("full"), loaded("full")
    first = corrupted_sets.corrupted(profile, images, {}, ["fog"]).cell("fog", 1).digest
    before = manifests.digest(manifests.load_dataset("imagenet_c"))
    tiny.change(layouts / "data_manifests" / "datasets" / "imagenet_c.yaml", title="Another")
    assert manifests.digest(manifests.load_dataset("imagenet_c")) != before
    assert corrupted_sets.corrupted(profile, images, {}, ["fog"]).cell("fog", 1).digest != first


NOWHERE = Store(Path("nowhere"))


@pytest.fixture
def asked(monkeypatch):
    """Which corruptions are asked of which source."""
    calls = []

    def corrupted(profile, images, models, corruptions):
        archives = profile.corrupted == "archive" or profile.as_archive
        calls.append((profile.corrupted, tuple(corruptions), archives))
        return SimpleNamespace(cell=None, name="c", storage="memory", notes=(), models={})

    def evaluate(models, images, cell, *, corruptions, severities, **_):
        return toys.grid(lambda *_: [True, False], models, corruptions, severities)

    monkeypatch.setattr(corrupted_sets, "corrupted", corrupted)
    monkeypatch.setattr(corrupted_sets, "evaluate", evaluate)
    return calls


def grid(mini, source, corruptions):
    profile = mini.model_copy(update={"corrupted": source})
    return corrupted_sets.grid(
        profile, toys.Swatches(), {"one": (toys.brightest(),)}, corruptions, NOWHERE
    )


@pytest.fixture
def mini():
    return load_profile("mini")


def test_all_is_made_here_where_there_is_no_archive(mini, asked):
    found = grid(mini, "generated", ("fog", "border"))
    assert asked == [("generated", ("fog", "border"), False)]
    assert found.corruptions == ("fog", "border")


def test_what_no_archive_holds_is_made_here(mini, asked):
    found = grid(mini, "archive", ("fog", "border"))
    assert sorted(asked) == [("archive", ("fog",), True), ("generated", ("border",), True)]
    assert set(found.corruptions) == {"fog", "border"}


def test_an_archive_that_holds_all_is_enough(mini, asked):
    grid(mini, "archive", ("fog", "snow"))
    assert asked == [("archive", ("fog", "snow"), True)]


def test_an_archive_that_holds_nothing_is_not_asked(mini, asked):
    assert grid(mini, "archive", ("border",)).corruptions == ("border",)
    assert asked == [("generated", ("border",), True)]


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
def test_flat_sorted_and_packed_validation_images_give_equal_bytes(
    tmp_path, monkeypatch, corrupted, limit
):
    """Flat as the archive unpacks, with the kit; sorted into class folders, or in shards."""
    by_layout = []
    for layout in ("flat", "sorted", "shards"):
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
        elif layout == "shards":
            (home / "val").rename(folder / "val")
            shards.webdataset(home, folder / "val")
            (folder / "data" / "imagenet_c").rename(folder / "c")
            for cell in (folder / "c").glob("*/*"):
                of = f"{cell.parent.name}/{cell.name}"
                shards.webdataset(folder / "data/imagenet_c", cell, shard=f"{of}/{{:06d}}.tar")
        by_layout.append(said(folder, monkeypatch, corrupted, limit))
    flat, in_folders, packed = by_layout
    assert len(flat) == 3
    assert flat == in_folders == packed


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
    one = wrap_callable(
        answers, "one", "imagenet_1k", Preprocessing(256, 224), 4, fingerprint="known"
    )
    asked = {"one": (one,)}

    def begin():
        images = image_sets.image_set(profile, "imagenet_val", store)
        return corrupted_sets.grid(profile, images, asked, ("fog",), store)

    store = Store(folder / "build" / "cache" / "store")
    first = begin()
    monkeypatch.setattr(Archive, "read", lambda *_: pytest.fail("predicted once more"))
    looks = counting(monkeypatch)
    again = begin()
    assert [runs[0].ids for runs in again.cells.values()] == [
        runs[0].ids for runs in first.cells.values()
    ]
    folders = 1 + len(trees.WNIDS)
    # And a few for each cell: its store's entry, its folder, the manifest; and the files that the
    # network's function is made of.
    assert looks["stat"] <= 5 * (folders + 12) + 3 * folders + 124
    # Not one a class folder; but one in each folder above them, where shards may lie.
    assert looks["scandir"] <= 8 + 2 * 2 + 7
    assert validation.exists()


def test_grids_of_other_images_or_severities_do_not_stand_together():
    chapters = ("inc_2_mce", "overlap_1_matrix")
    corrupted_sets.require_same(("a", (1, 3)), ("a", (1, 3)), chapters)
    for other in (("b", (1, 3)), ("a", (1, 2))):
        with pytest.raises(InputError, match=r"inc_2_mce.*overlap_1_matrix"):
            corrupted_sets.require_same(("a", (1, 3)), other, chapters)
