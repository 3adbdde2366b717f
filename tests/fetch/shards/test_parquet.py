import pandas as pd
import pytest

from robust_lib.errors import DataError
from robust_lib.fetch.shards import parquet
from tests import shards


def test_rows_names_labels_and_places_are_read(tmp_path):
    rows = [(b"a", "a.JPEG", 3), (b"bc", "b.JPEG", 1), (b"d", None, 0)]
    path = shards.write_parquet(tmp_path / "val-0.parquet", rows, names=["x", "y"])
    held = parquet.contents(path)
    assert [(s.name, s.label) for s in held.samples] == [
        ("a.JPEG", 3), ("b.JPEG", 1), ("val-0-00002.jpg", 0),
    ]  # fmt: skip
    assert held.class_names == ("x", "y")
    assert [parquet.read(path, s) for s in held.samples] == [b"a", b"bc", b"d"]


def test_the_digest_changes_with_a_picture(tmp_path):
    one = shards.write_parquet(tmp_path / "a.parquet", [(b"abc", "a.jpg", 1)])
    other = shards.write_parquet(tmp_path / "b.parquet", [(b"abd", "a.jpg", 1)])
    assert parquet.contents(one).digest != parquet.contents(other).digest


def test_a_column_of_wordnet_ids_is_a_label(tmp_path):
    """As axiong/imagenet-r has it."""
    rows = [(b"a", "a.jpg", "n01440764")]
    path = shards.write_parquet(tmp_path / "a.parquet", rows, label="wnid")
    assert parquet.contents(path).samples[0].label == "n01440764"


def test_a_picture_whose_name_alone_is_there_is_refused(tmp_path):
    path = shards.write_parquet(tmp_path / "a.parquet", [(None, "a.jpg", 1)])
    with pytest.raises(DataError, match=r"bytes.*image a\.jpg"):
        parquet.read(path, parquet.contents(path).samples[0])


def test_other_files_are_refused(tmp_path):
    cut = shards.write_parquet(tmp_path / "cut.parquet", [(bytes(range(256)) * 9, "a.jpg", 1)])
    cut.write_bytes(cut.read_bytes()[:-9])
    with pytest.raises(DataError, match=r"read.*Parquet.*cut\.parquet"):
        parquet.contents(cut)
    table = tmp_path / "table.parquet"
    pd.DataFrame({"caption": ["a"]}).to_parquet(table)
    with pytest.raises(DataError, match="a struct of bytes and path, but it has caption"):
        parquet.contents(table)


def test_a_file_that_changed_is_not_served_from_memory(tmp_path):
    path = shards.write_parquet(tmp_path / "a.parquet", [(b"old", "a.jpg", 1)])
    sample = parquet.contents(path).samples[0]
    assert parquet.read(path, sample) == b"old"
    shards.write_parquet(path, [(b"new", "a.jpg", 1)])
    assert parquet.read(path, sample) == b"new"
