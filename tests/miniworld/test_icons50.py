"""Open icons in the classes of ICONS-50: which drawing gets which path, and that none is twice."""

import json

import numpy as np
import pytest
import yaml

from robust_lib import datasets
from robust_lib.cache import Store
from robust_lib.errors import DataError, ManifestError
from robust_lib.miniworld import icons, icons50
from robust_lib.miniworld.icons50 import Atlas, Gallery, Subtypes, load_atlas
from robust_lib.preprocessing import Preprocessing
from tests import tiny

AS_IS = Preprocessing(None, None)
ATLAS = {
    "name": "tiny",
    "title": "Shapes",
    "source": "drawn for tests",
    "sets": tiny.ATLAS["sets"],
    "classes": {
        "round": {"plain": ["ball", "dot"]},
        "other": {"plain": ["square-box", "flag"], "renamed": {"square-box": ["ring"]}},
    },
}
CLASSES = "index,folder,name\n0,round,Round\n1,other,Other Shapes\n"


@pytest.fixture
def store(project):
    """A store, in a project that has the class list and the atlas of the shapes."""
    folder = project / "data_manifests"
    (folder / "classes" / "shapes.csv").write_text(CLASSES)
    (folder / "classes" / "lists.yaml").write_text("shapes: {title: Shapes, source: tests}\n")
    write(project, ATLAS)
    return Store(project / "store")


def write(project, atlas):
    path = project / "data_manifests" / "worlds" / "tiny.yaml"
    path.write_text(yaml.safe_dump(atlas, sort_keys=False))
    return path


def gallery(store, **changes):
    settings = {"name": "shapes", "atlas": load_atlas("tiny"), "classes": "shapes"} | changes
    return Gallery(store=store, **settings)


def with_part(part):
    return Atlas.model_validate(ATLAS | {"classes": {"round": part}})


def test_a_gallery_is_an_image_set(store):
    data = gallery(store)
    assert isinstance(data, datasets.ImageSet)
    assert len(data) == len(data.ids) == len(data.labels) == len(data.pictures)
    assert (data.classes, data.class_names) == ("shapes", ("Round", "Other Shapes"))
    assert data.labels.dtype == np.int64
    assert data.pictures.shape[1:] == (32, 32, 3)
    assert data.pictures.dtype == np.uint8
    for index in (0, len(data) - 1):
        assert np.array_equal(data.read(index, AS_IS), data.pictures[index])
    assert data.read(0, Preprocessing(16, 12)).shape == (12, 12, 3)


def test_ids_are_paths_in_the_manner_of_icons_50(store):
    data = gallery(store)
    assert data.ids == (
        "other/google_1_flag.png",
        "other/google_1_square_box.png",
        "other/microsoft_1_flag.png",
        "other/microsoft_1_square_box.png",
        "other/microsoft_2_flag.png",
        "other/microsoft_2_square_box.png",
        "other/mozilla_1_flag.png",
        "other/mozilla_1_square_box.png",
        "round/google_1_ball.png",  # its dot is hidden
        "round/microsoft_1_ball.png",
        "round/microsoft_1_dot.png",
        "round/microsoft_2_ball.png",
        "round/microsoft_2_dot.png",
        "round/mozilla_1_ball.png",
        "round/mozilla_1_dot.png",
    )
    assert data.labels.tolist() == [1] * 8 + [0] * 7


def test_a_path_shows_the_drawing_that_it_names(store):
    data = gallery(store)
    drawn = {str(d): rgba for d, rgba in zip(data.art.drawings, data.art.rgba, strict=True)}
    for path, drawing in (
        ("round/microsoft_2_dot.png", "fluent-emoji-flat:dot"),
        ("other/mozilla_1_square_box.png", "nohyphens:squarebox"),
        ("other/google_1_flag.png", "plain:flag"),
    ):
        picture = data.pictures[data.ids.index(path)]
        assert np.array_equal(picture, icons50.on_white(drawn[drawing]))
        assert (picture[0, 0] == 255).all()


def test_a_subtypes_own_name_comes_before_another(store):
    """All sets have both a square box and a ring, so the ring is never drawn."""
    data = gallery(store)
    ring = {
        icons50.on_white(rgba).tobytes()
        for drawing, rgba in zip(data.art.drawings, data.art.rgba, strict=True)
        if drawing.name == "ring"
    }
    assert len(ring) == 4
    assert not ring & {picture.tobytes() for picture in data.pictures}
    only = with_part({"plain": ["absent"], "renamed": {"absent": ["ring"]}})
    with pytest.raises(DataError, match="icons named absent"):
        gallery(store, atlas=only).ids  # noqa: B018


