from collections import Counter
from pathlib import Path

import pytest

from robust_lib.config.class_lists import load_classes
from robust_lib.config.manifests import load_dataset
from robust_lib.datasets.image_folder import FlatValidation
from robust_lib.errors import DataError
from robust_lib.fetch import devkit
from tests import trees

NUMBERED = list(enumerate(trees.TRUTH, start=1))


@pytest.fixture
def flat(tmp_path):
    return trees.flat_with_devkit(tmp_path)


def number(one):
    return one[0].rpartition("_")[2]


def test_the_kits_ids_are_not_the_order_of_wordnet_ids(flat):
    pictures = FlatValidation(flat / "val", trees.kit_of(flat), trees.class_list())
    by_number = sorted(zip(pictures.ids, pictures.labels.tolist(), strict=True), key=number)
    assert by_number[0] == (f"{trees.TRUTH[0]}/ILSVRC2012_val_00000001.JPEG", 0)
    assert [label for _, label in by_number] == [0, 3, 0, 1, 2, 2]
    text = (flat / "ILSVRC2012_devkit_t12/data/ILSVRC2012_validation_ground_truth.txt").read_text()
    naive = [int(line) - 1 for line in text.split()]
    assert naive != [label for _, label in by_number]


@pytest.mark.parametrize("line", ["0", "5", "n01440764", "1 2"])
def test_a_wrong_line_of_the_ground_truth_is_named(flat, line):
    path = flat / "ILSVRC2012_devkit_t12/data/ILSVRC2012_validation_ground_truth.txt"
    path.write_text(f"1\n{line}\n1\n1\n1\n1\n")
    with pytest.raises(DataError, match=r"ground_truth\.txt:2.*class.*1.*4"):
        trees.kit_of(flat)


def test_a_missing_or_wrong_meta_file_is_named(flat):
    meta = flat / "ILSVRC2012_devkit_t12" / "data" / "meta.mat"
    (meta.parent / "ILSVRC2012_validation_ground_truth.txt").unlink()
    with pytest.raises(DataError, match="list of the validation images' classes"):
        trees.kit_of(flat)
    meta.write_bytes(b"not a MATLAB file")
    with pytest.raises(DataError, match=r"meta\.mat.*read"):
        trees.kit_of(flat)
    meta.unlink()
    with pytest.raises(DataError, match=r"meta\.mat at .*No such file"):
        trees.kit_of(flat)


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"{wnid}\n" for wnid in trees.TRUTH),
        "".join(f"ILSVRC2012_val_{n:08d}.JPEG {w}\n" for n, w in NUMBERED),
        "ImageId,PredictionString\n"
        + "".join(f"ILSVRC2012_val_{n:08d},{w} 85 1 9 2 \n" for n, w in NUMBERED),
    ],
    ids=["one id a line", "names and ids", "Kaggle's"],
)
def test_plain_lists_are_read(flat, text):
    path = flat / "list.txt"
    path.write_text(text)
    assert devkit.list_truth(path) == trees.kit_of(flat)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\n", r"list\.txt:1: expected a WordNet id"),
        ("n01440764\nILSVRC2012_val_1 n01440764\n", r"list\.txt:2: expected a WordNet id"),
        ("n01440764\nILSVRC2012_val_00000001 n01440764\n", r"list\.txt:2: .* occurs twice"),
    ],
)
def test_a_wrong_plain_list_is_named(tmp_path, text, message):
    path = tmp_path / "list.txt"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        devkit.list_truth(path)


def test_the_projects_own_list_has_fifty_pictures_of_each_class():
    """Three of them are in many papers and manuals; how the counts come out is ImageNet's."""
    truth = devkit.truth_of(load_dataset("imagenet_val"), Path("nowhere"))
    counts = Counter(truth.values())
    assert set(counts) == set(load_classes("imagenet_1k").folders)
    assert set(counts.values()) == {50}
    assert list(truth)[-1] == "ILSVRC2012_val_00050000.JPEG"
    assert truth["ILSVRC2012_val_00000001.JPEG"] == "n01751748"  # a sea snake
    assert truth["ILSVRC2012_val_00000236.JPEG"] == "n01443537"  # a goldfish
    assert truth["ILSVRC2012_val_00000293.JPEG"] == "n01440764"  # a tench


def test_a_list_beside_the_pictures_counts_before_the_projects_own(flat):
    assert devkit.truth_of(load_dataset("imagenet_val"), flat) == trees.kit_of(flat)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("class\n0\n", "expected the heading index, but got class"),
        ("index\n0\n4\n", r"own\.csv:3: expected a class from 0 to 3, but got 4"),
        ("index\n-1\n", r"own\.csv:2: expected a class from 0 to 3, but got -1"),
    ],
)
def test_a_wrong_list_of_the_projects_own_is_named(tmp_path, text, message):
    path = tmp_path / "own.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        devkit.own_truth(path, trees.class_list())
