"""Icon art: from packages to pictures, with the traps of the real sets."""

import gzip
import re

import numpy as np
import pytest

from robust_lib.cache import Store
from robust_lib.errors import DataError
from robust_lib.miniworld import icons
from robust_lib.miniworld.icons import Art, Drawing
from tests.miniature import SETS, SHAPES, icon_set, pack, packages

HEADER = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}">{}</svg>'


@pytest.fixture
def archives(tmp_path):
    return packages(tmp_path / "packages")


def names(art):
    return [str(drawing) for drawing in art.drawings]


def test_a_package_is_read(archives):
    content = icons.read_set(archives[1])
    assert content["prefix"] == "nohyphens"
    assert set(content["icons"]) == {name.replace("-", "") for name in SHAPES}


def absent(path):
    path.unlink()


def no_archive(path):
    path.write_bytes(b"<html>404</html>")


def cut(path):
    path.write_bytes(path.read_bytes()[:-40])


def garbled(path):
    content = bytearray(path.read_bytes())
    content[60:90] = bytes(30)
    path.write_bytes(content)


def another_member(path):
    pack(path, {"prefix": "plain", "icons": {}}, member="package/info.json")


def no_json(path):
    pack(path, b"icons!")


def no_text(path):
    pack(path, b'{"prefix": "\xff\xfe"}')


def no_icons(path):
    pack(path, {"prefix": "plain"})


def empty(path):
    path.write_bytes(gzip.compress(b""))


@pytest.mark.parametrize(
    "spoil", [absent, no_archive, cut, garbled, another_member, no_json, no_text, no_icons, empty]
)
def test_an_unreadable_package_is_named_with_what_to_do(archives, spoil):
    spoil(archives[0])
    with pytest.raises(DataError, match="robust fetch icons") as caught:
        icons.load(archives, ["ball"], size=16)
    assert str(archives[0]) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_svg_has_the_frame_of_the_icon_or_else_of_the_set():
    content = {"icons": {"a": {"body": "<g/>"}, "b": {"body": "<g/>", "width": 9, "left": -2}}}
    assert 'viewBox="0 0 16 16"' in icons.svg_of(content, "a")[0]
    content |= {"width": 32, "height": 24}
    assert 'viewBox="0 0 32 24"' in icons.svg_of(content, "a")[0]
    assert 'viewBox="-2 0 9 24"' in icons.svg_of(content, "b")[0]


def test_an_alias_shows_its_parent_and_may_mirror_it():
    content = icon_set("plain", "#fff")
    content["aliases"]["same"] = {"parent": "galf"}
    parent, straight = icons.svg_of(content, "galf")
    assert icons.svg_of(content, "flag") == (parent, True)
    assert icons.svg_of(content, "same") == (parent, False)
    assert not straight


@pytest.mark.parametrize("name", ["dot", "absent", "hidden-alias", "alias-of-hidden"])
def test_what_a_set_hides_or_lacks_is_not_there(name):
    content = icon_set("plain", "#fff")
    content["aliases"]["hidden-alias"] = {"parent": "galf", "hidden": True}
    content["aliases"]["alias-of-hidden"] = {"parent": "dot"}
    with pytest.raises(KeyError):
        icons.svg_of(content, name)


def test_rasterised_art_has_straight_alpha():
    svg = HEADER.format(4, 4, '<path d="M0 0h4v4H0z" fill="#f00" fill-opacity=".5"/>')
    rgba = icons.rasterise(svg, 8)
    assert rgba.shape == (8, 8, 4)
    assert rgba.dtype == np.uint8
    assert (rgba == [255, 0, 0, 128]).all()


def test_mirrored_art_is_the_other_way_round():
    svg = HEADER.format(16, 16, SHAPES["flag"].format("#123456"))
    straight, mirrored = icons.rasterise(svg, 32), icons.rasterise(svg, 32, mirrored=True)
    assert np.array_equal(mirrored, straight[:, ::-1])
    assert not np.array_equal(mirrored, straight)


