"""The groups of corruptions are the paper's."""

from robust_lib.protocols.overlap.groups import ACROSS, BLOCKS, HALVES, possible
from robust_lib.vocabulary import BLUR, COMMON, NOISE


def test_halves_and_blocks_are_the_papers():
    assert HALVES["set1"] == (*NOISE, *BLUR, "pixelate")
    assert [len(members) for members in HALVES.values()] == [8, 7]
    assert sorted(HALVES["set1"] + HALVES["set2"]) == sorted(COMMON)
    assert set(BLOCKS["texture"]) == {*HALVES["set1"], "jpeg_compression"}
    assert BLOCKS["all"] == COMMON


def test_pairs_are_counted_within_a_group_and_between_two():
    assert [possible(members) for members in BLOCKS.values()] == [3, 10, 36, 105]
    (across,) = ACROSS.values()
    assert possible(*across) == 15
    assert not set(across[0]) & set(across[1])
    assert possible(("fog",)) == possible(("fog",), ()) == 0
