import shutil

import pytest

from robust_lib.config.dataset_files import File
from robust_lib.config.manifests import load_dataset
from robust_lib.errors import DataError
from robust_lib.fetch import shards
from robust_lib.fetch.verification import seems_there
from tests import shards as written


def touched(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder


def of(name, folder):
    held = shards.of(load_dataset(name), folder)
    return None if held is None else [file.relative_to(folder).as_posix() for file in held.files]


def test_the_split_is_chosen_from_a_copy_that_has_several(data):
    names = [f"data/{one}-0000{n}-of-00002.parquet" for one in ("test", "train") for n in (0, 1)]
    ours = [f"data/validation-0000{n}-of-00002.parquet" for n in (1, 0)]
    touched(data, *names, *ours, "README.md", ".cache/huggingface/val-0.tar", "data/dataset.json")
    assert of("small_val", data) == sorted(ours)


def test_shards_are_ordered_by_number_and_other_archives_are_none(data):
    touched(data, *(f"val/{n}.tar" for n in range(12)), "val/n01440764.tar", "val/others.tar")
    assert of("small_val", data) == [f"val/{n}.tar" for n in range(12)]


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("val-00000-of-00003.parquet",), "val lacks 2 of its shards (number 1, 2)"),
        (("val-000000.tar", "val-000003.tar"), "val lacks 2 of its shards (number 1, 2)"),
        (("val-01.tar", "val-02.tar"), ""),
        (("val-00.tar", "val-1.tar", "val-01.tar"), "val has 1 of its shards twice (number 1)"),
        (
            ("val-0-of-1.parquet", "val-1-of-2.parquet"),
            "the shards of val say that there are 1, 2",
        ),
    ],
)
def test_a_series_with_gaps_or_doubles_is_told(data, names, told):
    found = shards.of(load_dataset("small_val"), touched(data, *names))
    assert "; ".join(found.problems) == told
    assert seems_there("small_val", data) == (not told)


def test_two_series_are_refused_and_the_archives_conditions_are_many(data):
    touched(data, "a/0.tar", "b/0.tar")
    with pytest.raises(DataError, match=r"WebDataset tars \(a\) and WebDataset tars \(b\)"):
        of("small_a", data)
    assert of("small_c", data) == ["a/0.tar", "b/0.tar"]


def test_an_archive_that_is_unpacked_is_no_shard(data):
    touched(data, "val-2012.tar")
    assert of("small_val", data) == ["val-2012.tar"]
    listed = (File(name="val-2012.tar", into="val"),)
    manifest = load_dataset("small_val").model_copy(update={"files": listed})
    assert shards.of(manifest, data) is None


def test_folders_and_other_kinds_hold_none(data, sorted_copy):
    shutil.copytree(sorted_copy, data / "val")
    assert of("small_val", data) is None
    assert of("small_val", data / "nowhere") is None
    other = load_dataset("small_val").model_copy(update={"kind": "unlabelled"})
    assert shards.of(other, touched(data, "val-0.tar")) is None


def test_all_conditions_that_are_asked_for_must_be_there(data, sorted_copy):
    written.webdataset(data, sorted_copy, shard="fog/1/{:06d}.tar")
    assert not seems_there("small_c", data, only=["fog/"])
    written.webdataset(data, sorted_copy, shard="c-{:06d}.tar", key="fog/2/{wnid}/{stem}")
    assert seems_there("small_c", data, only=["fog/"])
