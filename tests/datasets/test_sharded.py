import numpy as np
import pytest

from robust_lib.config.manifests import load_dataset
from robust_lib.datasets import ImageSet, batch, image_folder
from robust_lib.datasets.image_folder import ImageFolder
from robust_lib.datasets.imagenet_c import Archive
from robust_lib.errors import DataError
from robust_lib.preprocessing import Preprocessing
from tests import shards, trees

WHOLE, SMALL = Preprocessing(None, None), Preprocessing(16, 12)


@pytest.mark.parametrize("layout", shards.LAYOUTS)
def test_each_layout_gives_the_pictures_of_the_sorted_copy(layout, sorted_copy, data):
    shards.LAYOUTS[layout](data, sorted_copy)
    held = image_folder.load("small_val")
    twin = image_folder.load("small_val", sorted_copy.parent)
    assert isinstance(held, ImageSet)
    assert (held.name, held.classes, held.class_names) == (
        twin.name,
        twin.classes,
        twin.class_names,
    )
    assert sorted(held.ids) == list(twin.ids)
    assert held.labels.dtype == np.int64
    places = [held.ids.index(name) for name in twin.ids]
    assert held.labels[places].tolist() == twin.labels.tolist()
    for place, name in zip(places, range(len(twin)), strict=True):
        np.testing.assert_array_equal(held.read(place, WHOLE), twin.read(name, WHOLE))
    np.testing.assert_array_equal(batch(held, places, SMALL), batch(twin, range(6), SMALL))
    again = image_folder.load("small_val")
    assert (held.digest, held.ids) == (again.digest, again.ids)


@pytest.mark.parametrize("layout", ["hub", "timm"])
def test_the_order_is_the_shards_and_a_limit_chooses_as_in_folders(layout, sorted_copy, data):
    shards.LAYOUTS[layout](data, sorted_copy)
    written = [f"{wnid}/{name}" for wnid, name, _ in shards.pictures(sorted_copy)]
    assert list(image_folder.load("small_val").ids) == written
    few = image_folder.load("small_val", limit=3)
    twin = image_folder.load("small_val", sorted_copy.parent, limit=3)
    assert set(few.ids) == set(twin.ids)
    assert list(few.ids) == [name for name in written if name in few.ids]


@pytest.mark.parametrize("layout", ["hub", "timm"])
def test_the_digest_tells_pictures_and_labels_apart(layout, sorted_copy, data, tmp_path):
    shards.LAYOUTS[layout](data, sorted_copy)
    first = image_folder.load("small_val").digest
    trees.save(next(sorted_copy.glob("*/*01.JPEG")), 99, 224, 224)
    other = tmp_path / "other"
    shards.LAYOUTS[layout](other, sorted_copy)
    assert image_folder.load("small_val", other).digest != first


def parts(folder, numbers, *, key="s{number:07d}"):
    """ImageNet-A's like as clip-benchmark/wds_imagenet-a has it: test/0.tar, s0000000.jpg."""
    trees.imagenet_a(folder / "source", shards.PART)
    root = folder / "source" / "imagenet-a"
    wnids = [next((w for w, n in numbers.items() if n == place), "") for place in range(4)]
    shards.webdataset(folder / "wds", root, shard="test/{:d}.tar", wnids=wnids, key=key)
    (folder / "wds" / "test" / "nshards.txt").write_text("3\n")
    return root


@pytest.mark.parametrize("numbers", [(0, 1), (1, 3)])
@pytest.mark.usefixtures("small_project")
def test_labels_of_a_part_count_in_its_own_order_or_in_that_of_all(tmp_path, numbers):
    root = parts(tmp_path, dict(zip(shards.PART, numbers, strict=True)))
    held = image_folder.load("small_a", tmp_path / "wds")
    twin = ImageFolder(root, image_folder.load_classes("few"))
    expected = [shards.PART.index(wnid) for wnid, _, _ in shards.pictures(root)]
    assert held.labels.tolist() == expected
    assert held.ids[0].endswith("/s0000000.jpg")
    assert sorted(map(held.ids[0].startswith, shards.PART)) == [False, True]
    sums = {int(twin.read(place, WHOLE).sum()) for place in range(4)}
    assert {int(held.read(place, WHOLE).sum()) for place in range(4)} == sums


