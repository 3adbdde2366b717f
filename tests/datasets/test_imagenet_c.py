import io
from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image

from robust_lib import vocabulary
from robust_lib.corruptions import corrupt, frost_textures
from robust_lib.datasets import batch
from robust_lib.datasets.decoded import decode
from robust_lib.datasets.image_folder import ImageFolder
from robust_lib.datasets.imagenet_c import (
    BENCHMARK,
    Archive,
    Corrupted,
    as_stored,
    authors_frost,
    corrupt_stack,
    frost_to_draw,
    noted,
)
from robust_lib.errors import DataError, FetchError, InputError
from robust_lib.preprocessing import Preprocessing
from tests import trees
from tests.reference.peer import frost_folder
from tests.trees import WNIDS

SMALL = Preprocessing(40, 32)
STORED = Preprocessing(None, 224)


@pytest.fixture
def base(tmp_path):
    return ImageFolder(trees.class_folders(tmp_path / "val"), trees.class_list())


def noise(n: int, height: int, width: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (n, height, width, 3), dtype=np.uint8)


def pillow_jpeg(picture: np.ndarray, quality: int) -> np.ndarray:
    file = io.BytesIO()
    # As the authors saved the archive: `optimize` changes the coding, not the pixels.
    Image.fromarray(picture).save(file, "JPEG", quality=quality, optimize=True)
    return np.asarray(Image.open(file))


@pytest.mark.parametrize("name", vocabulary.NAMES)
def test_storage_is_the_only_difference_between_the_two_conventions(name):
    pictures = np.stack([np.asarray(trees.picture(seed, 48, 40)) for seed in range(2)])
    stored = corrupt_stack(pictures, name, 3, ids=["a", "b"])
    exact = corrupt_stack(pictures, name, 3, ids=["a", "b"], storage="memory")
    assert (stored.dtype, exact.dtype) == (np.uint8, np.float32)
    images = torch.from_numpy(pictures).permute(0, 3, 1, 2).float() / 255
    direct = corrupt(images, name, 3, keys=["a", "b"]).permute(0, 2, 3, 1).numpy()
    np.testing.assert_array_equal(exact, direct)
    levels = np.trunc(exact * np.float32(255)).astype(np.uint8)
    expected = np.stack([pillow_jpeg(picture, 85) for picture in levels])
    np.testing.assert_array_equal(stored, expected)


def test_the_seed_and_the_ids_decide_the_randomness():
    pictures = noise(2, 32, 32)

    def corrupted(ids, seed=0):
        return corrupt_stack(pictures, "gaussian_noise", 1, ids=ids, seed=seed, storage="memory")

    np.testing.assert_array_equal(corrupted(["a", "b"]), corrupted(["a", "b"]))
    assert (corrupted(["a", "b"])[1] != corrupted(["a", "c"])[1]).any()
    assert (corrupted(["a", "b"]) != corrupted(["a", "b"], seed=1)).any()
    with pytest.raises(InputError, match=r"per image.*1.*2"):
        corrupted(["a"])
    with pytest.raises(Exception, match="jpeg85"):
        corrupt_stack(pictures, "fog", 1, ids=["a", "b"], storage="png")


@pytest.mark.parametrize("storage", ["jpeg85", "memory"])
def test_a_picture_does_not_depend_on_its_batch(base, storage):
    noisy = Corrupted(base, "shot_noise", 2, storage=storage)
    together = batch(noisy, [6, 1, 3], SMALL)
    for place, index in enumerate([6, 1, 3]):
        np.testing.assert_array_equal(together[place], batch(noisy, [index], SMALL)[0])
    assert together.dtype == torch.float32


def test_the_picture_to_look_at_is_the_one_of_the_batch(base):
    jpeg = Corrupted(base, "frost", 4)
    levels = (batch(jpeg, [2], SMALL)[0] * 255).round().to(torch.uint8).permute(1, 2, 0)
    np.testing.assert_array_equal(jpeg.read(2, SMALL), levels.numpy())
    memory = Corrupted(base, "frost", 4, storage="memory")
    levels = (batch(memory, [2], SMALL)[0] * 255).to(torch.uint8).permute(1, 2, 0)
    np.testing.assert_array_equal(memory.read(2, SMALL), levels.numpy())


def test_corrupting_decoded_pictures_gives_the_same(base, tmp_path):
    ready = decode(base, SMALL, tmp_path / "store")
    ours = batch(Corrupted(ready, "impulse_noise", 5, seed=3), [0, 7], SMALL)
    theirs = batch(Corrupted(base, "impulse_noise", 5, seed=3), [0, 7], SMALL)
    np.testing.assert_array_equal(ours.numpy(), theirs.numpy())
    assert Corrupted(ready, "fog", 1).digest == Corrupted(base, "fog", 1).digest


