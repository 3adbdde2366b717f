"""Strict YAML: whatever is wrong with a file, the message names the file, the line and the key."""

from typing import Any

import pytest
from pydantic import Field, model_validator

from robust_lib.config.strict_yaml import (
    Entry,
    Record,
    filled_in,
    parse_record,
    read_like,
    read_record,
    read_yaml,
    require_stem,
)
from robust_lib.errors import DataError, ManifestError


class Leaf(Record):
    name: str
    weight: float = 1.0


class Tree(Record):
    title: str
    leaves: tuple[Leaf, ...] = ()
    heights: dict[str, int] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _titled(self) -> Any:
        if self.title == "nothing":
            raise ValueError("a tree that is nothing has no leaves")
        return self


GOOD = """\
# A comment.
title: an oak
leaves:
- name: one
- name: two
  weight: 2.5
heights: {root: -3, crown: 20}
"""


@pytest.fixture
def file(tmp_path):
    return tmp_path / "tree.yaml"


def read(file, text):
    file.write_text(text, encoding="utf-8")
    return read_record(file, Tree)


def test_a_good_file_becomes_a_frozen_record(file):
    tree = read(file, GOOD)
    assert tree == Tree(
        title="an oak",
        leaves=(Leaf(name="one"), Leaf(name="two", weight=2.5)),
        heights={"root": -3, "crown": 20},
    )
    with pytest.raises(ValueError, match="frozen"):
        tree.title = "a beech"


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("title: an oak", "titel: an oak", 2, ["unknown key 'titel'", "title, leaves, heights"]),
        ("title: an oak\n", "", 2, ["missing key 'title'", "every Tree needs it"]),
        ("  weight: 2.5", "  weigth: 2.5", 6, ["unknown key 'leaves.1.weigth'", "name, weight"]),
        (
            "- name: two\n  weight",
            "- weight",
            5,
            ["missing key 'leaves.1.name'", "every Leaf needs it"],
        ),
        ("weight: 2.5", "weight: heavy", 6, ["key 'leaves.1.weight'", "valid number", "'heavy'"]),
        ("crown: 20", "crown: 2.5", 7, ["key 'heights.crown'", "integer", "2.5"]),
        ("leaves:\n", "leaves:\n  none: x\n", 3, ["key 'leaves'"]),
        ("an oak", "[an, oak]", 2, ["key 'title'", "valid string"]),
        ("an oak", "nothing", 2, ["a tree that is nothing has no leaves."]),
    ],
)
def test_a_wrong_file_is_refused_by_file_line_and_key(file, old, new, line, words):
    text = GOOD.replace(old, new)
    if old == "leaves:\n":  # a mapping where a list is expected
        text = "title: an oak\n\nleaves: {none: x}\n"
    with pytest.raises(ManifestError) as caught:
        read(file, text)
    message = str(caught.value)
    assert message.startswith(f"{file}:{line}: ")
    for word in words:
        assert word in message


def test_a_rule_about_the_whole_record_does_not_repeat_it(file):
    with pytest.raises(ManifestError) as caught:
        read(file, GOOD.replace("an oak", "nothing"))
    assert "but got" not in str(caught.value)


def test_several_mistakes_are_counted(file):
    with pytest.raises(ManifestError, match=r"unknown key 'leaves.1.colour'.*\(2.*it\.\)"):
        read(file, GOOD.replace("weight: 2.5", "colour: red\n  smell: no\n  taste: no"))


@pytest.mark.parametrize(
    ("text", "line", "first"),
    [
        ("title: a\nleaves: []\ntitle: b\n", 3, 1),
        ("title: a\nheights:\n  root: 1\n  crown: 2\n  root: 3\n", 5, 3),
    ],
)
def test_a_key_written_twice_is_refused(file, text, line, first):
    with pytest.raises(ManifestError) as caught:
        read(file, text)
    assert f"{file}:{line}: " in str(caught.value)
    assert f"first on line {first}" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "line"),
    [("title: a\nleaves: [one\n", 3), ("title: a\n  bad: indent\n", 2), ("title: 'open\n", 2)],
)
def test_malformed_yaml_is_refused_by_line(file, text, line):
    with pytest.raises(ManifestError, match="not valid YAML") as caught:
        read(file, text)
    assert str(caught.value).startswith(f"{file}:{line}: ")


@pytest.mark.parametrize("text", ["", "- a\n- b\n", "just words\n"])
def test_something_else_than_a_mapping_is_refused(file, text):
    with pytest.raises(ManifestError, match="expected a mapping with the keys of a Tree"):
        read(file, text)


def test_a_missing_file_is_named(file):
    with pytest.raises(DataError, match="there is none") as caught:
        read_record(file, Tree)
    assert str(file) in str(caught.value)


def test_yaml_cannot_make_objects(file):
    file.write_text("!!python/object/apply:os.getcwd []\n")
    with pytest.raises(ManifestError, match="not valid YAML"):
        read_yaml(file)