@pytest.mark.usefixtures("small_project")
def test_labels_that_may_count_in_either_order_are_refused(tmp_path):
    shards.write_tar(tmp_path / "wds" / "test" / "0.tar", [("s0", {"jpg": b"", "cls": b"1"})])
    with pytest.raises(DataError, match=r"labels.*small_a.*1 numbers.*1.*1"):
        image_folder.load("small_a", tmp_path / "wds")


@pytest.mark.usefixtures("small_project")
def test_the_hubs_notes_say_what_the_numbers_mean(tmp_path):
    trees.imagenet_a(tmp_path / "source", shards.PART)
    root, backwards = tmp_path / "source" / "imagenet-a", shards.PART[::-1]
    shards.parquet(
        tmp_path / "hub", root, shard="data/train-{:05d}-of-{:05d}{}.parquet", suffixed=False,
        wnids=backwards, names=backwards,
    )  # fmt: skip
    held = image_folder.load("small_a", tmp_path / "hub")
    assert [name.split("/")[0] for name in held.ids] == [w for w, _, _ in shards.pictures(root)]
    assert held.ids[0].endswith("_0.55540700.jpg")


@pytest.mark.parametrize("key", ["{stem}", "fog/2/{wnid}/{stem}"])
def test_a_condition_of_the_archive_is_told_by_folders_or_by_keys(tmp_path, sorted_copy, key):
    home, manifest = tmp_path / "c", load_dataset("small_c")
    for severity in (1, 2):
        where = "data/fog/severity_{0}/" if key == "{stem}" else "fog-{0}-"
        shards.webdataset(
            home, sorted_copy, shard=where.format(severity) + "{:06d}.tar",
            key=key.replace("2", str(severity)), picture="JPEG",
        )  # fmt: skip
    read = Archive(home, "fog", 2, manifest=manifest, name="small_c")
    (tmp_path / "plain" / "fog").mkdir(parents=True)
    sorted_copy.rename(tmp_path / "plain" / "fog" / "2")
    twin = Archive(tmp_path / "plain", "fog", 2, name="small_c")
    assert (sorted(read.ids), read.name) == (list(twin.ids), twin.name)
    stored = Preprocessing(None, 224)
    for place, name in enumerate(read.ids):
        np.testing.assert_array_equal(
            read.read(place, stored), twin.read(twin.ids.index(name), stored)
        )
    with pytest.raises(DataError, match=r"4 classes.*small_c.*fog/3.*4.*missing"):
        Archive(home, "fog", 3, manifest=manifest)


def test_what_lacks_is_there_twice_or_cannot_be_read_is_refused(sorted_copy, data):
    files = shards.webdataset(data, sorted_copy)
    content = files[1].read_bytes()
    files[1].unlink()
    with pytest.raises(DataError, match=r"lacks 1.*shards \(number 1\)"):
        image_folder.load("small_val")
    files[1].write_bytes(files[0].read_bytes())
    with pytest.raises(DataError, match="2 are duplicated"):
        image_folder.load("small_val")
    files[1].write_bytes(content[: len(content) // 2])
    with pytest.raises(DataError, match=r"read.*tar.*-01\.tar"):
        image_folder.load("small_val")


def test_copies_of_two_kinds_are_refused_with_what_to_do(sorted_copy, data):
    shards.parquet(data, sorted_copy)
    shards.webdataset(data, sorted_copy)
    with pytest.raises(DataError, match=r"small_val.*Parquet shards.*WebDataset"):
        image_folder.load("small_val")
    for file in data.glob("*.tar"):
        file.unlink()
    sorted_copy.rename(data / "val")
    with pytest.raises(DataError, match=r"Parquet shards and images in .*val\. Keep the one"):
        image_folder.load("small_val")


def test_a_picture_of_a_shard_that_is_none_is_named(sorted_copy, data):
    next(sorted_copy.glob("*/*01.JPEG")).write_bytes(b"no picture")
    shards.parquet(data, sorted_copy)
    held = image_folder.load("small_val")
    place = next(n for n, name in enumerate(held.ids) if name.endswith("01.JPEG"))
    with pytest.raises(DataError, match=r"validation-0000\d-of-00003\.parquet/ILSVRC2012_val_0000"):
        held.read(place, WHOLE)