def test_the_digest_names_all_that_decides_the_pixels(base, tmp_path):
    small = ImageFolder(tmp_path / "val", trees.class_list(), limit=4)
    sets = [
        Corrupted(base, "fog", 3),
        Corrupted(base, "snow", 3),
        Corrupted(base, "fog", 4),
        Corrupted(base, "fog", 3, seed=1),
        Corrupted(base, "fog", 3, storage="memory"),
        Corrupted(base, "fog", 3, geometry=BENCHMARK),
        Corrupted(base, "fog", 3, geometry=replace(BENCHMARK, interpolation="bicubic")),
        Corrupted(small, "fog", 3),
    ]
    assert len({one.digest for one in sets}) == len(sets)
    assert base.digest not in {one.digest for one in sets}
    assert Corrupted(base, "fog", 3, device="cpu").digest == sets[0].digest


def test_the_digest_of_frost_names_its_textures(base, monkeypatch):
    textures = frost_textures.textures()
    digests = set()
    for canonical in (True, False):
        other = frost_textures.Textures(textures.pictures, canonical)
        monkeypatch.setattr("robust_lib.corruptions.textures", lambda other=other: other)
        digests.add(Corrupted(base, "frost", 3).digest)
    assert len(digests) == 2


def test_frost_of_a_folder_is_that_of_the_data_folder(base, monkeypatch, tmp_path):
    if (folder := frost_folder()) is None:
        pytest.skip("needs the imagecorruptions package, which holds the frost textures")
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    indices, seen = range(len(base)), Preprocessing(64, 64)
    stood_in = Corrupted(base, "frost", 3)
    drawn, digest = stood_in.batch(indices, seen), stood_in.digest
    (tmp_path / "frost_by_pip").symlink_to(folder)
    # What the book brings by itself changes no frost that does not ask for it.
    assert torch.equal(Corrupted(base, "frost", 3).batch(indices, seen), drawn)
    assert authors_frost() == tmp_path / "frost_by_pip"
    given = Corrupted(base, "frost", 3, frost=authors_frost())
    (tmp_path / "frost_textures").symlink_to(folder)
    found = Corrupted(base, "frost", 3)
    assert torch.equal(given.batch(indices, seen), found.batch(indices, seen))
    assert not torch.equal(given.batch(indices, seen), drawn)
    assert given.digest == found.digest != digest
    assert noted("fog", authors_frost()) is None


@pytest.mark.parametrize("brought", [6, 3])
def test_frost_is_brought_whole_or_stands_in_without_a_second_try(monkeypatch, tmp_path, brought):
    tried = []

    def bring(file, folder):
        tried.append(file.name)
        if len(tried) > brought:
            raise FetchError("pip could not bring it.")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / file.name).write_bytes(b"ice")

    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    monkeypatch.setattr("robust_lib.datasets.imagenet_c.wheels.bring", bring)
    home = tmp_path / "frost_by_pip"
    for _ in range(2):
        assert frost_to_draw() == (home if brought == 6 else None)
        assert len(tried) == min(brought + 1, 6)
    kept = sorted(one.name for one in tmp_path.glob("**/*") if one.suffix in (".png", ".jpg"))
    assert kept == (sorted(frost_textures.SHA256) if brought == 6 else [])


@pytest.mark.parametrize(
    ("corruption", "severity", "message"),
    [("smoke", 1, "corruption to be one of"), ("fog", 0, "severity"), ("fog", 6, "severity")],
)
def test_unknown_corruptions_and_severities_are_refused(base, corruption, severity, message):
    with pytest.raises(InputError, match=message):
        Corrupted(base, corruption, severity)


@pytest.fixture
def archive(tmp_path):
    return trees.imagenet_c(tmp_path / "imagenet_c", ["fog"], [1, 3])


def cell(archive, severity=3, **settings):
    return Archive(archive, "fog", severity, classes=trees.class_list(), **settings)


def test_the_archives_cells_are_read_as_they_are(archive):
    fog = cell(archive)
    assert (fog.name, len(fog)) == ("imagenet_c/fog/3", 4)
    assert fog.ids[0] == "n01440764/ILSVRC2012_val_00000001.JPEG"
    with Image.open(archive / "fog" / "3" / fog.ids[2]) as picture:
        stored = np.asarray(picture)
    np.testing.assert_array_equal(fog.read(2, Preprocessing(None, 224)), stored)
    np.testing.assert_array_equal(fog.read(2, Preprocessing(None, None)), stored)
    assert fog.read(2, Preprocessing(None, 160)).shape == (160, 160, 3)
    assert fog.digest != cell(archive, 1).digest