def test_no_two_pictures_are_the_same(store, monkeypatch):
    """Only the first by its path is kept of two drawings with the same pixels."""
    load = icons.load

    def twins(*arguments, **settings):
        art = load(*arguments, **settings)
        rgba = art.rgba.copy()
        names = [str(drawing) for drawing in art.drawings]
        rgba[names.index("fluent-emoji-flat:dot")] = rgba[names.index("fluent-emoji:ball")]
        return icons.Art(art.drawings, rgba)

    before = gallery(store).ids
    monkeypatch.setattr(icons, "load", twins)
    after = gallery(store).ids
    assert set(before) - set(after) == {"round/microsoft_2_dot.png"}
    assert set(after) < set(before)


def test_what_is_white_on_white_is_left_out(store, monkeypatch):
    load = icons.load

    def bleached(*arguments, **settings):
        art = load(*arguments, **settings)
        rgba = art.rgba.copy()
        rgba[[drawing.name == "dot" for drawing in art.drawings], ..., :3] = 253
        return icons.Art(art.drawings, rgba)

    before = gallery(store).ids
    monkeypatch.setattr(icons, "load", bleached)
    assert set(before) - set(gallery(store).ids) == {p for p in before if p.endswith("_dot.png")}


def test_skin_tones_have_both_names_or_the_long_one():
    part = Subtypes(plain=("cup",), toned=("ok-hand",), toned_long=("kiss",))
    assert dict(part.icons) == {
        "cup": "cup",
        "ok-hand": "ok_hand",
        "ok-hand-medium-skin-tone": "ok_hand_type_4",
        "ok-hand-medium": "ok_hand_type_4",
        "kiss": "kiss",
        "kiss-medium-skin-tone": "kiss_type_4",
    }


def test_alpha_is_laid_on_white():
    rgba = np.zeros((1, 3, 4), np.uint8)
    rgba[0, :, 3] = [0, 127, 255]
    assert icons50.on_white(rgba)[0, :, 0].tolist() == [255, 128, 0]


def test_the_digest_knows_what_decides_the_pictures(store, project, monkeypatch):
    base = gallery(store)
    one = Atlas.model_validate(ATLAS | {"classes": {"round": {"plain": ["ball"]}}})
    turned = {"plain": {"style": "google", "rendition": 3}}
    other = Atlas.model_validate(ATLAS | {"sets": ATLAS["sets"] | turned})
    words = Atlas.model_validate(ATLAS | {"title": "Figures", "source": "someone"})
    digests = {
        base.digest,
        gallery(store, atlas=one).digest,
        gallery(store, atlas=other).digest,
        gallery(store, size=48).digest,
    }
    assert len(digests) == 4
    assert gallery(Store(project / "b"), atlas=words, name="b").digest == base.digest
    monkeypatch.setattr(icons50, "source_digest", lambda *places: "-".join(places))
    assert gallery(store).digest not in digests


def test_a_gallery_is_the_same_each_time(store, project):
    one, other = gallery(store), gallery(Store(project / "other"))
    assert one.ids == other.ids
    assert np.array_equal(one.pictures, other.pictures)


def test_a_class_that_the_list_does_not_have_is_refused(store):
    strange = Atlas.model_validate(ATLAS | {"classes": {"oval": {"plain": ["ball"]}}})
    with pytest.raises(DataError, match="classes of shapes in the atlas tiny, but it has oval"):
        gallery(store, atlas=strange).ids  # noqa: B018


def test_a_set_without_a_style_is_refused(store):
    sets = {name: origin for name, origin in ATLAS["sets"].items() if name != "nohyphens"}
    with pytest.raises(DataError, match="atlas tiny, but it has none for nohyphens"):
        gallery(store, atlas=Atlas.model_validate(ATLAS | {"sets": sets})).ids  # noqa: B018


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"classes": {}}, "key 'classes'"),
        ({"sets": {}}, "key 'sets'"),
        ({"colour": "red"}, "unknown key 'colour'"),
        (
            {"classes": {"a": {"plain": ["red-box"]}, "b": {"plain": ["redbox"]}}},
            "the icons redbox stand in two places",
        ),
        (
            {"classes": {"a": {"plain": ["box"], "toned": ["box"]}}},
            "the icons box stand in two places",
        ),
        (
            {"classes": {"a": {"plain": ["box"], "renamed": {"ball": ["orb"]}}}},
            "ball is renamed in a, but is no subtype of it",
        ),
        (
            {"sets": ATLAS["sets"] | {"copy": {"style": "google", "rendition": 1}}},
            "two sets have the same style and rendition",
        ),
        ({"sets": {"plain": {"style": "emoji_one", "rendition": 1}}}, "sets.plain.style"),
        ({"sets": {"plain": {"style": "lg", "rendition": -1}}}, "sets.plain.rendition"),
    ],
)
def test_a_wrong_atlas_is_refused(store, project, changes, words):
    path = write(project, ATLAS)
    path.write_text(json.dumps(ATLAS | changes))
    with pytest.raises(ManifestError) as caught:
        load_atlas("tiny")
    assert f"{path}:1: " in str(caught.value)
    assert words in str(caught.value)


def test_an_atlas_that_there_is_not_is_refused(store):
    with pytest.raises(DataError, match=r"worlds/moon\.yaml"):
        load_atlas("moon")
