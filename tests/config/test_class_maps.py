"""Maps of class names: the committed one, and tables that are wrong."""

import pytest

from robust_lib.config.class_lists import load_classes
from robust_lib.config.class_maps import load_class_map
from robust_lib.errors import InputError, ManifestError
from tests import tiny


def test_every_category_of_coco_has_a_word_of_openimages():
    known = load_class_map("openimages_to_coco")
    assert set(known.values()) == set(load_classes("coco").names)


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("Man", "person"),
        ("Van", "car"),
        ("Mug", "cup"),
        ("Wine glass", "wine glass"),
        ("Computer mouse", "mouse"),
        ("Flying disc", "frisbee"),
        ("Cattle", "cow"),
        ("Penguin", "bird"),
    ],
)
def test_words_that_differ(word, kind):
    assert load_class_map("openimages_to_coco")[word] == kind


@pytest.mark.parametrize("word", ["Mouse", "Shark", "Rhinoceros", "Coin", "Tiger", "Human face"])
def test_foreign_things_have_none(word):
    assert word not in load_class_map("openimages_to_coco")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("theirs,ours\n", r"_to_coco\.csv:1: expected the columns theirs, ours, note"),
        ("theirs,ours,note\nMan,man,\n", r":2: .* but got 'Man,man,'"),
        ("theirs,ours,note\nMan,person,\nMan,person,\n", ":3: "),
        ("theirs,ours,note\nMan,person\n", ":2: "),
    ],
)
def test_tables_that_are_wrong(tmp_path, monkeypatch, text, told):
    tiny.real_layouts(tmp_path)
    tiny.enter(tmp_path, monkeypatch)
    (tmp_path / "data_manifests" / "classes" / "zoo_to_coco.csv").write_text(text)
    with pytest.raises(ManifestError, match=told):
        load_class_map("zoo_to_coco")
    with pytest.raises(InputError, match="Expected a map of class names"):
        load_class_map("park_to_coco")
