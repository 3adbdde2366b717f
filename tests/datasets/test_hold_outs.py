"""Hold-outs: nothing on both sides, the authors' rule with its side effects, draws by key."""

import random
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from robust_lib.datasets import hold_outs
from robust_lib.datasets.hold_outs import named, of_each_subtype, some_a_class
from robust_lib.datasets.icons50 import Icon, parse
from robust_lib.errors import InputError
from tests.toys import unchecked

PATHS = [
    f"{folder}/{style}_{rendition}_{subtype}.png"
    for folder, subtypes in {
        "bird": ("duck", "rubber_duck", "owl", "penguin"),
        "books": ("books", "ledger", "open_book"),
        "hand": ("fist", "fist_type_4", "fist_type_6", "palm", "palm_type_4"),
        "numbers": ("keycap_2", "keycap_3"),
    }.items()
    for style, renditions in {"google": (1, 2, 3), "microsoft": (1, 2), "lg": (0,)}.items()
    for rendition in renditions
    for subtype in subtypes
]
LABELS = {"bird": 0, "books": 1, "hand": 2, "numbers": 3}
ICONS = [parse(path, LABELS[path.split("/")[0]]) for path in PATHS]

ALL = {
    "style": lambda icons: hold_outs.style(icons, "microsoft"),
    "style, authors": lambda icons: hold_outs.style(icons, "microsoft", "authors"),
    "version": lambda icons: hold_outs.version(icons),
    "version, a third": lambda icons: hold_outs.version(icons, share=1 / 3),
    "version, authors": lambda icons: hold_outs.version(icons, "authors"),
    "subtypes": lambda icons: hold_outs.subtypes(icons, ["duck", "books", "fist"]),
    "subtypes, authors": lambda icons: hold_outs.subtypes(icons, ["duck", "books"], "authors"),
    "one a class": lambda icons: hold_outs.one_a_class(icons),
    "at random": lambda icons: hold_outs.at_random(icons, 0.2),
}


def held(hold_out, icons=ICONS):
    return {icons[index].path for index in hold_out.test}


@pytest.mark.parametrize("make", ALL.values(), ids=ALL)
def test_no_icon_is_on_both_sides_and_none_is_lost(make):
    hold_out = make(ICONS)
    assert hold_out.train.dtype == hold_out.test.dtype == np.int64
    both = np.concatenate([hold_out.train, hold_out.test])
    assert sorted(both.tolist()) == list(range(len(ICONS)))
    for side in (hold_out.train, hold_out.test):
        assert side.tolist() == sorted(side.tolist())


@pytest.mark.parametrize("make", ALL.values(), ids=ALL)
def test_the_order_of_the_icons_does_not_matter(make):
    mixed = ICONS.copy()
    random.Random(5).shuffle(mixed)
    assert held(make(mixed), mixed) == held(make(ICONS))


def test_a_style_is_a_vendor():
    hold_out = hold_outs.style(ICONS, "microsoft")
    assert hold_out.name == "style microsoft"
    assert {ICONS[index].style for index in hold_out.test} == {"microsoft"}
    assert {ICONS[index].style for index in hold_out.train} == {"google", "lg"}
    assert held(hold_out) == held(hold_outs.style(ICONS, "microsoft", "authors"))


def test_a_word_of_the_authors_is_looked_for_everywhere():
    icons = [*ICONS, parse("hand/lg_0_microsoft_logo.png", 2)]
    besides = held(hold_outs.style(icons, "microsoft", "authors"), icons) - held(
        hold_outs.style(icons, "microsoft"), icons
    )
    assert besides == {"hand/lg_0_microsoft_logo.png"}


def test_one_version_of_each_icon_that_has_several_is_held_out():
    hold_out = hold_outs.version(ICONS)
    test = [ICONS[index] for index in hold_out.test]
    keys = [(icon.style, icon.label, icon.subtype) for icon in test]
    assert len(set(keys)) == len(keys) == 2 * 14  # all of two vendors
    assert Counter(icon.rendition for icon in test).keys() == {"1", "2", "3"}
    trained = {(ICONS[i].style, ICONS[i].label, ICONS[i].subtype) for i in hold_out.train}
    assert set(keys) <= trained  # a sister of each is trained on


