"""What is said of a data set's files: nothing is invented, and what came is told."""

import hashlib

import pytest

from robust_lib.config.dataset_files import File, Mirror
from robust_lib.config.manifests import dataset_names, load_dataset
from robust_lib.fetch import checksums, inventory


def test_every_file_of_an_open_set_has_an_address_and_a_sum_or_says_when_it_gets_one():
    rows = [row for name in dataset_names() for row in inventory.table(load_dataset(name))]
    by_hand = {"icons50", "nao", "imagenet_22k", "stylized_imagenet"}  # as folders
    assert {row["Data set"] for row in rows} >= {"coco_train", "imagenet_r", "dtd"} | by_hand
    for row in rows:
        assert all(row.values()), row
        known = load_dataset(row["Data set"]).access
        assert (row["Hosts"] == "by hand") == (known == "terms"), row


def test_an_address_without_encryption_is_the_last_resort():
    for name in dataset_names():
        for file in load_dataset(name).files:
            addresses = [str(one.url) for one in file.sources]
            safe = [one.startswith("https://") for one in addresses]
            assert safe == sorted(safe, reverse=True), (name, addresses)
            assert not addresses or safe[0], (name, addresses)


def test_a_mirror_is_another_server_unless_its_sums_are_its_own():
    for name in dataset_names():
        for file in load_dataset(name).files if name != "frost_textures" else ():
            same = [one for one in file.sources if checksums.published(one)]
            ways = sum(map(bool, (file.npm, file.pypi, file.installed)))
            assert len(inventory.hosts(file)) == len(file.sources) + ways, name
            assert len(same) == len(file.sources) or len(file.sources) == 1, name


def test_a_mirror_of_its_own_sum_says_so_and_one_of_the_same_bytes_does_not():
    told = list(inventory.lines(load_dataset("imagenet_o")))
    assert not any("its own sum" in line for line in told if "berkeley" in line)
    assert any("its own sum: 177,617,920 bytes; sha256 0015fa5d" in line for line in told)
    assert not any("its own sum" in line for line in inventory.lines(load_dataset("coco_train")))


def test_copies_elsewhere_are_told():
    told = list(inventory.lines(load_dataset("imagenet_c")))
    assert any("MarMaster" in line and "another benchmark" in line for line in told)


@pytest.mark.parametrize("md5", [None, hashlib.md5(b"123").hexdigest()])
def test_what_the_first_fetch_had_is_shown(tmp_path, md5):
    file = File(name="a.tar", url="https://a.org/a.tar", md5=md5)
    assert list(inventory.came(file, tmp_path)) == []
    (tmp_path / "a.tar").write_bytes(b"123")
    checksums.check(tmp_path / "a.tar", file)
    (line,) = inventory.came(file, tmp_path)
    how = inventory.LATER if md5 is None else "md5"
    assert line == f"here: 3 bytes, sha256 {hashlib.sha256(b'123').hexdigest()} ({how})"


def test_the_table_is_aligned_and_headed():
    file = File(name="a.tar", mirrors=[Mirror(url="https://b.org/a")])
    manifest = load_dataset("imagenet_a").model_copy(update={"files": (file,)})
    head, row = inventory.overview([manifest])
    assert head.startswith("Data set")
    assert head.index("Hosts") == row.index("b.org")


def test_what_all_files_of_a_set_share_is_told_once():
    first, second = list(inventory.overview([load_dataset("imagenet_val")]))[1:]
    assert first.startswith("imagenet_val ")
    assert (second[0], "terms of access" in first, "terms of access" in second) == (
        " ",
        True,
        False,
    )


def test_nothing_to_tell_is_no_table():
    assert list(inventory.overview([load_dataset("scenes_val")])) == []
