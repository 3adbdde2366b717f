"""The committed atlas with the real icon sets: counts, and the hold-outs of the paper on it."""

from collections import Counter

import numpy as np
import pytest

from robust_lib import paths
from robust_lib.cache import Store
from robust_lib.config.class_lists import load_classes
from robust_lib.config.manifests import load_dataset
from robust_lib.datasets import hold_outs
from robust_lib.datasets.icons50 import Icons50
from robust_lib.errors import FetchError
from robust_lib.fetch import fetch
from robust_lib.miniworld.icons50 import Gallery, load_atlas

HELD_OUT = load_dataset("icons50_open").options["held_out_subtypes"]


def test_the_atlas_has_the_classes_of_the_paper_with_at_most_45_subtypes():
    atlas = load_atlas("icons50")
    assert tuple(atlas.classes) == load_classes("icons50").folders
    assert max(len(part.names) for part in atlas.classes.values()) == 45
    assert min(len(part.names) for part in atlas.classes.values()) >= 3


def test_every_set_has_a_style_and_three_vendors_have_two_versions():
    atlas = load_atlas("icons50")
    sets = {described["prefix"] for described in load_dataset("icons").options["sets"]}
    assert set(atlas.sets) == sets
    counts = Counter(origin.style for origin in atlas.sets.values())
    assert {style for style, count in counts.items() if count == 2} == {
        "google",
        "microsoft",
        "emoji-one",
    }


def test_the_subtypes_that_the_paper_holds_out_are_all_there():
    names = [name for part in load_atlas("icons50").classes.values() for name in part.names]
    assert set(HELD_OUT) <= {name.replace("-", "_") for name in names}
    # Of these, as many have still the name that the release has.
    released = load_dataset("icons50").options["held_out_subtypes"]
    assert len(set(HELD_OUT) & set(released)) == 39


@pytest.fixture(scope="module")
def icons():
    """Kept where the book keeps it: rasterising takes a while."""
    try:
        fetch("icons")
    except FetchError as error:
        pytest.skip(f"the icon packages cannot be fetched here: {error}")
    store = Store(paths.cache() / "store")
    return Icons50(Gallery("icons50_open", load_atlas("icons50"), store))


@pytest.mark.network
def test_counts_are_those_of_the_manifest_and_near_the_prototypes(icons):
    assert len(icons) == load_dataset("icons50_open").images
    assert len(icons) == pytest.approx(6065, rel=0.1)
    counts = np.bincount(icons.labels, minlength=50)
    assert counts.min() >= 28
    assert np.median(counts) == pytest.approx(86, rel=0.1)


@pytest.mark.network
def test_every_vendor_draws_nearly_every_class(icons):
    lacking = {
        style: set(range(50)) - {icon.label for icon in icons.icons if icon.style == style}
        for style in {icon.style for icon in icons.icons}
    }
    names = icons.class_names
    assert {names[label] for label in lacking.pop("microsoft")} == {"Family", "Holding Hands"}
    assert len(lacking.pop("mozilla")) == 4
    assert set(map(len, lacking.values())) == {0}


@pytest.mark.network
def test_no_picture_is_there_twice_or_blank(icons):
    pictures = icons.base.pictures
    assert len({picture.tobytes() for picture in pictures}) == len(pictures)
    assert (pictures < 250).any(axis=(1, 2, 3)).all()


@pytest.mark.network
@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda icons: hold_outs.style(icons, "microsoft"), 1502),
        (lambda icons: hold_outs.version(icons, share=0.22), 377),
        (lambda icons: hold_outs.at_random(icons), 606),
        (lambda icons: hold_outs.subtypes(icons, HELD_OUT), 413),
        (lambda icons: hold_outs.one_a_class(icons), 413),
    ],
    ids=["style", "version", "random", "subtypes", "one a class"],
)
def test_hold_outs_are_about_as_large_as_the_prototypes(icons, make, expected):
    hold_out = make(icons.icons)
    assert len(hold_out.test) == pytest.approx(expected, rel=0.15)
    assert not set(hold_out.train) & set(hold_out.test)
    pictures = icons.base.pictures
    tested = {pictures[index].tobytes() for index in hold_out.test}
    assert not tested & {pictures[index].tobytes() for index in hold_out.train}
    assert set(icons.labels[hold_out.train].tolist()) == set(range(50))


@pytest.mark.network
def test_the_authors_rule_empties_two_classes_here_too(icons):
    effects = {
        effect.word: effect for effect in hold_outs.side_effects(icons.icons, HELD_OUT, "subtype")
    }
    assert {word for word, effect in effects.items() if effect.emptied} == {"books", "monkey"}
    for word in ("watch", "pencil", "family_man_boy", "factory_worker"):
        assert effects[word].besides > 0
    exact = hold_outs.subtypes(icons.icons, HELD_OUT)
    authors = hold_outs.subtypes(icons.icons, HELD_OUT, "authors")
    assert set(exact.test) < set(authors.test)
    emptied = set(range(50)) - set(icons.labels[authors.train].tolist())
    assert {icons.class_names[label] for label in emptied} == {"Books", "Monkey"}
