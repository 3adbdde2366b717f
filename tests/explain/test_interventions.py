"""Interventions: colours change as they are told to, and nothing else does."""

import colorsys

import numpy as np
import pytest
from PIL import Image

from robust_lib.datasets import ImageSet
from robust_lib.datasets.derived import source
from robust_lib.errors import InputError
from robust_lib.explain import interventions
from robust_lib.explain.interventions import EDITS, Edited, Versions, grey, recolour, turned
from robust_lib.preprocessing import Preprocessing
from tests import toys

AS_IS = Preprocessing(None, None)
HUES = [edit for edit in EDITS if edit != "grey"]


@pytest.fixture
def picture():
    return np.random.default_rng(0).integers(0, 256, (24, 20, 3), dtype=np.uint8)


def test_grey_has_equal_channels_of_pillows_lightness(picture):
    found = recolour(picture, "grey")
    assert found.shape == picture.shape
    assert (found == found[..., :1]).all()
    light = np.asarray(Image.fromarray(picture).convert("L")).astype(int)
    assert np.abs(found[..., 0] - light).max() <= 1
    assert np.array_equal(grey(found), found)


def test_a_whole_turn_changes_nothing(picture):
    assert np.array_equal(turned(picture, 0), picture)
    assert np.array_equal(turned(picture, 360), picture)


def test_a_third_of_a_turn_permutes_the_channels(picture):
    """Red becomes green, green blue, blue red: the old red channel is the new green one."""
    assert np.array_equal(recolour(picture, "hue+120"), picture[..., [2, 0, 1]])
    assert np.array_equal(recolour(picture, "hue+240"), picture[..., [1, 2, 0]])
    red = np.array([[[255, 0, 0]]], np.uint8)
    assert recolour(red, "hue+60").tolist() == [[[255, 255, 0]]]
    assert recolour(red, "hue+180").tolist() == [[[0, 255, 255]]]
    assert recolour(red, "hue+300").tolist() == [[[255, 0, 255]]]


@pytest.mark.parametrize("edit", HUES)
def test_hues_are_those_of_the_standard_library(picture, edit):
    degrees = int(edit[4:])
    found = recolour(picture, edit)
    for before, after in zip(picture.reshape(-1, 3)[:60], found.reshape(-1, 3), strict=False):
        hue, saturation, value = colorsys.rgb_to_hsv(*(before / 255))
        expected = colorsys.hsv_to_rgb((hue + degrees / 360) % 1, saturation, value)
        assert np.abs(after - 255 * np.array(expected)).max() <= 0.51


@pytest.mark.parametrize("edit", HUES)
def test_greys_have_no_hue_to_turn(edit):
    greys = np.repeat(np.arange(256, dtype=np.uint8)[:, None, None], 3, -1)
    assert np.array_equal(recolour(greys, edit), greys)


def test_an_edited_set_is_the_base_in_other_colours():
    base = toys.Swatches()
    for edit in EDITS:
        edited = Edited(base, edit)
        assert isinstance(edited, ImageSet)
        assert edited.name == f"swatches/{edit}"
        assert (edited.ids, edited.classes) == (base.ids, base.classes)
        assert edited.labels.tolist() == base.labels.tolist()
        assert np.array_equal(edited.read(4, AS_IS), recolour(base.read(4, AS_IS), edit))


def test_a_network_that_goes_by_colour_is_fooled():
    from robust_lib.predict.classify import predict

    network, base = toys.brightest(), toys.Swatches()
    assert predict(network, base).correct.all()
    said = predict(network, Edited(base, "hue+120"))
    assert said.predicted.tolist() == ((base.labels + 1) % 3).tolist()


def test_digests_tell_edits_apart():
    bases = toys.Swatches(), toys.Swatches(side=8)
    digests = {Edited(base, edit).digest for base in bases for edit in EDITS}
    assert len(digests | {base.digest for base in bases}) == 2 * len(EDITS) + 2


def test_an_unknown_edit_is_refused(picture):
    for refused in (lambda: recolour(picture, "sepia"), lambda: Edited(toys.Swatches(), "sepia")):
        with pytest.raises(InputError, match=r"grey, hue\+60.*sepia"):
            refused()


def test_edits_may_be_a_list_its_text_or_none():
    assert interventions.chosen(None) == interventions.EDITS
    assert interventions.chosen(["grey"]) == interventions.chosen("[grey]") == ("grey",)
    assert interventions.chosen("grey") == ("grey",)
    for wrong in (["gray"], [], "[hue+61]", "[3]"):
        with pytest.raises(InputError, match="edit to be one of grey, hue"):
            interventions.chosen(wrong)


AS_IS = Preprocessing(None, None)


def lighter(step, places=(3, 3, 1), marks=("a", "b", "a")):
    return Versions(
        toys.Swatches(),
        "lighter",
        places,
        marks,
        lambda picture, number: np.clip(picture + step * (number + 1), 0, 255).astype(np.uint8),
        {"step": step},
    )


def test_versions_are_an_image_set_of_their_own():
    made, base = lighter(2), toys.Swatches()
    assert isinstance(made, ImageSet)
    assert made.name == "swatches/lighter"
    assert made.ids == tuple(
        f"{base.ids[at]}/{mark}" for at, mark in ((3, "a"), (3, "b"), (1, "a"))
    )
    assert made.labels.tolist() == base.labels[[3, 3, 1]].tolist()
    assert (len(made), made.classes, source(made).name) == (3, base.classes, "swatches")
    expected = np.clip(base.read(3, AS_IS).astype(int) + 4, 0, 255)
    assert np.array_equal(made.read(1, AS_IS), expected)


def test_digests_tell_changes_pictures_and_versions_apart():
    digests = [
        lighter(2).digest,
        lighter(3).digest,
        lighter(2, (3, 2, 1)).digest,
        lighter(2, marks=("a", "b", "c")).digest,
        toys.Swatches().digest,
    ]
    assert len(set(digests)) == len(digests)
    assert lighter(2).digest == lighter(2).digest


def test_every_version_needs_a_mark():
    with pytest.raises(InputError, match=r"mark.*3 versions.*1"):
        lighter(1, marks=("a",))
