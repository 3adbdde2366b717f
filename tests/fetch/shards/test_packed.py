import pytest

from robust_lib.config.manifests import load_dataset
from robust_lib.errors import DataError
from robust_lib.fetch import shards
from robust_lib.fetch.shards.packed import packed
from tests import shards as written
from tests import trees


def held(name, folder, **settings):
    manifest = load_dataset(name)
    return list(packed(manifest, shards.of(manifest, folder), **settings))


def test_without_labels_a_list_of_the_names_tells_the_classes(sorted_copy, data):
    """File names alone are enough."""
    written.webdataset(data, sorted_copy, told=None)
    truth = {f"ILSVRC2012_val_{n:08d}.JPEG": wnid for n, wnid in enumerate(trees.TRUTH, 1)}
    assert {one.id for one in held("small_val", data, truth=truth)} == {
        f"{wnid}/{name}" for name, wnid in truth.items()
    }
    with pytest.raises(DataError, match=r"class.*image ILSVRC2012_val_0000"):
        held("small_val", data)


def test_numbers_that_count_from_one_are_refused(sorted_copy, data):
    written.webdataset(data, sorted_copy, wnids=["", *trees.WNIDS])
    with pytest.raises(DataError, match=r"label 4\. Use.*numbers.*0"):
        held("small_val", data)


def test_the_order_counts_through_all_shards(sorted_copy, data):
    written.parquet(data, sorted_copy)
    assert [one.order for one in held("small_val", data)] == list(range(6))


def test_of_a_shard_with_several_conditions_one_is_taken(sorted_copy, data):
    samples = [
        (f"fog/{severity}/{wnid}/{name[:-5]}", {"JPEG": content})
        for severity in (1, 2)
        for wnid, name, content in written.pictures(sorted_copy)
    ]
    written.write_tar(data / "c-000000.tar", samples)
    found = held("small_c", data, condition="fog/2")
    assert (len(found), {one.condition for one in found}) == (6, {"fog/2"})
