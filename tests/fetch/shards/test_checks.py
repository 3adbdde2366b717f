import pytest

from robust_lib.fetch.verification import verify
from tests import shards, trees


def problems(name, folder, **settings):
    return list(verify(name, folder, **settings).problems)


@pytest.mark.parametrize("layout", shards.LAYOUTS)
def test_a_whole_copy_in_each_layout_has_no_problems(layout, sorted_copy, data):
    shards.LAYOUTS[layout](data, sorted_copy)
    report = verify("small_val", pictures=True)
    assert (report.problems, report.images) == ((), 6)
    assert "3 Parquet" in report.notes[0] or "3 WebDataset" in report.notes[0]


@pytest.mark.parametrize("layout", ["hub", "hub, plain names", "timm", "json"])
def test_labels_in_another_order_are_found(layout, sorted_copy, data):
    """As when the numbers are the development kit's, or a list of classes was sorted anew."""
    shards.LAYOUTS[layout](data, sorted_copy, wnids=trees.KIT_ORDER)
    told = "; ".join(problems("small_val", data))
    assert "class folders are swapped" in told
    assert ("differs from the class in their name: 6" in told) == (layout == "hub")


@pytest.mark.parametrize("layout", ["hub", "timm"])
def test_a_picture_of_another_class_is_found(layout, sorted_copy, data):
    one, other = sorted(sorted_copy.glob("*/*"))[:2], sorted(sorted_copy.glob("*/*"))[-1]
    moved = sorted_copy / other.parent.name / one[0].name
    one[0].rename(moved)
    shards.LAYOUTS[layout](data, sorted_copy)
    assert any("images in the folder of another class: 1" in x for x in problems("small_val", data))


@pytest.mark.parametrize(("layout", "ending"), [("hub", "parquet"), ("timm", "tar")])
def test_a_missing_shard_is_found_even_the_last(layout, ending, sorted_copy, data):
    files = shards.LAYOUTS[layout](data, sorted_copy)
    files[-1].unlink()
    told = "; ".join(problems("small_val", data))
    assert "expected 6 images, but found 4" in told
    assert "images of the list that are not there: 2" in told
    assert ("lacks 1 of its shards (number 2)" in told) == (ending == "parquet")


@pytest.mark.parametrize("layout", ["hub", "timm"])
def test_a_doubled_key_is_found(layout, sorted_copy, data):
    files = shards.LAYOUTS[layout](data, sorted_copy)
    files[1].write_bytes(files[0].read_bytes())
    told = problems("small_val", data)
    assert any("images that occur twice: 2" in line for line in told)
    assert sum("occur twice" in line for line in told) == 1


@pytest.mark.usefixtures("small_project")
def test_a_doubled_key_is_found_without_a_list_of_names(tmp_path):
    trees.imagenet_a(tmp_path / "source", shards.PART)
    root = tmp_path / "source" / "imagenet-a"
    files = shards.webdataset(
        tmp_path / "a", root, shard="test/{:d}.tar", wnids=shards.PART, key="s{number:07d}"
    )
    assert problems("small_a", tmp_path / "a") == []
    files[1].write_bytes(files[0].read_bytes())
    assert "images that occur twice: 2" in "; ".join(problems("small_a", tmp_path / "a"))


def test_pictures_cut_short_and_of_other_sizes_are_found_when_decoded(sorted_copy, data):
    for severity in (1, 2):
        shards.webdataset(data, sorted_copy, shard=f"fog/{severity}/{{:06d}}.tar")
    assert problems("small_c", data, pictures=True) == []
    file = next(sorted_copy.glob("*/*01.JPEG"))
    file.write_bytes(file.read_bytes()[:3000])
    trees.save(next(sorted_copy.glob("*/*02.JPEG")), 1, 32, 32)
    shards.webdataset(data, sorted_copy, shard="fog/1/{:06d}.tar")
    assert problems("small_c", data) == []
    told = "; ".join(problems("small_c", data, pictures=True))
    assert "fog/1: images that cannot be read completely: 1" in told


def test_a_missing_condition_is_told_and_those_that_are_not_asked_for_are_not(sorted_copy, data):
    shards.webdataset(data, sorted_copy, shard="fog/1/{:06d}.tar")
    assert problems("small_c", data) == [f"{data}: expected 2 of fog/[1-2] in shards, but found 1"]
    assert problems("small_c", data, only=["snow/"]) == []


def test_pictures_without_imagenets_names_are_counted_by_class(sorted_copy, data):
    shards.webdataset(data, sorted_copy, key="s{number:07d}", picture="webp")
    report = verify("small_val", data)
    assert report.ok
    assert any("names of their own" in note for note in report.notes)
