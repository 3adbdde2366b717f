"""What manifests may say of a data set's files."""

import pytest
from pydantic import ValidationError

from robust_lib.config.dataset_files import Content, File, ObjectCounts
from robust_lib.config.manifests import digest, load_dataset


def test_sources_may_differ_in_how_many_pictures_there_are():
    assert Content(path="images", images=[7935, 7936]).images == (7935, 7936)
    assert Content(path="images", images=7935).images == 7935


@pytest.mark.parametrize(
    "wrong",
    [
        {"images": 0},
        {"images": [5, 0]},
        {"matches": 0},
        {"objects": {"objects": -1}},
        {"objects": {"by_class": {"cat": -1}}},
        {"objects": {"boxes": 3}},
    ],
)
def test_counts_that_are_none(wrong):
    with pytest.raises(ValidationError):
        Content(path="images", **wrong)


def test_what_nobody_counted_changes_no_digest():
    assert "objects" not in Content(path="images").model_dump()
    counted = Content(path="images", objects=ObjectCounts(objects=3))
    assert digest(counted) != digest(Content(path="images"))


def test_the_beginning_of_a_checksum_changes_no_digest_of_files_without_one():
    assert "sha256_begins" not in File(name="a.tar").model_dump()
    assert digest(File(name="a.tar", sha256_begins="0" * 8)) != digest(File(name="a.tar"))
    with pytest.raises(ValidationError):
        File(name="a.tar", sha256_begins="0" * 7)


@pytest.mark.parametrize("name", ["../a.tar", "", ".a", "a b"])
def test_files_have_plain_names(name):
    with pytest.raises(ValidationError):
        File(name=name)


def test_the_papers_counts_are_those_that_are_verified():
    val, nao = (load_dataset(name).contents[-1].objects for name in ("coco_val", "nao"))
    assert (val.objects, val.crowds, val.by_class["person"]) == (36781, 446, 11004)
    assert (nao.objects, nao.by_class["cup"]) == (13604, 2257)
    assert sum(not count for count in nao.by_class.values()) == 9
    parts = [content.objects.pictures for content in load_dataset("nao").contents[1:-1]]
    assert parts == [2734, 141, 134]
    assert sum(parts) == nao.pictures
