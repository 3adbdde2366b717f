"""The file names of ImageNet-A, odd ones too."""

import pytest

from robust_lib.config.class_lists import load_classes
from robust_lib.datasets import image_folder, open_picture
from robust_lib.datasets.imagenet_a_names import Said, said
from robust_lib.errors import InputError
from robust_lib.fetch.archives import extract
from tests import trees


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "0.000348_chameleon _ box turtle_0.55540705.jpg",
            Said(0.000348, ("chameleon", "box turtle"), 0.55540705),
        ),
        (
            "n01498041/0.000116_digital clock _ digital clock_0.865662.jpg",
            Said(0.000116, ("digital clock", "digital clock"), 0.865662),
        ),
        (
            "imagenet-a/n03590841/0.0_jack-o'-lantern _ bow-tie_1.0.JPEG",
            Said(0.0, ("jack-o'-lantern", "bow-tie"), 1.0),
        ),
        ("0_a _ b_1.jpg", Said(0.0, ("a", "b"), 1.0)),
        ("9.1e-05_ant _ fly_0.25.jpg", Said(9.1e-05, ("ant", "fly"), 0.25)),
        ("0.1_some_thing _ other_0.2.jpg", Said(0.1, ("some_thing", "other"), 0.2)),
    ],
)
def test_a_name_tells_what_the_networks_said(name, told):
    assert said(name) == told


@pytest.mark.parametrize(
    "name",
    [
        "ILSVRC2012_val_00000001.JPEG",
        "0.000348_chameleon_0.55540705.jpg",
        "0.000348_chameleon _ box turtle_0.55540705.txt",
        "_chameleon _ box turtle_0.55.jpg",
        "",
    ],
)
def test_other_names_are_refused(name):
    with pytest.raises(InputError, match="Expected a file name such as '0"):
        said(name)


def test_a_number_above_one_is_no_probability():
    with pytest.raises(InputError, match=r"probabilities in \[0, 1\], but got 0.5 and 1.5"):
        said("0.5_a _ b_1.5.jpg")


@pytest.mark.parametrize("name", ["imagenet_a", "imagenet_o"])
def test_an_archive_as_published_is_unpacked_and_read(tmp_path, name):
    """With its README.txt among the folders, its odd names and its pictures of all sizes."""
    root = name.replace("_", "-")
    wnids = load_classes(name).folders
    trees.imagenet_a(tmp_path / "source", wnids, per_class=1)
    (tmp_path / "source" / "imagenet-a").rename(tmp_path / "source" / root)
    archive = trees.tar(tmp_path / "source", tmp_path / f"{root}.tar")
    folder = extract(archive, tmp_path / "data")
    assert (folder / root / "README.txt").exists()
    pictures = image_folder.load(name, folder)
    assert len(pictures) == 200
    assert pictures.labels.tolist() == list(range(200))
    assert tuple(item.split("/")[0] for item in pictures.ids) == wnids
    assert said(pictures.ids[7]) == Said(0.00034, ("chameleon", "box turtle"), 0.5554070)
    sizes = {open_picture(pictures.folder / item).size for item in pictures.ids}
    assert len(sizes) == 200