def test_which_version_goes_is_drawn_by_the_icon():
    one, again, other = (held(hold_outs.version(ICONS, seed=seed)) for seed in (0, 0, 1))
    assert one == again != other
    fewer = [icon for icon in ICONS if icon.label != 1]
    assert held(hold_outs.version(fewer), fewer) < one


def test_a_smaller_share_of_versions_is_a_part_of_a_larger():
    shares = [held(hold_outs.version(ICONS, share=share)) for share in (0.3, 0.6, 1.0)]
    assert shares[0] < shares[1] < shares[2]
    assert 0.1 < len(shares[0]) / len(shares[2]) < 0.5


def test_versions_as_the_authors_took_them():
    """Every second rendition, though lg has but one version; and all that is called keycap_2."""
    taken = held(hold_outs.version(ICONS, "authors"))
    second = {path for path in PATHS if "_2_" in path}
    assert taken == second | {path for path in PATHS if path.endswith("keycap_2.png")}
    (effect,) = hold_outs.side_effects(ICONS, ["_2"], "rendition")
    assert (effect.meant, effect.besides) == (len(second), 4)
    assert effect.emptied == ()


def test_subtypes_by_their_own_names():
    taken = held(hold_outs.subtypes(ICONS, ["duck", "books", "palm", "fist_type_6"]))
    subtypes = {path.split("_", 2)[2].removesuffix(".png") for path in taken}
    # A name without a skin tone stands for all; with one, for that alone.
    assert subtypes == {"duck", "books", "palm", "palm_type_4", "fist_type_6"}


def test_subtypes_as_the_authors_took_them():
    taken = held(hold_outs.subtypes(ICONS, ["duck", "books"], "authors"))
    assert taken == {path for path in PATHS if "duck" in path or path.startswith("books/")}


def test_side_effects_are_counted_word_by_word():
    duck, books, fist = hold_outs.side_effects(ICONS, ["duck", "books", "fist"], "subtype")
    assert (duck.meant, duck.besides, duck.emptied) == (6, 6, ())
    assert (books.meant, books.besides, books.emptied) == (6, 12, ("books",))
    assert (fist.word, fist.meant, fist.besides, fist.emptied) == ("fist", 18, 0, ())
    (style,) = hold_outs.side_effects(ICONS, ["lg"], "style")
    assert (style.meant, style.besides) == (14, 0)


def test_one_subtype_a_class_with_all_its_skin_tones():
    hold_out = hold_outs.one_a_class(ICONS)
    for label in LABELS.values():
        test = {ICONS[i].motif for i in hold_out.test if ICONS[i].label == label}
        train = {ICONS[i].motif for i in hold_out.train if ICONS[i].label == label}
        assert len(test) == 1
        assert not test & train
    draws = {frozenset(held(hold_outs.one_a_class(ICONS, seed=seed))) for seed in range(8)}
    assert len(draws) > 4


def test_a_class_of_one_subtype_keeps_it():
    icons = [*ICONS, parse("kiss/lg_0_kiss.png", 4), parse("kiss/lg_0_kiss_type_4.png", 4)]
    assert not {icons[i].label for i in hold_outs.one_a_class(icons).test} & {4}


def test_a_random_share_is_drawn_by_path():
    tenth, fifth = (held(hold_outs.at_random(ICONS, share)) for share in (0.1, 0.2))
    assert (len(tenth), len(fifth)) == (8, 17)
    assert tenth < fifth
    assert held(hold_outs.at_random(ICONS, 0.2, seed=1)) != fifth


