"""Pictures of blind spots: the right ones, with what they show."""

import numpy as np

from robust_book.chapters.nao_3_blind_spots.pictures import SHOWN, Seen, galleries, things
from robust_lib.datasets.objects import Foreign, Objects
from tests.chapters.nao_3_blind_spots import toys as own
from tests.protocols.blind_spots import toys
from tests.toys import Swatches


def test_a_gallery_holds_the_most_typical_and_the_strangest():
    found = toys.blind_spots()
    _, pool, adversarial = own.seen()
    (one,) = galleries(found, pool, adversarial, 3)
    values = [int(picture[0, 0, 0]) for picture in one.pictures]
    expected = [*found.pool_pictures(0)[:6], *found.chosen_pictures(0)[:6]]
    assert values == [place % 256 for place in expected]
    assert (one.number, one.pool, one.training, one.adversarial) == (1, 40, 0, 9)
    assert galleries(found, pool, adversarial, 0) == ()


def test_embeddings_of_a_part_are_read_from_the_whole():
    pool = toys.blind_spots().space.pool
    few = toys.embedded("pool", pool.ids[100:110], pool.vectors[100:110])
    seen = Seen(few, own.Drawn(pool))
    assert int(seen.read(3)[0, 0, 0]) == 103
    assert seen.read(3).shape == (SHOWN.crop, SHOWN.crop, 3)
    assert seen.words(3) == "bird, shark*"  # the 104th of 140, forty of which are planted


def test_what_nobody_annotated_has_no_words():
    swatches = Swatches(3)
    seen = Seen(toys.embedded("swatches", swatches.ids, np.zeros((3, 2))), swatches)
    assert seen.words(0) == ""


def test_things_are_named_once_and_not_all_of_many():
    box = np.ones((4, 4), np.float32)
    many = Objects(9, 9, box, np.array([0, 1, 1, 2]), foreign=Foreign(box[:1], ("shark",)))
    assert things(many, ["bird", "cat", "dog"]) == "bird, cat, dog …"
    unknown = Objects(9, 9, box[:1], np.array([1]))
    assert things(unknown, ["bird", "cat"]) == "cat"
