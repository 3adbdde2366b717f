"""Croissant files say of the data sets what the manifests do, in the words of the format."""

import json
import sys

import pytest

from robust_book.commands.release import croissant
from robust_lib.config.manifests import load_dataset


@pytest.fixture(scope="module")
def described():
    return croissant.described()


def test_every_published_set_has_what_the_format_asks_for(described):
    assert {"imagenet_a", "imagenet_c", "nao", "coco_train", "cifar100"} <= described.keys()
    assert not {"scenes_val", "imagenet_val_a", "blobs"} & described.keys()
    for name, one in described.items():
        assert one["@type"] == "sc:Dataset"
        assert one["conformsTo"] == croissant.PROFILE
        assert one["name"] == name
        assert one["license"] == load_dataset(name).licence
        assert one["description"]
        files = one.get("distribution", [])
        assert len({file["@id"] for file in files}) == len(files)
        for file in files:
            assert file["@type"] == "cr:FileObject"
            assert file["contentUrl"].startswith("http")
            assert file["encodingFormat"] != "application/octet-stream"
            assert len({"sha256", "md5"} & file.keys()) == 1  # a reader refuses none, and both


def test_a_file_without_a_sum_is_told_in_words_alone(described):
    one = described["imagenet_c_bar"]
    assert "distribution" not in one
    assert "imagenet_c_bar.tar.gz: recorded at first fetch" in one["description"]
    assert "https://dl.fbaipublicfiles.com/" in one["description"]


def test_a_reader_of_the_format_accepts_all(described, tmp_path):
    reader = pytest.importorskip("mlcroissant", reason="mlcroissant is not installed")
    for name, one in described.items():
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(one), "utf-8")
        assert reader.Dataset(jsonld=path).metadata.name == name
    assert "mlcroissant" in sys.modules