def test_wrong_names_are_refused_with_the_known_ones():
    with pytest.raises(InputError, match="style to be one of google, lg, microsoft, but got apple"):
        hold_outs.style(ICONS, "apple")
    with pytest.raises(InputError, match="style to be one of google, lg, microsoft, but got apple"):
        hold_outs.style(ICONS, "apple", "authors")
    with pytest.raises(InputError, match=r"subtype to be one of books, duck, fist.*but got drake"):
        hold_outs.subtypes(ICONS, ["duck", "drake"])
    with unchecked(), pytest.raises(InputError, match="match to be one of authors, exact, but got"):
        hold_outs.style(ICONS, "google", "both")
    with unchecked(), pytest.raises(InputError, match="match to be one of authors, exact, but got"):
        hold_outs.version(ICONS, "both")


def test_of_many_names_the_nearest_are_listed():
    icons = [parse(f"bird/lg_0_duck_{letter}.png", 0) for letter in "abcdefghijklmnopqrstuvwxyz"]
    with pytest.raises(InputError, match=r"26 names.*duck_a.*drck_b\. Similar"):
        hold_outs.subtypes(icons, ["drck_b"])


def test_a_part_of_a_name_is_known_to_the_authors_rule_alone():
    assert len(hold_outs.subtypes(ICONS, ["keycap"], "authors").test) == 12
    with pytest.raises(InputError, match="but got keycap"):
        hold_outs.subtypes(ICONS, ["keycap"])


def test_a_side_without_icons_is_refused():
    one = [icon for icon in ICONS if icon.style == "lg"]
    with pytest.raises(InputError, match="to train on for the hold-out style lg"):
        hold_outs.style(one, "lg")
    with pytest.raises(InputError, match="to test on for the hold-out version"):
        hold_outs.version(one)
    for share in (0.0, 1.0):
        with pytest.raises(InputError, match="at random"):
            hold_outs.at_random(ICONS, share)
    for share in (0.0, 1.5):
        with pytest.raises(InputError, match=r"share above 0.*1"):
            hold_outs.version(ICONS, share=share)


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("style:microsoft", lambda: hold_outs.style(ICONS, "microsoft")),
        ("style:microsoft:authors", lambda: hold_outs.style(ICONS, "microsoft", "authors")),
        ("version", lambda: hold_outs.version(ICONS)),
        ("version:authors", lambda: hold_outs.version(ICONS, "authors")),
        ("subtypes", lambda: hold_outs.subtypes(ICONS, ["duck", "books"])),
        ("subtypes:authors", lambda: hold_outs.subtypes(ICONS, ["duck", "books"], "authors")),
        ("one_a_class", lambda: hold_outs.one_a_class(ICONS)),
        ("random", lambda: hold_outs.at_random(ICONS)),
    ],
)
def test_a_hold_out_by_its_name_is_the_one_that_is_made_by_hand(name, make):
    found = hold_outs.named(ICONS, name, ["duck", "books"])
    assert np.array_equal(found.test, make().test)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("vendor:microsoft", "a hold-out to be one of style:VENDOR, version"),
        ("style", "a hold-out to be one of style:VENDOR"),
        ("style:micrsoft", "style to be one of google, lg, microsoft, but got micrsoft"),
        ("version:theirs", "at the end of the hold-out, but got version:theirs"),
        ("subtypes", "to train on|to test on|at least|none are left"),
    ],
)
def test_a_hold_out_of_another_name_is_refused(name, words):
    with pytest.raises(InputError, match=words):
        hold_outs.named(ICONS, name)


def test_both_sides_are_ascending_and_together_all():
    found = hold_outs.hold_out("some", np.array([True, False, True]))
    assert (found.name, found.train.tolist(), found.test.tolist()) == ("some", [1], [0, 2])


@pytest.mark.parametrize(("held", "side"), [(True, "train"), (False, "test")])
def test_a_hold_out_of_all_or_none_is_refused(held, side):
    with pytest.raises(InputError, match=f"icons to {side} on for the hold-out all"):
        hold_outs.hold_out("all", np.full(3, held))


def test_groups_do_not_depend_on_the_order_of_the_icons():
    names = ("top", "cap", "crown", "cap")
    icons = [Icon(f"hat/a_{n}_{name}.png", 0, "a", str(n), name) for n, name in enumerate(names)]
    backwards = icons[::-1]

    def paths(icons):
        found = hold_outs.groups(icons, lambda icon: icon.subtype)
        return [[icons[place].path for place in group] for group in found]

    assert paths(icons) == paths(backwards)
    assert hold_outs.groups(icons, lambda icon: icon.subtype) == [[0], [1, 3], [2]]