@pytest.mark.parametrize(("width", "height"), [(8, 4), (4, 8)])
def test_an_icon_that_is_no_square_keeps_its_proportions_in_the_middle(width, height):
    svg = HEADER.format(width, height, f'<path d="M0 0h{width}v{height}H0z"/>')
    alpha = icons.rasterise(svg, 16)[..., 3]
    rows, columns = np.nonzero(alpha > 127)
    assert (np.ptp(columns) + 1) / (np.ptp(rows) + 1) == width / height
    assert (rows.min() + rows.max(), columns.min() + columns.max()) == (15, 15)


def test_names_join_the_sets_without_their_hyphens(archives):
    art = icons.load(archives, ["square-box"], size=16)
    assert names(art) == [
        "plain:square-box",
        "nohyphens:squarebox",
        "fluent-emoji:square-box",
        "fluent-emoji-flat:square-box",
    ]
    assert art.of("square-box") == art.of("squarebox") == (0, 1, 2, 3)
    assert art.rgba.shape == (4, 16, 16, 4)


def test_a_name_asked_for_twice_or_with_other_hyphens_is_drawn_once(archives):
    assert len(icons.load(archives, ["ball", "ball", "ba-ll"], size=16).drawings) == len(SETS)


def test_a_drawing_lies_where_art_says(archives):
    art = icons.load(archives, SHAPES, size=32)
    for prefix, colour in (("plain", (204, 51, 51)), ("nohyphens", (51, 170, 51))):
        place = next(p for p in art.of("ball") if art.drawings[p].set == prefix)
        assert tuple(art.rgba[place, 16, 16]) == (*colour, 255)
    assert art.of("dotted") == ()


def test_hidden_icons_are_left_out_and_aliases_drawn(archives):
    art = icons.load(archives, ["dot", "flag"], size=32)
    assert "plain:dot" not in names(art)
    assert len(art.of("dot")) == 3
    alias = art.rgba[names(art).index("plain:flag"), ..., 3]
    own = art.rgba[names(art).index("fluent-emoji:flag"), ..., 3]
    assert np.array_equal(alias, own[:, ::-1])


def test_an_empty_drawing_is_left_out(tmp_path):
    content = icon_set("plain", "#fff")
    content["icons"]["ball"]["body"] = "<g/>"
    archive = pack(tmp_path / "a.tgz", content)
    other = pack(tmp_path / "b.tgz", icon_set("nohyphens", "#fff"))
    assert names(icons.load([archive, other], ["ball"], size=16)) == ["nohyphens:ball"]


@pytest.mark.parametrize("wanted", [["unicorn"], ["ball", "unicorn", "dragon"]])
def test_a_name_that_no_set_has_is_named(archives, wanted):
    with pytest.raises(DataError) as caught:
        icons.load(archives, wanted, size=16)
    message = str(caught.value)
    assert all(name in message for name in wanted if name != "ball")
    assert "ball" not in message
    assert all(archive.name in message for archive in archives)


def test_sets_that_share_their_drawings_share_a_hand():
    assert Drawing("fluent-emoji-flat", "a").hand == Drawing("fluent-emoji", "a").hand
    assert Drawing("plain", "a").hand == "plain"
    assert str(Drawing("plain", "a")) == "plain:a"


def test_art_is_rasterised_once_and_then_read_from_the_store(archives, tmp_path, monkeypatch):
    store = Store(tmp_path / "store")
    drawn = icons.load(archives, SHAPES, size=24, store=store)

    def refuse(*_):
        raise AssertionError("the packages were read again")

    monkeypatch.setattr(icons, "read_set", refuse)
    kept = icons.load(archives, reversed(SHAPES), size=24, store=store)
    assert isinstance(kept, Art)
    assert kept.drawings == drawn.drawings
    assert np.array_equal(kept.rgba, drawn.rgba)
    for change in ({"size": 25}, {"names": ["ball"]}, {"archives": archives[1:]}):
        asked = {"archives": archives, "names": SHAPES, "size": 24} | change
        with pytest.raises(AssertionError, match="read again"):
            icons.load(asked["archives"], asked["names"], size=asked["size"], store=store)


def test_art_is_the_same_each_time(archives):
    one, other = (icons.load(archives, SHAPES, size=48) for _ in range(2))
    assert np.array_equal(one.rgba, other.rgba)
    assert all(re.fullmatch(r"[a-z-]+:[a-z-]+", name) for name in names(one))