def test_a_part_of_a_file_is_found_by_its_place(file):
    text = "trees:\n- title: one\n- title: two\n  colour: red\n"
    file.write_text(text)
    raw = read_yaml(file)["trees"]
    assert parse_record(raw[0], Tree, file, "trees", 0).title == "one"
    with pytest.raises(ManifestError) as caught:
        parse_record(raw[1], Tree, file, "trees", 1)
    assert str(caught.value).startswith(f"{file}:4: ")


def test_a_part_that_is_no_mapping_is_found_by_its_place(file):
    file.write_text("trees:\n- title: one\n- two\n")
    raw = read_yaml(file)["trees"]
    with pytest.raises(ManifestError, match="found str") as caught:
        parse_record(raw[1], Tree, file, "trees", 1)
    assert str(caught.value).startswith(f"{file}:3: ")


def test_a_control_character_is_named_with_its_line(tmp_path):
    path = tmp_path / "broken.yaml"
    path.write_bytes(b"name: a\nkind: \x07\n")
    with pytest.raises(ManifestError, match=r"broken.yaml:2: not valid YAML"):
        read_yaml(path)


# Entries that are like others.

TREES = """\
# A comment.
oak:
  title: an oak
  leaves: [{name: one}]
  heights: {root: -3, crown: 20}
beech:
  like: oak
  title: a beech
  heights: {root: null, crown: 18, bough: 4}
"""


def like(file, name, text=TREES, **settings):
    file.write_text(text, encoding="utf-8")
    known = read_yaml(file)
    return read_like(name, lambda one: Entry(known[one], file, (one,)), known, Tree, **settings)


def test_an_entry_takes_from_the_one_that_it_is_like_what_it_lacks(file):
    beech = like(file, "beech", joining=["heights"])
    assert beech == Tree(
        title="a beech", leaves=(Leaf(name="one"),), heights={"crown": 18, "bough": 4}
    )
    assert list(beech.heights) == ["crown", "bough"]
    assert like(file, "oak") == Tree(
        title="an oak", leaves=(Leaf(name="one"),), heights={"root": -3, "crown": 20}
    )


def test_a_mapping_that_is_not_joined_is_replaced_as_a_whole(file):
    text = TREES.replace("root: null, ", "")
    assert like(file, "beech", text).heights == {"crown": 18, "bough": 4}
    assert filled_in({"heights": {}}, {"heights": {"root": -3}}) == {"heights": {}}


def test_a_mapping_that_is_left_out_is_taken_and_neither_side_is_changed():
    base = {"heights": {"root": -3, "crown": 2}}
    given = {"like": "oak", "heights": {"root": None}}
    assert filled_in({"like": "oak"}, base, joining=["heights"]) == base
    assert filled_in(given, base, joining=["heights"]) == {"heights": {"crown": 2}}
    assert base == {"heights": {"root": -3, "crown": 2}}
    assert given == {"like": "oak", "heights": {"root": None}}


def test_what_is_excluded_must_be_given(file):
    with pytest.raises(ManifestError) as caught:
        like(file, "beech", TREES.replace("  title: a beech\n", ""), excluding=["title"])
    assert str(caught.value).startswith(f"{file}:6: missing key 'title'")


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("like: oak", "like: ok", 7, "Expected key 'like' to be one of oak, but got 'ok'."),
        ("like: oak", "like: beech", 7, "Expected key 'like' to be one of oak, but got 'beech'."),
        ("like: oak", "like: [oak]", 7, "Expected key 'like' to be one of oak, but got ['oak']."),
        ("  title: an oak", "  like: beech", 7, "key 'like': oak is itself like beech"),
        # What is wrong in an entry is found there, not in those that take it.
        ("title: an oak", "titel: an oak", 3, "unknown key 'titel'"),
        ("crown: 20", "crown: high", 5, "key 'heights.crown'"),
        ("crown: 18", "crown: high", 9, "key 'heights.crown'"),
        ("title: a beech", "titel: a beech", 8, "unknown key 'titel'"),
        # Nothing is removed that is not there.
        ("bough: 4", "bough: null", 9, "key 'heights.bough': Input should be a valid integer"),
        ("heights: {root: null", "heights: null #", 9, "key 'heights': Input should be a valid"),
    ],
)
def test_what_is_wrong_is_told_by_file_line_and_key(file, old, new, line, words):
    assert old in TREES
    with pytest.raises(ManifestError) as caught:
        like(file, "beech", TREES.replace(old, new), joining=["heights"])
    assert str(caught.value).startswith(f"{file}:{line}: {words}")


def test_being_like_something_that_is_no_mapping_is_refused_where_that_stands(file):
    with pytest.raises(ManifestError, match="found str") as caught:
        like(file, "beech", "oak: tall\nbeech: {like: oak}\n")
    assert str(caught.value).startswith(f"{file}:1: expected a mapping")


def test_a_record_named_otherwise_than_its_file_is_refused(file):
    file.write_text("# A comment.\nname: bush\n")
    require_stem(file, "tree")
    with pytest.raises(
        ManifestError, match="must be the file's stem 'tree', but got 'bush'"
    ) as got:
        require_stem(file, "bush")
    assert str(got.value).startswith(f"{file}:2: ")