SUBTYPES = {
    "fish": ("flatfish", "ray", "shark", "trout", "aquarium_fish"),
    "trees": ("maple", "oak", "palm", "pine", "willow"),
    "people": ("baby", "boy", "girl", "man", "woman"),
}
LABEL_OF = {folder: label for label, folder in enumerate(SUBTYPES)}


def drawn(numbers):
    """Pictures of every subtype, one a number."""
    return [
        parse(f"{folder}/cifar_{number}_{subtype}.png", LABEL_OF[folder])
        for number in numbers
        for folder, subtypes in SUBTYPES.items()
        for subtype in subtypes
    ]


def some_held(icons, number, **given):
    found = some_a_class(icons, number, **given)
    kept = {(icons[place].label, icons[place].motif) for place in found.train}
    gone = {(icons[place].label, icons[place].motif) for place in found.test}
    assert kept.isdisjoint(gone)
    return gone


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_every_class_loses_as_many_subtypes_and_no_class_all(number):
    gone = some_held(drawn(range(3)), number)
    assert [sum(label == one for one, _ in gone) for label in LABEL_OF.values()] == [number] * 3


def test_training_and_test_pictures_lose_the_same():
    for number in (1, 2, 3, 4):
        assert some_held(drawn(range(3)), number) == some_held(drawn([7, 9])[::-1], number)


def test_three_are_two_and_one_more():
    by_number = [some_held(drawn([0]), number) for number in (1, 2, 3, 4)]
    for fewer, more in pairwise(by_number):
        assert fewer < more


def test_another_seed_holds_out_others_and_all_subtypes_have_their_turn():
    seen = set()
    for seed in range(60):
        seen |= some_held(drawn([0]), 1, seed=seed)
    assert len(seen) == 15


@pytest.mark.parametrize("number", [0, 5, 9])
def test_a_number_that_leaves_one_side_empty_is_refused(number):
    with pytest.raises(InputError, match=f"from 1 to 4 to hold out.*fish has 5, but got {number}"):
        some_a_class(drawn([0]), number)


def test_a_tone_goes_with_its_subtype():
    paths = ("fist", "fist_type_4", "palm", "palm_type_4")
    icons = [parse(f"hand/a_0_{name}.png", 0) for name in paths]
    assert [icon.motif for place in [some_a_class(icons, 1).test] for icon in
            np.array(icons, object)[place]] in (["fist"] * 2, ["palm"] * 2)  # fmt: skip


def test_they_are_known_by_name():
    icons = drawn(range(2))
    assert named(icons, "some_a_class:3").test.tolist() == some_a_class(icons, 3).test.tolist()
    for wrong in ("some_a_class", "some_a_class:", "some_a_class:two", "some_a_class:-1"):
        with pytest.raises(InputError, match="a hold-out to be one of"):
            named(icons, wrong)


def test_a_share_of_each_subtype_leaves_all_subtypes_on_both_sides():
    icons = drawn(range(9))
    split = of_each_subtype(icons, 0.25)
    for places, each in ((split.test, 2), (split.train, 7)):
        names = [icons[place].motif for place in places]
        assert {names.count(name) for name in names} == {each}
        assert len(set(names)) == 15


def test_which_of_them_is_drawn_by_path_and_seed():
    icons = drawn(range(9))
    first, again = (
        {some[place].path for place in of_each_subtype(some, 0.25).test}
        for some in (icons, icons[::-1])
    )
    assert first == again
    assert first != {icons[place].path for place in of_each_subtype(icons, 0.25, seed=1).test}


def test_a_single_drawing_of_a_subtype_stays():
    icons = [*drawn(range(4)), parse("fish/cifar_0_carp.png", 0)]
    assert "carp" not in {icons[place].motif for place in of_each_subtype(icons, 0.9).test}