@pytest.mark.parametrize(
    "preprocessing",
    [Preprocessing(256, 224), Preprocessing(None, 299), Preprocessing(272, 240, "bicubic")],
)
def test_a_second_resize_is_refused_with_what_to_choose(archive, base, preprocessing):
    for images in (cell(archive), Corrupted(base, "fog", 3, geometry=BENCHMARK)):
        with pytest.raises(InputError) as caught:
            batch(images, [0], preprocessing)
        message = str(caught.value)
        assert "resized and cropped to 224 pixels already" in message
        assert "76.7 % to about 78.2 %" in message
        assert f"{as_stored(preprocessing)}, which `imagenet_c.as_stored` returns" in message
        as_they_are = f"{replace(preprocessing, resize=None, crop=224)} if it takes images of any"
        assert (as_they_are in message) == (preprocessing.crop > 224)


@pytest.mark.parametrize(
    ("clean", "stored", "side"),
    [
        (Preprocessing(256, 224, "bicubic"), Preprocessing(None, 224, "bicubic"), 224),
        (Preprocessing((256, 256), 224), Preprocessing(None, 224), 224),
        (Preprocessing(224, 224), Preprocessing(None, 224), 224),
        (Preprocessing(272, 240, "bicubic"), Preprocessing(240, 240, "bicubic"), 240),
        (Preprocessing(None, 299), Preprocessing(299, 299), 299),
        (Preprocessing((299, 299), None), Preprocessing((299, 299), None), 299),
        (Preprocessing((224, 224), None), Preprocessing(None, None), 224),
        (Preprocessing(182, 160), Preprocessing(160, 160), 160),
        (Preprocessing(None, 64), Preprocessing(64, 64), 64),
    ],
)
def test_networks_of_every_size_see_the_whole_of_the_archives_pictures(
    archive, base, clean, stored, side
):
    assert as_stored(clean) == stored
    assert batch(cell(archive), [0, 1], stored).shape == (2, 3, side, side)
    exact = Corrupted(base, "fog", 3, geometry=BENCHMARK, storage="memory")
    images = batch(exact, [0, 1], stored)
    assert images.shape == (2, 3, side, side)
    # Levels that nobody cut to 8 bits are resized as Pillow resizes those that are.
    levels = [Image.fromarray(picture) for picture in (exact.read(n, STORED) for n in (0, 1))]
    pillows = torch.stack([torch.from_numpy(stored.apply(one)) for one in levels]) / 255
    assert (images - pillows.permute(0, 3, 1, 2)).abs().max() < 2.5 / 255


def test_a_version_of_other_size_is_refused(tmp_path):
    archive = trees.imagenet_c(tmp_path, ["fog"], [3], side=299)
    with pytest.raises(DataError, match=r"224.*224 pixels.*299.*299"):
        cell(archive).read(0, Preprocessing(None, 224))


def test_missing_cells_and_wrong_severities_are_errors(archive):
    with pytest.raises(DataError, match=r"snow/3, but there is none"):
        Archive(archive, "snow", 3, classes=trees.class_list())
    with pytest.raises(InputError, match="severity"):
        cell(archive, 9)


def test_the_archives_default_is_all_of_imagenet(archive):
    with pytest.raises(DataError, match="Expected the 1000 class folders"):
        Archive(archive, "fog", 3)


def test_a_part_of_the_archives_classes(archive):
    part = trees.class_list(WNIDS[1:3], "part")
    fog = Archive(archive, "fog", 3, classes=part, folders=trees.class_list(), limit=1)
    assert len(fog) == 1
    assert fog.classes == "part"


def test_pictures_that_memory_does_not_hold_are_corrupted_in_parts(base, monkeypatch):
    cell = Corrupted(base, "gaussian_noise", 3, storage="memory")
    every = range(len(base))
    whole = cell.batch(every, SMALL)
    tried = []

    def small(images, *args, **keys):
        tried.append(len(images))
        if len(images) > 3:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return corrupt(images, *args, **keys)

    monkeypatch.setattr("robust_lib.corruptions.corrupt", small)
    again = Corrupted(base, "gaussian_noise", 3, storage="memory")
    for _ in range(2):
        torch.testing.assert_close(again.batch(every, SMALL), whole, rtol=0, atol=0)
    # The next batch begins with what fits.
    assert tried.count(len(base)) == 1
    monkeypatch.setattr("robust_lib.corruptions.corrupt", lambda *_, **__: small(torch.zeros(4)))
    with pytest.raises(InputError, match=r"memory.*image.*gaussian_noise"):
        cell.batch([0], SMALL)
