import re

import pytest

from robust_lib.config.class_lists import class_names, load_class_map, load_classes
from robust_lib.errors import DataError, InputError, ManifestError
from tests import tiny


@pytest.fixture
def table(tmp_path, monkeypatch):
    folder = tmp_path / "data_manifests" / "classes"
    folder.mkdir(parents=True)
    (folder / "lists.yaml").write_text("small: {title: Small, source: made for tests}\n")
    monkeypatch.setenv("ROBUST_ROOT", str(tmp_path))

    def write(text: str):
        path = folder / "small.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize(
    ("name", "length"),
    [
        ("backgrounds", 6),
        ("broad_icons", 20),
        ("coco", 80),
        ("icons50", 50),
        ("imagenet_100", 100),
        ("imagenet_1k", 1000),
        ("imagenet_a", 200),
        ("imagenet_o", 200),
        ("imagenet_r", 200),
        ("imagenet_v2", 1000),
        ("imagenet_vid", 30),
        ("cifar100", 20),
        ("inc_22k", 25),
    ],
)
def test_lengths(name, length):
    classes = load_classes(name)
    assert len(classes) == length == len(set(classes.names))
    assert [entry.index for entry in classes.entries] == list(range(length))
    assert classes.title
    assert classes.source


def test_every_list_is_tested_above():
    assert len(class_names()) == 13


def test_imagenet_1k_is_in_the_order_of_wordnet_ids():
    wnids = load_classes("imagenet_1k").folders
    assert list(wnids) == sorted(wnids)
    assert len(set(wnids)) == 1000


@pytest.mark.parametrize("name", ["imagenet_a", "imagenet_o", "imagenet_r", "imagenet_100"])
def test_parts_of_imagenet_name_their_outputs(name):
    whole = load_classes("imagenet_1k").entries
    for entry in load_classes(name).entries:
        (output,) = entry.imagenet
        assert (entry.wnid, entry.name) == (whole[output].wnid, whole[output].name)


def test_folders_of_imagenet_v2_are_outputs():
    entries = load_classes("imagenet_v2").entries
    assert [(str(entry.index), entry.index) for entry in entries] == [
        (entry.folder, *entry.imagenet) for entry in entries
    ]


def test_nae_appendices_share_59_classes_with_each_other():
    a, o = (set(load_classes(name).folders) for name in ("imagenet_a", "imagenet_o"))
    assert len(a & o) == 59


def test_nae_appendix_a_and_b_first_and_last_classes():
    a, o = load_classes("imagenet_a"), load_classes("imagenet_o")
    assert (a.folders[0], a.folders[-1]) == ("n01498041", "n12267677")
    assert (o.folders[0], o.folders[-1]) == ("n01443537", "n13052670")
    assert list(a.folders) == sorted(a.folders)
    assert list(o.folders) == sorted(o.folders)


def test_vid_classes_hold_288_outputs_and_none_twice():
    outputs = [output for group in load_classes("imagenet_vid").imagenet for output in group]
    assert len(outputs) == len(set(outputs)) == 288
    groups = {entry.name: entry.imagenet for entry in load_classes("imagenet_vid").entries}
    assert groups["whale"] == (147, 148)
    assert groups["bird"][-1] == 146
    assert groups["dog"] == tuple(range(151, 269))


def test_overlap_imagenet_100_is_every_tenth_class():
    assert [g[0] for g in load_classes("imagenet_100").imagenet] == list(range(0, 1000, 10))


def test_coco_ids_run_to_90_with_ten_gaps():
    ids = [entry.coco_id for entry in load_classes("coco").entries]
    assert ids == sorted(set(ids))
    assert (ids[0], ids[-1], len(set(range(1, 91)) - set(ids))) == (1, 90, 10)


def test_inc_appendix_f_names_and_folders():
    icons = load_classes("icons50")
    assert icons.names[14] == "Drink"
    assert icons.folders[14] == "drinks"
    assert icons.folders[32] == "marine_animals"


def test_inc_appendix_e_holds_25_wordnet_ids():
    classes = load_classes("inc_22k")
    assert len(set(classes.folders)) == 25
    assert classes.entries[0].wnid == "n01627424"


def test_lists_without_folders_or_outputs_say_so():
    with pytest.raises(InputError, match="coco have no folders"):
        _ = load_classes("coco").folders
    with pytest.raises(InputError, match="icons50 are not mapped"):
        _ = load_classes("icons50").imagenet


def test_unknown_names_are_input_errors():
    with pytest.raises(InputError, match=r"class list to be one of backgrounds, .*, but got cifar"):
        load_classes("cifar")


def test_a_table_becomes_a_list(table):
    table('index,imagenet,wnid,name\n0,3-5 8,n00000001,"a, b"\n1,7,n00000002,c\n')
    classes = load_classes("small")
    assert classes.imagenet == ((3, 4, 5, 8), (7,))
    assert classes.names == ("a, b", "c")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("index,name,colour\n0,a,red\n", 1, "Expected a column to be one of index, name, wnid"),
        ("index,name,name\n0,a,a\n", 1, "unique column names"),
        ("index,wnid\n0,n00000001\n", 1, "including index and name"),
        ("", 1, "but got nothing"),
        ("index,name\n", 1, "at least one class"),
        ("index,name\n0,a\n1\n", 3, "expected 2 cells (index, name), but got 1"),
        ("index,name\n0,a\n2,b\n", 3, "column 'index': expected 1"),
        ("index,name\none,a\n", 2, "column 'index': expected a whole number, but got 'one'"),
        ("index,name\n0,a\n1,a\n", 3, "column 'name': 'a' occurs twice (first on line 2)"),
        ("index,name\n0, a\n", 2, "column 'name': expected text without surrounding spaces"),
        ("index,name,wnid\n0,a,n1\n", 2, "column 'wnid': expected a WordNet id"),
        ("index,name,imagenet\n0,a,x\n", 2, "column 'imagenet': expected numbers or ranges"),
        ("index,name,imagenet\n0,a,9-7\n", 2, "runs backwards"),
        ("index,name,imagenet\n0,a,\n", 2, "at least one ImageNet-1K output"),
        ("index,name,imagenet\n0,a,3\n1,b,2-4\n", 3, "column 'imagenet': 3 occurs twice"),
        ("index,name,imagenet\n0,a,3 3\n", 2, "column 'imagenet': 3 occurs twice"),
    ],
)
def test_a_wrong_table_is_named_with_file_line_and_column(table, text, line, message):
    path = table(text)
    with pytest.raises(ManifestError, match=re.escape(message)) as caught:
        load_classes("small")
    assert str(caught.value).startswith(f"{path}:{line}: ")


def test_a_missing_table_and_a_wrong_heading_are_named(table, tmp_path):
    with pytest.raises(DataError, match=r"small\.csv, but there is none"):
        load_classes("small")
    headings = tmp_path / "data_manifests" / "classes" / "lists.yaml"
    headings.write_text("small: {title: Small}\n")
    with pytest.raises(ManifestError, match=r"lists\.yaml:1: missing key 'source'"):
        load_classes("small")
    headings.write_text("- small\n")
    with pytest.raises(ManifestError, match="expected a mapping"):
        class_names()


def test_cifars_broad_classes_have_the_released_files_names():
    broad = load_classes("cifar100")
    assert (broad.folders[0], broad.folders[-1]) == ("aquatic_mammals", "vehicles_2")
    assert list(broad.folders) == sorted(broad.folders)


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
