"""Bundles: what the same ones want is together, as far as it is enough."""

from robust_book.engine.bundles import bundles

ENOUGH = 20.0


def test_bundles_hold_what_the_same_ones_want_as_far_as_it_is_enough():
    third = dict.fromkeys(("a1", "b1", "a2", "c1", "a3", "a4", "b2"), ENOUGH / 3)
    assert bundles(third, third.get, lambda name: name[0], ENOUGH) == [
        ("a1", "a2", "a3"),
        ("a4", "b1", "b2", "c1"),
    ]


def test_what_takes_long_is_a_bundle_of_its_own():
    seconds = {"a": 2 * ENOUGH, "b": 1.0, "c": 2.0, "d": 3 * ENOUGH}
    assert bundles(seconds, seconds.get, lambda name: "all", ENOUGH) == [("a",), ("b", "c", "d")]


def test_little_is_one_bundle():
    assert bundles("abc", lambda _: 1.0, lambda name: name, ENOUGH) == [("a", "b", "c")]
    assert bundles("", lambda _: 1.0, lambda name: name, ENOUGH) == []
