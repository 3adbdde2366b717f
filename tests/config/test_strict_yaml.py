"""Strict YAML: whatever is wrong with a file, the message names the file, the line and the key."""

from typing import Any

import pytest
from pydantic import Field, model_validator

from robust_lib.config.strict_yaml import Record, parse_record, read_record, read_yaml
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
    with pytest.raises(ManifestError, match=r"unknown key 'leaves.1.colour'.* \(2 more in it\.\)"):
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
